import { FaultError, graphql, mayHaveHappened as mayBeDone, ProtocolError, UnreachableError } from '@gantt/client'
import { GANTT } from '../output/called.ts'

/** Exit codes, for scripts. */
export const EXIT = { done: 0, refused: 1, usage: 2, unreachable: 3 } as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The error of a command that cannot do what was requested. The message is for people, the exit code for scripts. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** The failure for an object that does not exist. Its exit code is 2, because 1 means that the service refused the request. */
export const notFound = (message: string): CommandFailure => new CommandFailure(EXIT.usage, message)

/** Converts an error that the caller can correct to a CommandFailure. Any other error is a defect and is passed on unchanged. */
export function toFailure(error: unknown, { url, keyFrom }: { readonly url: string; readonly keyFrom: string }): unknown {
  const as = (exitCode: ExitCode, message: string): CommandFailure => new CommandFailure(exitCode, message, { cause: error })
  if (error instanceof UnreachableError)
    return as(EXIT.unreachable, `the service cannot be reached: ${error.message.trim()}. Is it running? "${GANTT} serve" starts one.`)
  if (error instanceof ProtocolError) return as(EXIT.unreachable, `${error.message}. Does the address ${url} lead to the service?`)
  if (!(error instanceof FaultError)) return error
  if (error.code === 'UNAUTHENTICATED') return as(EXIT.usage, `the service does not know the key (from ${keyFrom})`)
  if (error.code === 'FORBIDDEN') return as(EXIT.refused, `the key (from ${keyFrom}) may not do this: ${error.message}`)
  if (error.code === 'UNAVAILABLE') return as(EXIT.unreachable, error.message)
  if (error.code === 'GRAPHQL_VALIDATION_FAILED') return as(EXIT.usage, error.faults.map(wholeFault).join('; '))
  return as(EXIT.refused, error.message)
}

/** The message of the error, and a line for each further problem of the input. */
const wholeFault = ({ message, extensions }: FaultError['faults'][number]): string =>
  [message, ...(extensions?.issues ?? []).slice(1).map(({ path, message: what }) => `  ${path.join('.')}: ${what}`)].join('\n')

/** True if the failed call may have taken effect, for example because only its answer was lost. */
export const mayHaveHappened = (failure: unknown): boolean =>
  failure instanceof CommandFailure && failure.cause !== undefined && mayBeDone(failure.cause)

/** A result by which the service refuses a call, such as a ValidationError. */
export interface Refusal {
  readonly __typename: string
  readonly message?: string
  readonly issues?: readonly { readonly path: readonly string[]; readonly message: string }[]
}

/** The GraphQL fields of a refusal that `toRefusal` reads. */
export const REFUSAL = graphql(`fragment Refusal on UserError { message ... on ValidationError { issues { path message } } }`)

/** Converts a refusal to a CommandFailure with the service's message and every problem of the input. */
export function toRefusal({ __typename, message = __typename, issues = [] }: Refusal): CommandFailure {
  // If a problem has the same text as the message, the text is shown only once.
  const lines = issues.flatMap(({ path, message: what }) => (what === message ? [] : [`  ${path.join('.')}: ${what}`]))
  const isWrongCall = __typename === 'ValidationError' || __typename === 'NotFound'
  return new CommandFailure(isWrongCall ? EXIT.usage : EXIT.refused, [message, ...lines].join('\n'))
}
