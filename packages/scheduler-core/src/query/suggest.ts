import { findField } from './parse.ts'
import { isOrdered, type QueryField } from './query.ts'

/** A text that is suggested for the filter at the caret. */
export interface Suggestion {
  readonly text: string
  readonly description: string
}

export interface Suggestions {
  /** The suggestion replaces the characters of the text from `from` up to, but not including, `to`. */
  readonly from: number
  readonly to: number
  /** The field for which values are suggested. Null if fields are suggested. */
  readonly field: string | null
  readonly options: readonly Suggestion[]
}

/** Suggests fields at the caret, or values if the caret is after a field and its operator. */
export function suggest(text: string, caret: number, fields: readonly QueryField[]): Suggestions {
  const before = text.slice(0, caret)
  const start = /(?:"(?:\\.|[^"\\])*"?|[^\s"])*$/.exec(before)?.index ?? caret
  const rest = /^[^\s,]*/.exec(text.slice(caret))?.[0] ?? ''
  const sign = text[start] === '-' && start < caret ? 1 : 0
  const word = before.slice(start + sign)
  const head = /^([A-Za-z][A-Za-z0-9_.]*)(!=|>=|<=|[:=<>])/.exec(word)
  const field = head === null ? undefined : findField(head[1] ?? '', fields)
  if (head === null) {
    const wanted = word.toLowerCase()
    const options = fields
      .filter(({ name, aliases = [] }) => [name, ...aliases].some((one) => one.toLowerCase().startsWith(wanted)))
      .map((field) => ({ text: `${field.name}${isOrdered(field) ? '>=' : ':'}`, description: field.description }))
    return { from: start + sign, to: caret + rest.length, field: null, options }
  }
  const values = word.slice(head[0].length)
  const written = values.slice(values.lastIndexOf(',') + 1)
  const from = caret - written.length
  const options = (field?.values ?? [])
    .filter((value) => value.toLowerCase().startsWith(written.toLowerCase()))
    .map((value) => ({ text: value, description: field?.description ?? '' }))
  return { from, to: caret + rest.length, field: field?.name ?? null, options }
}
