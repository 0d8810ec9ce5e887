import { NatsNotReadyError } from '@gantt/server'
import { CommandFailure, EXIT } from '../../call/failure.ts'
import { PartEndedError } from './parts.ts'

/** A signal has ended a command before the whole cluster ran. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
}

/** The errors without a code that the user can correct. Errors of the system, of PostgreSQL and of the embedded server have a code. */
const KNOWN = [PartEndedError, StoppedError, NatsNotReadyError]

/** Converts an error that the user can correct to a CommandFailure. Any other error is a defect and is rethrown. */
export async function asCommandFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof CommandFailure || !isKnown(error)) throw error
    throw new CommandFailure(EXIT.refused, error.message, { cause: error })
  }
}

const isKnown = (error: unknown): error is Error =>
  error instanceof Error && ('code' in error || KNOWN.some((known) => error instanceof known))
