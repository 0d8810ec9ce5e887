/** The facts that the console needs about an operation in addition to its text. */
export interface Header {
  readonly kind: 'query' | 'mutation' | 'subscription'
  /** The name under which answers are cached. */
  readonly name: string
  /** True if the operation has the variable `$at` for the moment. */
  readonly takesMoment: boolean
}

/**
 * A document as text. The browser does not parse it, because every page would then load a parser. The build parses all documents
 * (persisted-documents.ts), and fails if a document has another header than the header that this module reads.
 */
export interface Written {
  /** The text with its fragments. */
  readonly text: string
  /** The header of the operation. Undefined for a fragment. */
  readonly header: Header | undefined
}

export function writeDocument(text: string, fragments: readonly Written[] = []): Written {
  return { text: [atTheEdge(text), ...fragments.map((fragment) => fragment.text)].join('\n\n'), header: readHeader(text) }
}

const HEADER = /^\s*(query|mutation|subscription)\s+(\w+)\s*(\([^)]*\))?/

/** Parses the header at the beginning of a document. Undefined if the document does not begin with the header of an operation. */
export function readHeader(text: string): Header | undefined {
  const [, kind, name, variables = ''] = HEADER.exec(text) ?? []
  if (kind === undefined || name === undefined) return undefined
  return { kind: kind as Header['kind'], name, takesMoment: /\$at\b/.test(variables) }
}

/** Removes the indentation that a document has in the source code. */
function atTheEdge(text: string): string {
  const [, indent = ''] = /^\n( *)\S/.exec(text) ?? []
  return text.replaceAll(`\n${indent}`, '\n').trim()
}
