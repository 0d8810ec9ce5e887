import { shorten } from '../values/storable.ts'
import type { Code } from './codes.ts'

/** One problem with an input: its path, the found value, and the expected value. */
export interface Problem {
  readonly code: Code
  /** The keys and indexes that lead from the root of the input to the value. */
  readonly path: readonly string[]
  readonly message: string
  readonly expected: string
  /** The found value, shortened to 80 characters. */
  readonly actual: string
}

/** The result of parsing an unknown input: the value, or all problems at once. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] }

/** The problem of a field that an older version cannot express. `expected` is the only value that the older version can express. */
export function newerField(family: 'spec' | 'stats', version: string, path: readonly string[], found: unknown, expected: string): Problem {
  const actual = quote(found)
  const message = `${path.join('.')} is ${actual}; version ${version} can only express ${expected}`
  return { code: `${family}.newer_field`, path, message, expected, actual }
}

/** Replaces the path of a problem, both in `path` and in the message. Needed if the parsed input is part of a larger input. */
export function problemAt<P extends Pick<Problem, 'path' | 'message'>>(problem: P, path: readonly string[]): P {
  const { path: former, message } = problem
  const [was, now] = [former.join('.'), path.join('.')]
  if (was === now) return { ...problem, path }
  const named = was === '' ? WHOLE_INPUT.exec(message)?.[0] : was
  const isNamed = named !== undefined && named !== '' && message.includes(named)
  return { ...problem, path, message: isNamed ? message.replace(named, () => now) : `${now}: ${message}` }
}

/** Matches the start of a message about a whole input, such as "the request is". */
const WHOLE_INPUT = /^the [a-z-]+(?= is )/

/** Writes a value for a message: as JSON, shortened to 80 characters. Never throws. */
export function quote(value: unknown): string {
  const text = typeof value === 'bigint' ? `${value}n` : value === undefined ? 'nothing' : safeJson(value)
  return shorten(text, 80)
}

function safeJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 90 ? value.slice(0, 90) : value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  return value === null || typeof value !== 'object' ? String(value) : 'an object'
}
