/** What the console needs to know of an operation besides its text. */
export interface Header {
  readonly kind: 'query' | 'mutation' | 'subscription'
  /** Answers are kept and found under it. */
  readonly name: string
  /** It takes the moment that it is asked about, as `$at`. */
  readonly takesMoment: boolean
}

/**
 * A document as it was written. It is never parsed where it is used: a parser and a printer would come with every page, and each
 * operation be read at each start. A build parses all of them (persisted-documents.ts), and fails where it reads another header.
 */
export interface Written {
  /** With its fragments. */
  readonly text: string
  /** Undefined: a fragment. */
  readonly header: Header | undefined
}

export function writeDocument(text: string, fragments: readonly Written[] = []): Written {
  return { text: [atTheEdge(text), ...fragments.map((fragment) => fragment.text)].join('\n\n'), header: readHeader(text) }
}

const HEADER = /^\s*(query|mutation|subscription)\s+(\w+)\s*(\([^)]*\))?/

/** The header of an operation that begins with it; undefined where there is none. */
export function readHeader(text: string): Header | undefined {
  const [, kind, name, variables = ''] = HEADER.exec(text) ?? []
  if (kind === undefined || name === undefined) return undefined
  return { kind: kind as Header['kind'], name, takesMoment: /\$at\b/.test(variables) }
}

/** Without what it is moved to the right by where it stands in the code. */
function atTheEdge(text: string): string {
  const [, indent = ''] = /^\n( *)\S/.exec(text) ?? []
  return text.replaceAll(`\n${indent}`, '\n').trim()
}
