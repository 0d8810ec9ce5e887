import type { Code, Problem } from '@gantt/scheduler-core'

/** A plug-in that cannot be used as it is configured: the service does not start with it. */
export class PluginError extends Error {
  override readonly name = 'PluginError'
  readonly code: Code

  /** `what`: the thing, what was found and what is allowed, as a sentence without its end. */
  constructor(code: Code, what: string, options?: ErrorOptions) {
    super(`${what} (${code}).`, options)
    this.code = code
  }
}

/** One error of all that is wrong with a plug-in; `of`: which one. */
export function problemsOf(of: string, problems: readonly Problem[]): PluginError {
  const [first] = problems
  if (first === undefined) throw new Error('a refusal without a problem')
  return new PluginError(first.code, `${of} cannot be used: ${problems.map(({ message }) => message).join('; ')}`)
}
