import type { MsgHdrs } from '@nats-io/transport-node'
import { StoreUnavailableError } from '../synchronizer.ts'
import type { Connection } from './connection.ts'

/** JetStream's error codes of refused messages. */
const FULL = 10_077
const WRONG_LAST_SEQUENCE = 10_071

/** Thrown if the stream has reached its maximum size. */
export class StreamFullError extends StoreUnavailableError {
  constructor(stream: string) {
    super(`the stream ${stream} is full`)
  }
}

/**
 * Thrown if the last message of the stream is not the expected one. This check is only a hint, because clusters were seen to accept
 * messages that this check should have refused.
 */
export class CameSecondError extends StoreUnavailableError {}

/**
 * Publishes a message and returns its sequence in the stream. Throws StoreUnavailableError if the outcome is unknown: the message may be in
 * the stream, or arrive later.
 */
export async function publish(
  connection: Pick<Connection, 'request'>,
  stream: string,
  subject: string,
  body: Uint8Array,
  headers?: MsgHdrs,
): Promise<number> {
  return sequenceIn((await connection.request(subject, body, headers)).string(), stream, subject)
}

/** The sequence in an acknowledgement of this stream. Throws if another stream with the same subject acknowledged the message. */
export function sequenceIn(text: string, stream: string, subject: string): number {
  const answer = parse(text)
  const { error, seq } = answer
  if (error?.err_code === FULL) throw new StreamFullError(stream)
  if (error?.err_code === WRONG_LAST_SEQUENCE) throw new CameSecondError(`another message came first on ${subject}`)
  if (error !== undefined || seq === undefined)
    throw new StoreUnavailableError(`the stream ${stream} refused the message: ${error?.description ?? 'its answer names no sequence'}`)
  if (answer.stream !== stream)
    throw new StoreUnavailableError(`${subject} is the subject of the stream ${stream}, but the stream ${answer.stream} stored the message`)
  return seq
}

interface Acknowledgement {
  readonly stream?: string
  readonly seq?: number
  readonly error?: { readonly err_code?: number; readonly description?: string }
}

/** Parses an acknowledgement without trusting it, because any client can answer on the subject. */
function parse(text: string): Acknowledgement {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
