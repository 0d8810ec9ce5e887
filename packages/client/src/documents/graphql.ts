import { initGraphQLTada } from 'gql.tada'
import type { introspection } from '../generated/graphql-env.d.ts'

/** Creates a typed document: `graphql('query ...')`. The types are generated from the schema of the service, apps/server/schema.graphql. */
export const graphql = initGraphQLTada<{
  introspection: introspection
  disableMasking: true
  scalars: {
    /** An ISO 8601 time in UTC. */
    DateTime: string
    /** An ISO 8601 duration. */
    Duration: string
    ID: string
    JSON: unknown
    /** A moment in the history of the fleet: a revision, a time, or an age such as -15m. */
    Moment: string
    PackedColumn: string
    /** A revision of the log, as decimal digits. */
    Revision: string
    /** An integer up to 2^53 - 1. */
    SafeInt: number
    UUID: string
  }
}>()

export type { ResultOf, TadaDocumentNode as TypedDocument, VariablesOf } from 'gql.tada'

/** An input type whose lists may be read-only, because the client does not change arguments. */
export type Given<Input> = Input extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : Input extends object
    ? { readonly [Name in keyof Input]: Given<Input[Name]> }
    : Input
