import { FaultError, mayHaveHappened as mayBeDone, ProtocolError, UnreachableError } from '@gantt/client'
import { GANTT } from './called.ts'

/** What a command ends with, for scripts. */
export const EXIT = { done: 0, refused: 1, usage: 2, unreachable: 3 } as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** A command cannot do what it was asked; the message is for people, the code for scripts. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** What a command names is not there: a wrong call, so that 1 stays the answer of what is. */
export const notThere = (message: string): CommandFailure => new CommandFailure(EXIT.usage, message)

/** What can be cured by the caller becomes a CommandFailure; anything else is a defect and stays what it is. */
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

/** The message, and below it whatever else is wrong with the input. */
const wholeFault = ({ message, extensions }: FaultError['faults'][number]): string =>
  [message, ...(extensions?.issues ?? []).slice(1).map(({ path, message: what }) => `  ${path.join('.')}: ${what}`)].join('\n')

/** Whether what was asked may have happened all the same: the service was there, and its answer is not. */
export const mayHaveHappened = (failure: unknown): boolean =>
  failure instanceof CommandFailure && failure.cause !== undefined && mayBeDone(failure.cause)

/** An expected end of a call that is not the one hoped for. */
export interface Refusal {
  readonly __typename: string
  readonly message?: string
  readonly issues?: readonly { readonly path: readonly string[]; readonly message: string }[]
}

/** Selects what `toRefusal` tells of an end that is not the one hoped for. */
export const REFUSAL = `... on ValidationError { issues { path message } } ... on UserError { message }`

/** The service's own words, with everything that is wrong with the input. */
export function toRefusal({ __typename, message = __typename, issues = [] }: Refusal): CommandFailure {
  // the message of a single problem is that problem's own
  const lines = issues.flatMap(({ path, message: what }) => (what === message ? [] : [`  ${path.join('.')}: ${what}`]))
  const isWrongCall = __typename === 'ValidationError' || __typename === 'NotFound'
  return new CommandFailure(isWrongCall ? EXIT.usage : EXIT.refused, [message, ...lines].join('\n'))
}
