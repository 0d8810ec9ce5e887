import type { z } from 'zod'
import type { Code } from '../codes.ts'
import { type Parsed, type Problem, quote } from '../problem.ts'
import type { RequestSpec } from './request-spec.ts'
import { requestSpecV1 } from './versions/v1-0.ts'

/** Unknown input to a RequestSpec of the current version, or every problem at once. Never throws. */
export function parseRequestSpec(input: unknown): Parsed<RequestSpec> {
  const version = input !== null && typeof input === 'object' && 'version' in input ? (input as { version: unknown }).version : '1.0'
  if (version !== '1.0')
    return {
      ok: false,
      problems: [
        {
          code: 'spec.unknown_version',
          path: ['version'],
          message: `version is ${quote(version)}; it must be 1.0`,
          expected: '1.0',
          actual: quote(version),
        },
      ],
    }
  return parseWith(requestSpecV1, input, 'spec')
}

/** Runs a zod schema over unknown input and words its issues as problems: `<family>.unknown_field`, `<family>.invalid`. */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  family: 'spec' | 'stats' | 'profile',
): Parsed<z.output<Schema>> {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) return { ok: true, value: result.data }
  return { ok: false, problems: result.error.issues.flatMap((issue) => toProblems(issue, input, family)) }
}

function toProblems(issue: z.core.$ZodIssue, root: unknown, family: 'spec' | 'stats' | 'profile'): Problem[] {
  const path = issue.path.map(String)
  const unknownField: Code = `${family}.unknown_field`
  const invalid: Code = `${family}.invalid`
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, 20).map((key) => ({
      code: unknownField,
      path: [...path, key.slice(0, 80)],
      message: `${[...path, key.slice(0, 80)].join('.')} is not a field of this version`,
      expected: 'no such field',
      actual: quote(key),
    }))
  const found = issue.input === undefined ? lookUp(root, issue.path) : issue.input
  const rule = expectation(issue)
  return [
    {
      code: invalid,
      path,
      message: `${path.join('.') || 'the input'} is ${quote(found)}; it must ${rule}`,
      expected: rule.replace(/^be /, ''),
      actual: quote(found),
    },
  ]
}

/** What the value must do, as the rest of a sentence that begins with "it must". */
function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? 'be a whole number of at most 9007199254740991' : `be ${article(issue.expected)} ${issue.expected}`
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array' ? `be at least ${issue.minimum} long` : `be ${issue.minimum} or more`
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array' ? `be at most ${issue.maximum} long` : `be ${issue.maximum} or less`
    case 'invalid_value':
      return `be one of ${issue.values.map(String).join(', ')}`
    case 'invalid_format':
      return issue.format === 'uuid' ? 'be a UUID' : issue.message.replace(/^must /, '')
    default:
      return issue.message.replace(/^must /, '')
  }
}

const article = (noun: string) => (/^[aeio]/.test(noun) ? 'an' : 'a')

function lookUp(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root
  for (const key of path) {
    if (value === null || typeof value !== 'object') return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}
