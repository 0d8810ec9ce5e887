import type { z } from 'zod'
import type { Code } from '../text/codes.ts'
import { type Parsed, type Problem, quote } from '../text/problem.ts'
import { limits } from './limits.ts'
import type { RequestSpec } from './request-spec.ts'
import { findOddities } from './unstorable.ts'
import { CURRENT_SPEC_VERSION, currentSpec, isSpecVersion, specSchemas, specVersions } from './versions.ts'
import { findWideObject } from './wide-object.ts'

type Family = 'spec' | 'stats' | 'profile' | 'overlay' | 'plugin'

/** At most this many problems are reported for one input. */
const MAX_PROBLEMS = 100

/**
 * A request with an object that has more keys is not parsed, because each key can be a problem. No object of a valid request has more than
 * `limits.entries` keys, except in a document of Nova.
 */
const MAX_KEYS = 1_000

/** Parses a request of any published version into the current version, or returns all problems at once. Never throws. */
export function parseRequestSpec(input: unknown): Parsed<RequestSpec> {
  const wide = findWideObject(input, MAX_KEYS)
  if (wide !== undefined) return { ok: false, problems: [invalid('spec', wide.path, wide.value, `hold at most ${limits.entries} keys`)] }
  const version = versionOf(input) ?? CURRENT_SPEC_VERSION
  if (!isSpecVersion(version)) return { ok: false, problems: [unknownVersion('spec', version, specVersions)] }
  const parsed = parseWith(specSchemas[version], input, 'spec')
  return parsed.ok ? { ok: true, value: currentSpec(parsed.value) } : parsed
}

/** The value of the input's field `version`. Undefined if there is none. */
export const versionOf = (input: unknown): unknown =>
  input !== null && typeof input === 'object' && 'version' in input ? (input.version ?? undefined) : undefined

/** The problem of an input whose version was never published. */
export function unknownVersion(family: 'spec' | 'stats', version: unknown, published: readonly string[]): Problem {
  const expected = `${published.length > 1 ? 'one of ' : ''}${published.join(', ')}`
  const actual = quote(version)
  return {
    code: `${family}.unknown_version`,
    path: ['version'],
    message: `version is ${actual}; it must be ${expected}`,
    expected,
    actual,
  }
}

/** Parses unknown input by a zod schema. Zod's issues become problems with the codes `<family>.unknown_field` and `<family>.invalid`. */
export function parseWith<Schema extends z.ZodType>(schema: Schema, input: unknown, family: Family): Parsed<z.output<Schema>> {
  const problems = findOddities(input, MAX_PROBLEMS).map(({ kind, path, expected, found }) =>
    kind === 'key' ? unknownField(family, path, found) : invalid(family, path, found, expected),
  )
  // An input with a cycle is nested too deep. It must not be parsed, because a recursive schema would not terminate.
  if (problems.some(({ expected }) => expected.startsWith('nested'))) return { ok: false, problems }
  const result = schema.safeParse(input)
  if (result.success && problems.length === 0) return { ok: true, value: result.data }
  const issues = result.error?.issues ?? []
  for (const issue of issues) {
    if (problems.length >= MAX_PROBLEMS) break
    if (isConsequence(issue, issues, input)) continue
    problems.push(...toProblems(issue, input, family))
  }
  return { ok: false, problems: withoutEchoes(problems).slice(0, MAX_PROBLEMS) }
}

/** `parseWith` for values that are not stored, such as plug-ins. Such values can contain functions and class instances. */
export function parseAs<Schema extends z.ZodType>(schema: Schema, input: unknown, family: Family): Parsed<z.output<Schema>> {
  const result = schema.safeParse(input)
  if (result.success) return { ok: true, value: result.data }
  const problems = result.error.issues.flatMap((issue) => toProblems(issue, input, family))
  return { ok: false, problems: withoutEchoes(problems).slice(0, MAX_PROBLEMS) }
}

