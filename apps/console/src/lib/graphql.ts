import { initGraphQLTada } from 'gql.tada'
import type { introspection } from '../generated/graphql-env.d.ts'

/** Typed documents: `graphql('query ...')` knows the service's schema (generated from apps/server/schema.graphql). */
export const graphql = initGraphQLTada<{
  introspection: introspection
  disableMasking: true
  scalars: {
    DateTime: string
    Duration: string
    ID: string
    JSON: unknown
    PackedColumn: string
    Moment: string
    Revision: string
    SafeInt: number
    UUID: string
  }
}>()

export type { ResultOf, TadaDocumentNode, VariablesOf } from 'gql.tada'
