import { initGraphQLTada } from 'gql.tada'
import type { introspection } from '../generated/graphql-env.d.ts'

/** Creates typed documents. `graphql('query ...')` knows the schema of the service (generated from apps/server/schema.graphql). */
export const graphql = initGraphQLTada<{
  introspection: introspection
  disableMasking: true
  scalars: {
    /** ISO 8601, UTC. */
    DateTime: string
    /** ISO 8601. */
    Duration: string
    ID: string
    JSON: unknown
    /** A point in the history of the fleet: a revision, a time, or how long ago. */
    Moment: string
    PackedColumn: string
    /** A position in the log, as decimal digits. */
    Revision: string
    /** An integer up to 2^53 - 1. */
    SafeInt: number
    UUID: string
  }
}>()

export type { ResultOf, TadaDocumentNode as TypedDocument, VariablesOf } from 'gql.tada'

/** The input type with read-only lists, because the client only sends arguments. */
export type Given<Input> = Input extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : Input extends object
    ? { readonly [Name in keyof Input]: Given<Input[Name]> }
    : Input
