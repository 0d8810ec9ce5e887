import type { Code } from './codes.ts'
import { shorten } from './storable.ts'

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

/** What a parser of unknown input answers: the value, or every problem at once. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] }

/** A field that an older version has no words for; `expected` is all that it can say. */
export function newerField(family: 'spec' | 'stats', version: string, path: readonly string[], found: unknown, expected: string): Problem {
  const actual = quote(found)
  const message = `${path.join('.')} is ${actual}; version ${version} can only say ${expected}`
  return { code: `${family}.newer_field`, path, message, expected, actual }
}

/** The same problem where its input stands within another one, or has other names there: path and message name the same place. */
export function problemAt<P extends Pick<Problem, 'path' | 'message'>>(problem: P, path: readonly string[]): P {
  const { path: former, message } = problem
  const [was, now] = [former.join('.'), path.join('.')]
  if (was === now) return { ...problem, path }
  const place = was === '' ? WHOLE_INPUT.exec(message)?.[0] : was
  const isNamed = place !== undefined && place !== '' && message.includes(place)
  return { ...problem, path, message: isNamed ? message.replace(place, () => now) : `${now}: ${message}` }
}

/** How the message of a problem with all of an input begins. */
const WHOLE_INPUT = /^the [a-z-]+(?= is )/

/** A value as a message may quote it: JSON, shortened to 80 characters, never throwing. */
export function quote(value: unknown): string {
  const text = typeof value === 'bigint' ? `${value}n` : value === undefined ? 'nothing' : safeJson(value)
  return shorten(text, 80)
}

function safeJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 90 ? value.slice(0, 90) : value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  return value === null || typeof value !== 'object' ? String(value) : 'an object'
}
