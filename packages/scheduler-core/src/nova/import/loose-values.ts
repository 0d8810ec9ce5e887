import { WireError } from '../../report/versioned-object.ts'
import { pythonValueOf } from '../text/python-json.ts'
import { pythonText } from '../text/python-text.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * The named fields that are whole numbers written as text, or as numbers with a point, converted to numbers. Throws WireError with path,
 * found and allowed.
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

/** A dictionary with its values as text; null values are left out. */
export const withTexts = (given: Json): Json =>
  Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [[name, textOfJson(value)]])))

/** Text unchanged, a constant or a number as Python prints it, and a list or an object as JSON. */
export const textOfJson = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : pythonText(pythonValueOf(value))

/**
 * The content of JSON text; a value that is not text is used unchanged, and empty text as nothing. Throws WireError with path, found and
 * allowed.
 */
export function jsonAt(value: unknown, path: string): unknown {
  if (typeof value !== 'string') return value
  if (value.trim() === '') return null
  try {
    return JSON.parse(value)
  } catch {
    throw new WireError(path, value, 'JSON text')
  }
}
