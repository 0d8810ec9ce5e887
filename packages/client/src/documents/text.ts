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

/** Returns the names that the fields of the operation have in the data of each answer. A field with a directive can be absent. */
export function fieldsOf({ definitions }: DocumentNode): readonly string[] {
  const operation = definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return []
  return operation.selectionSet.selections.flatMap((selection) =>
    selection.kind === Kind.FIELD && (selection.directives ?? []).length === 0 ? [selection.alias?.value ?? selection.name.value] : [],
  )
}
