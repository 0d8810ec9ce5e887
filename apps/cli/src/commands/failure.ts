import { FaultError, ProtocolError, UnreachableError } from '@gantt/client'
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

/** What can be cured by the caller becomes a CommandFailure; anything else is a defect and stays what it is. */
export function toFailure(error: unknown, { url, keyFrom }: { readonly url: string; readonly keyFrom: string }): unknown {
  if (error instanceof UnreachableError) {
    const message = `the service cannot be reached: ${error.message.trim()}. Is it running? "${GANTT} serve" starts one.`
    return new CommandFailure(EXIT.unreachable, message, { cause: error })
  }
  if (error instanceof ProtocolError)
    return new CommandFailure(EXIT.unreachable, `${error.message}. Does the address ${url} lead to the service?`)
  if (!(error instanceof FaultError)) return error
  if (error.code === 'UNAUTHENTICATED') return new CommandFailure(EXIT.usage, `the service does not know the key (from ${keyFrom})`)
  if (error.code === 'FORBIDDEN') return new CommandFailure(EXIT.refused, `the key (from ${keyFrom}) may not do this: ${error.message}`)
  if (error.code === 'UNAVAILABLE') return new CommandFailure(EXIT.unreachable, error.message)
  if (error.code === 'GRAPHQL_VALIDATION_FAILED') return new CommandFailure(EXIT.usage, error.faults.map(wholeFault).join('; '))
  return new CommandFailure(EXIT.refused, error.message)
}

/** The message, and below it whatever else is wrong with the input. */
const wholeFault = ({ message, extensions }: FaultError['faults'][number]): string =>
  [message, ...(extensions?.issues ?? []).slice(1).map(({ path, message: what }) => `  ${path.join('.')}: ${what}`)].join('\n')

/** Codes of connections that never came about. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Whether what was asked may have happened all the same: the service was there, and its answer is not. */
export function mayHaveHappened(failure: unknown): boolean {
  if (!(failure instanceof CommandFailure) || failure.exitCode !== EXIT.unreachable) return false
  for (let cause = failure.cause; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && NOT_CONNECTED.has(String(cause.code))) return false
  return true
}

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
  return new CommandFailure(__typename === 'ValidationError' ? EXIT.usage : EXIT.refused, [message, ...lines].join('\n'))
}
