import { shorten } from '../values/storable.ts'
import type { Code } from './codes.ts'

/** One thing that is wrong with an input: where, what was found, what is allowed. */
export interface Problem {
  readonly code: Code
  /** Keys and indexes from the root of the input. */
  readonly path: readonly string[]
  readonly message: string
  readonly expected: string
  /** What was found, shortened to 80 characters. */
  readonly actual: string
}

/** The result of a parser of unknown input: the value, or all of its problems at once. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] }

/** A field that an older version cannot express; `expected` is what that version can express. */
export function newerField(family: 'spec' | 'stats', version: string, path: readonly string[], found: unknown, expected: string): Problem {
  const actual = quote(found)
  const message = `${path.join('.')} is ${actual}; version ${version} can only say ${expected}`
  return { code: `${family}.newer_field`, path, message, expected, actual }
}

/** The same problem where its input is part of another one, or has other names there: path and message name the new path. */
export function problemAt<P extends Pick<Problem, 'path' | 'message'>>(problem: P, path: readonly string[]): P {
  const { path: former, message } = problem
  const [was, now] = [former.join('.'), path.join('.')]
  if (was === now) return { ...problem, path }
  const named = was === '' ? WHOLE_INPUT.exec(message)?.[0] : was
  const isNamed = named !== undefined && named !== '' && message.includes(named)
  return { ...problem, path, message: isNamed ? message.replace(named, () => now) : `${now}: ${message}` }
}

/** The start of a message about a whole input. */
const WHOLE_INPUT = /^the [a-z-]+(?= is )/

/** A value in the form in which a message quotes it: JSON, shortened to 80 characters, never throwing. */
export function quote(value: unknown): string {
  const text = typeof value === 'bigint' ? `${value}n` : value === undefined ? 'nothing' : safeJson(value)
  return shorten(text, 80)
}

function safeJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 90 ? value.slice(0, 90) : value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  return value === null || typeof value !== 'object' ? String(value) : 'an object'
}
