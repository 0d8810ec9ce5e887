import { FaultError, type Operation as SentOperation } from '@gantt/client'
import { type OperationDefinitionNode, print } from 'graphql'
import type { TadaDocumentNode } from './graphql.ts'

/** A typed GraphQL operation. */
// biome-ignore lint/suspicious/noExplicitAny: a document of any result and any variables
export type Operation = TadaDocumentNode<any, any, any>

const texts = new WeakMap<object, string>()

/** The text of an operation. */
export function textOf(document: Operation): string {
  const known = texts.get(document)
  if (known !== undefined) return known
  const text = print(document)
  texts.set(document, text)
  return text
}

/** Whether a replica was met that does not know this console's ids: one of another release. */
let isStranger = false

/** The operation as it goes over the wire: by its id, which a build gives it (persisted-documents.ts), else by its text. */
export function wireOf(document: Operation): SentOperation {
  const { documentId } = document as { readonly documentId?: string }
  return documentId === undefined || isStranger ? textOf(document) : { documentId, operationName: nameOf(document) }
}

export function nameOf(document: Operation): string {
  const { name } = operationOf(document)
  if (name === undefined) throw new Error('An operation needs a name: it is kept and found under it.')
  return name.value
}

export function operationOf(document: Operation): OperationDefinitionNode {
  for (const definition of document.definitions) if (definition.kind === 'OperationDefinition') return definition
  throw new Error('A document needs an operation.')
}

/** Whether the operation is to be sent again: its id was not known, so from now on texts are sent. */
export function sendsTextNow(error: unknown): boolean {
  const isUnknown =
    error instanceof FaultError && error.faults.some(({ extensions }) => extensions?.code === 'PERSISTED_DOCUMENT_NOT_FOUND')
  isStranger ||= isUnknown
  return isUnknown
}
