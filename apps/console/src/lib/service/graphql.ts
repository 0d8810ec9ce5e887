import type { initGraphQLTada } from 'gql.tada'
import type { introspection } from '../../generated/graphql-env.d.ts'
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
 * Typed documents: `graphql('query ...')` is typed by the service's schema (generated from apps/server/schema.graphql). Only the types of
 * the library are used. At run time, a document is an object that written.ts creates.
 */
export const graphql = writeDocument as unknown as Typed

export type { ResultOf, TadaDocumentNode, VariablesOf } from 'gql.tada'
