import { FaultError, type Operation as SentOperation } from '@gantt/client'
import type { TadaDocumentNode } from './graphql.ts'
import type { Header, Written } from './written.ts'

/** A typed GraphQL operation. */
// biome-ignore lint/suspicious/noExplicitAny: a document of any result and any variables
export type Operation = TadaDocumentNode<any, any, any>

/** An operation, and its variables. */
export interface Call {
  readonly document: Operation
  readonly variables?: Readonly<Record<string, unknown>>
}

const writtenOf = (document: Operation) => document as unknown as Written & { readonly documentId?: string }

/** The text of an operation. */
export const textOf = (document: Operation): string => writtenOf(document).text

/** True after a replica, which must be of another release, did not know the id of an operation. */
let isStranger = false

/**
 * The form in which an operation is sent: its id from the build (persisted-documents.ts) or, if the service does not know the id, its text.
 */
export function wireOf(document: Operation): SentOperation {
  const { documentId } = writtenOf(document)
  return documentId === undefined || isStranger ? textOf(document) : { documentId, operationName: headerOf(document).name }
}

/** The kind of an operation, and its name. */
export function headerOf(document: Operation): Header {
  const { header, text } = writtenOf(document)
  if (header === undefined)
    throw new Error(`An operation must begin with its kind and its name, by which its answer is cached; found: ${text}`)
  return header
}

/** True if the operation must be sent again, because its id was not known. From then on all operations are sent as texts. */
export function sendsTextNow(error: unknown): boolean {
  const isUnknown =
    error instanceof FaultError && error.faults.some(({ extensions }) => extensions?.code === 'PERSISTED_DOCUMENT_NOT_FOUND')
  isStranger ||= isUnknown
  return isUnknown
}
