/** A column of a table. */
export interface MarkdownColumn {
  readonly head: string
  readonly align?: 'left' | 'right'
}

/** Escapes a text. Names come from other systems, and must not become markup or a second line. */
export const inert = (text: string): string =>
  oneLine(text)
    .replace(/[\\`*[\]|~]|(?<!\w)_|_(?!\w)/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')

/** Escapes the text of a paragraph, a list item or a cell, including characters that would begin a list, a quote or a heading. */
export const paragraph = (text: string): string =>
  inert(text)
    .replace(/^[#+=-]/, '\\$&')
    .replace(/^(\d{1,9})([.)])/, '$1\\$2')

/** A code span, enclosed by more backticks than it contains. */
export function code(text: string): string {
  const plain = oneLine(text)
  if (plain === '') return ''
  const longest = Math.max(0, ...(plain.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  const pad = /^[` ]|[` ]$/.test(plain) ? ' ' : ''
  return `${fence}${pad}${plain}${pad}${fence}`
}

/** A heading of level three, because tickets have headings of their own above it. */
export const heading = (text: string): string => `### ${inert(text)}`

/** A list with one item for each text. */
export const toMarkdownList = (items: readonly string[]): readonly string[] => items.map((item) => `- ${paragraph(item)}`)

/** A link to a URL. Plain text if the address is not an http or https URL. */
export function link(text: string, address: string): string {
  if (!/^https?:\/\//i.test(address)) return inert(text)
  // a URL that contains percent signs is already encoded
  const safe = oneLine(address).replace(/[^\w.~:/?#@!$&'+,;=%-]/gu, (each) => encodeURIComponent(each).replace(/[()*]/g, toPercent))
  return `[${inert(text)}](${safe.replaceAll('_', '%5F')})`
}

/** A table. Each cell is on one line. */
export function toMarkdownTable(columns: readonly MarkdownColumn[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${columns.map((_column, at) => cells[at] ?? '').join(' | ')} |`
  return [
    line(columns.map(({ head }) => inert(head))),
    line(columns.map(({ align }) => (align === 'right' ? '--:' : '---'))),
    ...rows.map((cells) => line(cells.map(inert))),
  ]
}

/** A page for a ticket: its parts with an empty line between them. Empty parts are left out. */
export const toPage = (...parts: readonly (string | readonly string[])[]): readonly string[] =>
  parts
    .map((part) => (typeof part === 'string' ? [part] : part))
    .filter((part) => part.some((line) => line !== ''))
    .flatMap((part, at) => (at === 0 ? part : ['', ...part]))

/** Replaces line breaks, control characters, unpaired surrogates and marks that change the direction of writing by spaces. */
const oneLine = (text: string): string => text.replace(/[\s\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim()

const toPercent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
