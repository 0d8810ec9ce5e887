import { quote } from '../../text/problem.ts'
import { NovaError } from '../text/nova-error.ts'

/** The fields of an object of Nova, as it is serialised. A missing field is unset, which differs from null. */
export type WireFields = Readonly<Record<string, unknown>>

/** Reads the fields of a versioned object (`nova_object.data`), or of a plain dictionary, the form before versioned objects existed. */
export function fieldsOf(value: unknown, what: string): WireFields {
  const outer = dictionary(value, what)
  return Object.hasOwn(outer, 'nova_object.data') ? dictionary(outer['nova_object.data'], what) : outer
}

/** Returns true if the value is a versioned object: it has `nova_object.data`. */
export function isEnvelope(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'nova_object.data')
}

export function listOf<Item>(value: unknown, what: string, read: (item: unknown, what: string) => Item): readonly Item[] {
  if (!Array.isArray(value)) throw new NovaError('ValueError', `${what} is ${quote(value)}; it must be a list`, what)
  return value.map((item: unknown, i) => read(item, `${what}[${i}]`))
}

export function integerOf(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw new NovaError('ValueError', `${what} is ${quote(value)}; it must be a whole number`, what)
  return value
}

export function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new NovaError('ValueError', `${what} is ${quote(value)}; it must be text`, what)
  return value
}

/** Reads a set of integers. The result is in ascending order without duplicates. */
export function numberSet(value: unknown, what: string): readonly number[] {
  return [...new Set(listOf(value, what, integerOf))].sort((a, b) => a - b)
}

/** Reads a value that must be one of `words` or null. An unset value becomes null. */
export function wordOf<Word extends string>(value: unknown, what: string, words: readonly Word[]): Word | null {
  if (value === undefined || value === null) return null
  const found = words.find((word) => word === value)
  if (found === undefined) throw new NovaError('ValueError', `${what} is ${quote(value)}; it must be one of ${words.join(', ')}`, what)
  return found
}

function dictionary(value: unknown, what: string): WireFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new NovaError('ValueError', `${what} is ${quote(value)}; it must be an object`, what)
  }
  return value as WireFields
}
