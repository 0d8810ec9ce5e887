import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { GraphQLError } from 'graphql'
import { turns } from '../../../event-loop/pauses.ts'
import { CallerGoneError } from '../../../event-loop/query.ts'
import { fault } from '../../../schema/types/faults.ts'
import { realTimers, type Timers } from '../../../timers.ts'
import { limits, overLimit } from '../../limits.ts'
import { valuesInJson } from './json-values.ts'

/** What is read of a request: its headers, and its body as a stream. */
export type ReadRequest = Readable & Pick<IncomingMessage, 'headers'>

/** The body of one call, and the variables in it. */
export interface Body {
  /** Adds bytes of memory that the body uses. If the bodies together become too large, throws an error, and the body uses no memory. */
  add(bytes: number): void
  /** Records that the call was answered or refused. From then on its body uses no memory. */
  end(): void
}

/** The bodies and variables of the calls that a replica is receiving and answering. */
export interface Bodies {
  /** How many bytes all bodies have together. */
  readonly bytes: number
  /** How many bytes the bodies of the calls of one key have together. */
  bytesOf(keyId: string): number
  /** Begins the body of a call of this key. */
  begin(keyId: string): Body
}

export interface BodyLimits {
  readonly bodiesBytes: number
  readonly keyBodiesBytes: number
}

export function createBodies({ bodiesBytes, keyBodiesBytes }: BodyLimits = limits): Bodies {
  let all = 0
  const byKey = new Map<string, number>()
  const bytesOf = (keyId: string): number => byKey.get(keyId) ?? 0
  const change = (keyId: string, bytes: number): void => {
    all += bytes
    const left = bytesOf(keyId) + bytes
    if (left === 0) byKey.delete(keyId)
    else byKey.set(keyId, left)
  }
  return {
    get bytes() {
      return all
    },
    bytesOf,
    begin(keyId) {
      let own = 0
      let isEnded = false
      const end = (): void => {
        isEnded = true
        change(keyId, -own)
        own = 0
      }
      return {
        add(bytes) {
          if (isEnded) throw new CallerGoneError()
          const [ofKey, ofAll] = [bytesOf(keyId) + bytes, all + bytes]
          if (ofKey <= keyBodiesBytes && ofAll <= bodiesBytes) {
            own += bytes
            change(keyId, bytes)
            return
          }
          end()
          throw ofKey > keyBodiesBytes ? tooManyOfKey(ofKey, keyBodiesBytes) : tooMany(ofAll, bodiesBytes)
        },
        end,
      }
    },
  }
}

const tooMany = (found: number, most: number): GraphQLError =>
  fault(
    'UNAVAILABLE',
    `The bodies and variables of the calls that this replica receives and answers use ${found} bytes together; at most ${most} are allowed. Send the call again later, or to another replica.`,
    { rule: 'limit.bodies', found: `${found} bytes`, allowed: `at most ${most} bytes`, retryAfterMs: 1_000 },
  )

const tooManyOfKey = (found: number, most: number): GraphQLError =>
  fault(
    'UNAVAILABLE',
    `The bodies and variables of the calls with this key that the replica receives and answers use ${found} bytes together; at most ${most} are allowed. Send the call again when some of them are answered, or send fewer calls at the same time.`,
    { rule: 'limit.key_bodies', found: `${found} bytes`, allowed: `at most ${most} bytes`, retryAfterMs: 1_000 },
  )

const tooLarge = (): GraphQLError =>
  fault('GRAPHQL_VALIDATION_FAILED', `The body is larger than ${limits.bodyBytes} bytes. Send its contents in several calls.`, {
    rule: 'limit.body',
    allowed: `at most ${limits.bodyBytes} bytes`,
    status: 413,
  })

const tooSlow = (received: number): GraphQLError =>
  fault(
    'UNAVAILABLE',
    `The body stopped after ${received} bytes: nothing more of it arrived within ${limits.bodyPauseMs} ms, and nothing was done. Send the call again without pauses.`,
    {
      rule: 'limit.body_pause',
      found: `no byte within ${limits.bodyPauseMs} ms`,
      allowed: `at most ${limits.bodyPauseMs} ms between two parts of a body`,
      status: 408,
    },
  )

/**
 * Reads the text of a body and counts the memory for it in `body` before the memory is used. The parts are copied into one buffer that
 * grows, because each of a million parts of one byte would use a hundred bytes. Throws an error if the body is too large, if the bodies of
 * all calls are too large together, or if no further part arrives in time. Nothing is read after that.
 */
export function readBody(request: ReadRequest, body: Body, timers: Pick<Timers, 'after'> = realTimers): Promise<string> {
  const named = Number(request.headers['content-length'] ?? 0)
  if (named > limits.bodyBytes) return Promise.reject(tooLarge())
  const mostBytes = named > 0 ? named : limits.bodyBytes
  let held = Buffer.alloc(0)
  let length = 0
  const take = (part: Buffer): void => {
    const needed = length + part.length
    if (needed > limits.bodyBytes) throw tooLarge()
    if (needed > held.length) {
      const size = Math.max(needed, Math.min(2 * held.length, mostBytes))
      body.add(size - held.length)
      const larger = Buffer.allocUnsafeSlow(size)
      held.copy(larger, 0, 0, length)
      held = larger
    }
    part.copy(held, length)
    length = needed
  }
  return new Promise((resolve, reject) => {
    const end = (): void => {
      stopTimer()
      request.off('data', onPart).off('end', onEnd).off('error', onGone).off('close', onGone)
    }
    const refuse = (why: unknown): void => {
      end()
      body.end()
      reject(why)
    }
    const onPart = (part: Buffer): void => {
      stopTimer()
      stopTimer = startTimer()
      try {
        take(part)
      } catch (error) {
        refuse(error)
      }
    }
    const onEnd = (): void => {
      end()
      resolve(textOf(held.subarray(0, length)))
    }
    const onGone = (): void => refuse(new CallerGoneError())
    const startTimer = (): (() => void) => timers.after(limits.bodyPauseMs, () => refuse(tooSlow(length)))
    let stopTimer = startTimer()
    request.on('data', onPart).once('end', onEnd).once('error', onGone).once('close', onGone)
  })
}

/** Bodies with more bytes than this take their turn before they are decoded and parsed. */
export const LARGE_BYTES = 64 * 1024

/**
 * The values that a call has besides the values within its variables: query, documentId, operationName, variables and extensions. In a list
 * of operations, the members of all further operations count as values too.
 */
const OTHER_MEMBERS = 5

/** The text of a body. A large body is counted, decoded and parsed in turns of the event loop of their own if one turn is too short. */
async function textOf(bytes: Uint8Array): Promise<string> {
  if (bytes.length > LARGE_BYTES) {
    await turns.admit()
    checkValues(bytes)
    await turns.admit()
  }
  return new TextDecoder('utf-8').decode(bytes)
}

/** Refuses a body with too many values before it is parsed, because parsing cannot yield. */
function checkValues(bytes: Uint8Array): void {
  const most = limits.values + OTHER_MEMBERS
  // a value and its comma have at least two bytes
  if (bytes.length > 2 * most && valuesInJson(bytes, most) > most)
    throw overLimit(
      'values',
      `more than ${limits.values}`,
      limits.values,
      `The body has more than ${limits.values} values, including those within lists and objects; at most ${limits.values} are allowed in the variables. Send them in several calls.`,
    )
}
