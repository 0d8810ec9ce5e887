import { type Code, codes, type Problem, problemAt, quote } from '@gantt/scheduler-core'
import { type CallCode, callCodes } from './codes.ts'

/** Expected ends that are not what the caller hoped for: data, never exceptions. */
export type FailureCode =
  | 'INVALID'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'STALE'
  | 'IDEMPOTENCY_CONFLICT'
  | 'NO_VALID_HOST'
  | 'CLAIM_LOST'
  | 'INSTANCE_TAKEN'
  | 'QUOTA'
  | 'REPLICA_BEHIND'
  | 'FORBIDDEN'
  | 'PRECONDITION'

export interface Failure {
  readonly code: FailureCode
  readonly message: string
  /** Keys and indexes from the root of the arguments to what is at fault. */
  readonly path: readonly string[] | null
}

/** One thing that is wrong with a call. */
export interface Issue extends Omit<Problem, 'code'> {
  readonly code: Code | CallCode
}

export interface Invalid extends Failure {
  readonly type: 'invalid'
  readonly issues: readonly Issue[]
  /** How many there are; more than `issues` has where they are many. */
  readonly issueCount: number
}

export interface NotFound extends Failure {
  readonly type: 'not-found'
  readonly noun: string
  readonly key: string
}

/** Issues that an answer lists at most: a long list of wrong values is answered in as few bytes as a short one. */
const MOST_ISSUES = 100

/** The problems of a call as one answer; the message says the first and how many more there are. */
export function invalid(issues: readonly Issue[], code: FailureCode = 'INVALID'): Invalid {
  const [first] = issues
  const issueCount = issues.length
  const message = `${first?.message ?? 'The input is not valid.'}${issueCount > 1 ? ` (and ${issueCount - 1} more)` : ''}`
  return { type: 'invalid', code, message, path: first?.path ?? null, issues: issues.slice(0, MOST_ISSUES), issueCount }
}

export function notFound(noun: string, key: string, path: readonly string[] | null = null): NotFound {
  const shown = quote(key)
  return { type: 'not-found', code: 'NOT_FOUND', message: `There is no ${noun} ${shown}.`, path, noun, key: shown.replace(/^"|"$/g, '') }
}

/** A problem with the value at a path; `rule` is the rest of a sentence that begins with "it must". */
export const issue = (path: readonly string[], found: unknown, rule: string, code: Code | CallCode = 'call.invalid'): Issue => ({
  code,
  path,
  message: `${path.join('.')} is ${found === undefined ? 'missing' : quote(found)}; it must ${rule}`,
  expected: rule.replace(/^be /, ''),
  actual: quote(found),
})

/** Core's problems under the path at which the caller gave the document. */
export const under = (path: readonly string[], problems: readonly Problem[]): Issue[] =>
  problems.map((problem) => problemAt(problem, [...path, ...problem.path]))

/** The catalogue's sentence for a code. */
export const sentenceOf = (code: Code | CallCode): string => ({ ...codes, ...callCodes })[code]

/** A call that cannot be answered at all: what was given is not of the right form, or names what is not there. */
export class InputFault extends Error {
  override readonly name = 'InputFault'
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[]) {
    super(issues[0]?.message ?? 'the input is not valid')
    this.issues = issues.slice(0, MOST_ISSUES)
  }

  /** One argument that is wrong; `allowed` ends a sentence that begins with "it must be". */
  static at(path: readonly string[], found: unknown, allowed: string): InputFault {
    return new InputFault([issue(path, found, `be ${allowed}`)])
  }
}
