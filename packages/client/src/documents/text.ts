import { type DocumentNode, print } from 'graphql'

const texts = new WeakMap<DocumentNode, string>()

/** The text of a document. It is printed at the first call and then cached. */
export function textOf(document: DocumentNode): string {
  const known = texts.get(document)
  if (known !== undefined) return known
  const text = print(document)
  texts.set(document, text)
  return text
}
