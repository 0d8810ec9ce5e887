import type { initGraphQLTada } from 'gql.tada'
import type { introspection } from '../generated/graphql-env.d.ts'
import { writeDocument } from './written.ts'

type Typed = ReturnType<
  typeof initGraphQLTada<{
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
  }>
>

/**
 * Typed documents: `graphql('query ...')` knows the service's schema (generated from apps/server/schema.graphql). Of the library
 * there are the types alone: what a document is while the console runs says written.ts.
 */
export const graphql = writeDocument as unknown as Typed

export type { ResultOf, TadaDocumentNode, VariablesOf } from 'gql.tada'
