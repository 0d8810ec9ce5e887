import type { Code, Problem } from '@gantt/scheduler-core'

/** Thrown if a plug-in cannot be used as it is configured. The service does not start. */
export class PluginError extends Error {
  override readonly name = 'PluginError'
  readonly code: Code

  /** `what` is a sentence without its full stop: the subject, the found and the allowed values. */
  constructor(code: Code, what: string, options?: ErrorOptions) {
    super(`${what} (${code}).`, options)
    this.code = code
  }
}

/** One error with all problems of a plug-in; `of` names the plug-in. */
export function problemsOf(of: string, problems: readonly Problem[]): PluginError {
  const [first] = problems
  if (first === undefined) throw new Error('problemsOf needs at least one problem')
  return new PluginError(first.code, `${of} cannot be used: ${problems.map(({ message }) => message).join('; ')}`)
}
