import { shorten } from '../values/storable.ts'
import type { Code } from './codes.ts'

/** One problem with an input: its path, the found value, and the expected value. */
export interface Problem {
  readonly code: Code
  /** Keys and indexes from the root of the input. */
  readonly path: readonly string[]
  readonly message: string
  readonly expected: string
  /** What was found, shortened to 80 characters. */
  readonly actual: string
}

/** The result of parsing an unknown input: the value, or all problems at once. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] }

/** The problem of a field that an older version cannot express. `expected` is what that version can express. */
export function newerField(family: 'spec' | 'stats', version: string, path: readonly string[], found: unknown, expected: string): Problem {
  const actual = quote(found)
  const message = `${path.join('.')} is ${actual}; version ${version} can only say ${expected}`
  return { code: `${family}.newer_field`, path, message, expected, actual }
}

/**
 * The problem with a different path, for an input that is part of a larger input or has other names there. Path and message get the new
 * path.
 */
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

/** A value as messages quote it: JSON, shortened to 80 characters. Never throws. */
export function quote(value: unknown): string {
  const text = typeof value === 'bigint' ? `${value}n` : value === undefined ? 'nothing' : safeJson(value)
  return shorten(text, 80)
}

function safeJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 90 ? value.slice(0, 90) : value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  return value === null || typeof value !== 'object' ? String(value) : 'an object'
}
