import { parse as parseToml, TomlError } from 'smol-toml'
import { placeOf } from './json.ts'
import { nestingOf } from './nesting.ts'

/**
 * Parses a text of JSON or TOML into values that JSON can express. Dates of TOML become texts. Throws an error that has no part of the
 * text, because the text can contain secrets.
 */
export function parseText(text: string, { isToml, maxDepth }: { readonly isToml: boolean; readonly maxDepth: number }): unknown {
  const depth = isToml ? 0 : nestingOf(text)
  if (depth > maxDepth) throw new Error(`it must have at most ${maxDepth} levels of lists and objects, and has ${depth}`)
  return plain(isToml ? fromToml(text) : fromJson(text), text, [], maxDepth)
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`it is not JSON${placeOf(error)}`)
  }
}

function fromToml(text: string): unknown {
  try {
    return parseToml(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // the first line of the message says what is wrong; the others quote the text
    throw new Error(`line ${error.line}, column ${error.column}: ${error.message.split('\n')[0]}`)
  }
}

/** The value with texts in place of dates. Throws an error for numbers that JSON does not have, and for days that do not exist. */
function plain(value: unknown, text: string, path: readonly string[], maxDepth: number): unknown {
  const at = path.join('.')
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${at} is ${value}; a number must be finite`)
  if (value instanceof Date) {
    const date = value.toJSON()
    const [day] = /^\d{4}-\d\d-\d\d/.exec(date) ?? []
    // the parser takes 30 February as 2 March, which is then not in the text
    if (day !== undefined && !text.includes(day)) throw new Error(`${at} is a date that does not exist`)
    return date
  }
  if (typeof value !== 'object' || value === null) return value
  // the dotted names of TOML can nest without brackets
  if (path.length >= maxDepth) throw new Error(`it must have at most ${maxDepth} levels of lists and objects, and has more`)
  if (Array.isArray(value)) return value.map((one, i) => plain(one, text, [...path, String(i)], maxDepth))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one, text, [...path, key], maxDepth)]))
}