/** Parses the options of a filter, weigher or other part. Throws RangeError with all problems for invalid options. */
export function checkOptions<Schema extends z.ZodType>(schema: Schema, options: unknown): z.output<Schema> {
  const result = schema.safeParse(options)
  if (result.success) return result.data
  const parsed = parseWith(schema, options, 'profile')
  if (!parsed.ok) throw new RangeError(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}

/** True if a rule between several fields fails only because one of these fields is invalid. Such an issue is not reported. */
function isConsequence(issue: z.core.$ZodIssue, issues: readonly z.core.$ZodIssue[], root: unknown): boolean {
  const { code, path } = issue
  if (code !== 'custom' || path.length === 0 || lookUp(root, path) !== undefined) return false
  const isSibling = (other: readonly PropertyKey[]) => other.length === path.length && path.slice(0, -1).every((key, i) => other[i] === key)
  return issues.some((other) => other !== issue && other.code !== 'custom' && isSibling(other.path))
}

function toProblems(issue: z.core.$ZodIssue, root: unknown, family: Family): Problem[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') return issue.keys.slice(0, MAX_PROBLEMS).map((key) => unknownField(family, [...path, key], key))
  if (issue.code === 'invalid_key') {
    const rule = issue.issues[0]
    return [invalid(family, path, path.at(-1), rule === undefined ? 'be another key' : expectation(rule, path.at(-1)), 'the key ')]
  }
  const found = lookUp(root, issue.path)
  return [invalid(family, path, found, expectation(issue, found))]
}

function unknownField(family: Family, path: readonly string[], key: unknown): Problem {
  const shown = path.map(shorten)
  return {
    code: `${family}.unknown_field`,
    path: shown,
    message: `${shown.join('.')} is not a field of this version`,
    expected: 'no such field',
    actual: quote(key),
  }
}

/** The problem of an invalid value. `rule` completes a sentence that begins with "it must". */
function invalid(family: Family, path: readonly string[], found: unknown, rule: string, noun = ''): Problem {
  const code: Code = `${family}.invalid`
  const shown = path.map(shorten)
  const actual = quote(found)
  return {
    code,
    path: shown,
    message: `${noun}${shown.join('.') || roots[family]} is ${found === undefined ? 'missing' : actual}; it must ${rule}`,
    expected: rule.replace(/^be /, ''),
    actual,
  }
}

const roots: Readonly<Record<Family, string>> = {
  spec: 'the request',
  stats: 'the report',
  profile: 'the profile',
  overlay: 'the overlay',
  plugin: 'the plug-in',
}

const shorten = (key: string): string => (key.length > 80 ? `${key.slice(0, 77)}...` : key)

/** Describes the expected value. The text completes a sentence that begins with "it must". */
function expectation(issue: z.core.$ZodIssue, found: unknown): string {
  // If the schema defines its own message, this message is used.
  if (issue.message.startsWith('must ')) return issue.message.slice('must '.length)
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'number' && (found === Number.POSITIVE_INFINITY || found === Number.NEGATIVE_INFINITY)
        ? 'be a finite number'
        : `be ${types[issue.expected] ?? issue.expected}`
    case 'too_small':
      return limit(issue.origin, 'at least', Number(issue.minimum)) ?? `be ${issue.minimum} or more`
    case 'too_big':
      return limit(issue.origin, 'at most', Number(issue.maximum)) ?? `be ${issue.maximum} or less`
    case 'invalid_value':
      return `be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'invalid_format':
      return issue.format === 'uuid' ? 'be a UUID' : `be in the format ${issue.format}`
    case 'invalid_union':
      return 'be a JSON value'
    default:
      return 'be of another form'
  }
}

/** The names of zod's types as readers of JSON know them. */
const types: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
}

function limit(origin: string, how: 'at least' | 'at most', count: number): string | undefined {
  if (origin === 'string') return `be ${how} ${count} ${count === 1 ? 'character' : 'characters'} long`
  if (origin === 'array') return `hold ${how} ${count} ${count === 1 ? 'entry' : 'entries'}`
  return undefined
}

/** Removes repeated problems, and "9007199254740991 or less" if a stricter limit is reported for the same path. */
function withoutEchoes(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>()
  const bounded = new Set(problems.filter((problem) => isBound(problem) && !isWidest(problem)).map(({ path }) => path.join('\u0000')))
  return problems.filter((problem) => {
    const { code, path, expected } = problem
    const key = path.join('\u0000')
    const id = `${code}\u0000${key}\u0000${expected}`
    if (seen.has(id) || (isWidest(problem) && bounded.has(key))) return false
    seen.add(id)
    return true
  })
}

const isBound = ({ expected }: Problem): boolean => / or (less|more)/.test(expected)
const isWidest = ({ expected }: Problem): boolean => /^-?9007199254740991 or /.test(expected)

function lookUp(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root
  for (const key of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}
