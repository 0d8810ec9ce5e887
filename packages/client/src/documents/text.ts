import { type DocumentNode, Kind, print } from 'graphql'

const texts = new WeakMap<DocumentNode, string>()

/** Returns a document as text. The text is cached. */
export function textOf(document: DocumentNode): string {
  const known = texts.get(document)
  if (known !== undefined) return known
  const text = print(document)
  texts.set(document, text)
  return text
}

/** Returns the name of the operation in a document. Throws RangeError if there is none. */
export function nameOf({ definitions }: DocumentNode): string {
  for (const definition of definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION && definition.name !== undefined) return definition.name.value
  throw new RangeError('expected a document with a named operation, found none; write a name after query or mutation')
}
