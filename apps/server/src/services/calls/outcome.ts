import { type Code, codes, type Problem, problemAt, quote } from '@gantt/scheduler-core'
import { type CallCode, callCodes } from './codes.ts'

/** Expected failures of a call, which are returned as data and never thrown. */
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
  /** The path of the wrong argument: keys and indexes from the root of the arguments. */
  readonly path: readonly string[] | null
}

/** One error of a call. */
export interface Issue extends Omit<Problem, 'code'> {
  readonly code: Code | CallCode
}

export interface Invalid extends Failure {
  readonly type: 'invalid'
  readonly issues: readonly Issue[]
  /** The count of all issues, including those that `issues` omits. */
  readonly issueCount: number
}

export interface NotFound extends Failure {
  readonly type: 'not-found'
  readonly noun: string
  readonly key: string
}

/** An answer lists at most this many issues. Otherwise a long list of wrong values would cause a long answer. */
export const MAX_ISSUES = 100

/** Collects the problems of a long list. All problems are counted, but objects are created only for those that an answer lists. */
export class ManyIssues {
  readonly listed: Issue[] = []
  count = 0

  add(toIssue: () => Issue): void {
    this.count++
    if (this.listed.length < MAX_ISSUES) this.listed.push(toIssue())
  }

  addAll(issues: readonly Issue[]): void {
    for (const one of issues) this.add(() => one)
  }
}

/**
 * One answer for several errors of a call. The message has the first error and the count of further errors. `issueCount` is the count of
 * all errors if not all are listed.
 */
export function invalid(issues: readonly Issue[], code: FailureCode = 'INVALID', issueCount = issues.length): Invalid {
  const [first] = issues
  const message = `${first?.message ?? 'The input is not valid.'}${issueCount > 1 ? ` (and ${issueCount - 1} more)` : ''}`
  return { type: 'invalid', code, message, path: first?.path ?? null, issues: issues.slice(0, MAX_ISSUES), issueCount }
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

/** Problems that the core found in a document. Their paths are prefixed with the path of the document in the caller's input. */
export const under = (path: readonly string[], problems: readonly Problem[]): Issue[] =>
  problems.map((problem) => problemAt(problem, [...path, ...problem.path]))

/** The sentence for a code in the catalogue of codes. */
export const sentenceOf = (code: Code | CallCode): string => ({ ...codes, ...callCodes })[code]

/** A call that cannot be answered: an argument has the wrong form, or names something that does not exist. */
export class InputFault extends Error {
  override readonly name = 'InputFault'
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[]) {
    super(issues[0]?.message ?? 'the input is not valid')
    this.issues = issues.slice(0, MAX_ISSUES)
  }

  /** A wrong argument; `allowed` ends a sentence that begins with "it must be". */
  static at(path: readonly string[], found: unknown, allowed: string): InputFault {
    return new InputFault([issue(path, found, `be ${allowed}`)])
  }
}
