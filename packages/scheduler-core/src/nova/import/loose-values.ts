import { WireError } from '../../report/versioned-object.ts'
import { pythonValueOf } from '../text/python-json.ts'
import { pythonText } from '../text/python-text.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Returns those of the named fields whose value is text, with the value converted to an integer. The text can have a fraction of zeros, as
 * in `2.0`. Throws WireError if the text is not an integer.
 */
export function numberedFields(given: Json, names: readonly string[], path: string): Json {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = given[name]
      if (typeof value !== 'string') return []
      if (!/^\s*-?\d+(?:\.0+)?\s*$/.test(value)) throw new WireError(`${path}.${name}`, value, 'a whole number')
      return [[name, Number(value)]]
    }),
  )
}

/** Converts all values of a dictionary to text. Null values are left out. */
export const withTexts = (given: Json): Json =>
  Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [[name, textOfJson(value)]])))

/** Converts a value to text. Booleans and numbers are written as Python prints them. Lists and objects become JSON. */
export const textOfJson = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : pythonText(pythonValueOf(value))

/** Parses JSON text. A value that is not text is returned unchanged. Empty text gives null. Throws WireError if the text is not JSON. */
export function jsonAt(value: unknown, path: string): unknown {
  if (typeof value !== 'string') return value
  if (value.trim() === '') return null
  try {
    return JSON.parse(value)
  } catch {
    throw new WireError(path, value, 'JSON text')
  }
}
