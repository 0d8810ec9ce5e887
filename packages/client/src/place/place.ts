import { type Clock, systemClock } from '../clock.ts'
import type { Claim, ClaimResult, Destination, Placed, SelectDestinationsInput, SelectDestinationsResult } from '../documents/placement.ts'
import { millisecondsOf, toDuration } from '../duration.ts'
import { type Refusal, UnknownOutcomeError } from '../errors.ts'
import { type Placements, settleUnknown, type WithKey } from '../placement.ts'
import type { CallOptions } from '../retry.ts'
import { createLease, type Lease } from './lease.ts'

/**
 * The input of `place`: a request for one instance. `place` first reserves the resources, and confirms the claim when the instance runs.
 */
export type PlaceInput = Omit<WithKey<SelectDestinationsInput>, 'claim'>

export interface PlaceOptions extends CallOptions {
  /**
   * How long the resources are reserved, as an ISO 8601 duration. The service sets the default. While the instance starts, the client
   * extends the reservation each time a third of this duration has passed, and again soon if that fails.
   */
  readonly ttl?: string
}

/** The host on which to start the instance, and the claim that reserves resources for it on this host. */
export interface Chosen {
  readonly host: Destination['host']
  readonly instanceUuid: string | null
  readonly claim: Claim
  /** For each requested resource class, the maximum amount that all instances on the host together may use. */
  readonly limits: Destination['limits']
  /** Aborted if the claim ends before it is confirmed, or if the caller's signal is aborted. The instance must then not run on the host. */
  readonly signal: AbortSignal
}

/**
 * The caller's function that starts the instance on the host. Its promise resolves when the instance runs. If it rejects, the instance must
 * neither run on the host nor start later, because the claim is then released, and the next alternate is tried.
 */
export type Start<Value> = (chosen: Chosen) => Promise<Value>

/**
 * A host on which the instance was not started. `why` is the error with which `start` rejected, or the service's answer about the claim.
 */
export interface Refused {
  readonly host: Destination['host']
  readonly why: unknown
  /**
   * The error of the call that should have released the claim on the host. The reservation then ends when it expires. Absent if the
   * service answered the call, or if there was no claim to release.
   */
  readonly notReleased?: unknown
}

interface Running<Value> {
  readonly host: Destination['host']
  /** The value with which the promise of `start` resolved. */
  readonly value: Value
  readonly refused: readonly Refused[]
}

/** The result if the instance runs and its claim is confirmed. */
export interface Started<Value> extends Running<Value> {
  readonly __typename: 'Started'
  readonly claim: Claim
}

/**
 * The result if the instance runs but its claim is not confirmed, because the claim ended earlier or the service did not answer. The caller
 * must stop the instance, or call `confirm` again.
 */
export interface NotConfirmed<Value> extends Running<Value> {
  readonly __typename: 'NotConfirmed'
  readonly claim: Claim
  /** The service's answer to the confirmation, or the error of the call. */
  readonly why: unknown
}

/** The result if the instance could not be started on any host of the decision. All claims of the instance were released or will expire. */
export interface NotStarted {
  readonly __typename: 'NotStarted'
  readonly refused: readonly Refused[]
}

export type PlaceResult<Value> = Started<Value> | NotConfirmed<Value> | NotStarted | Exclude<SelectDestinationsResult, Placed>

/**
 * Selects a host for one instance, starts the instance there, and confirms the claim. If the start fails on a host, the alternates are
 * tried. Resources whose claim is not confirmed become free when the reservation expires, at the latest. If a call without `ttl` is
 * repeated with the same idempotency key, a reservation can last up to ten minutes.
 */
export type Place = <Value>(input: PlaceInput, start: Start<Value>, options?: PlaceOptions) => Promise<PlaceResult<Value>>

/**
 * Without `ttl`, the TTL of an extension is computed from the creation and expiry times of the claim, and is at most this many
 * milliseconds. The computed TTL is too long if an earlier call with the same key already extended the reservation.
 */
const MAX_EXTENSION_MS = 600_000

export function createPlace(placements: Placements, clock: Clock = systemClock): Place {
  return async <Value>(given: PlaceInput, start: Start<Value>, { ttl, ...options }: PlaceOptions = {}): Promise<PlaceResult<Value>> => {
    const { idempotencyKey = crypto.randomUUID(), ...input } = given
    /**
     * Awaits the answer to a call. If no answer arrives and the caller gave no idempotency key, the generated key is abandoned. If the
     * caller gave a key, the key is not abandoned, so that the caller can repeat the call with it.
     */
    const settle = <Answer extends Refusal>(answer: Promise<Answer>): Promise<Answer> =>
      given.idempotencyKey === undefined ? orAbandon(placements, answer) : answer

    const claim = { mode: 'RESERVE', ...(ttl !== undefined && { ttl }) } as const
    const askedAt = clock.now()
    const answer = await settle(placements.selectDestinations({ ...input, idempotencyKey, claim }, options))
    if (answer.__typename !== 'SelectDestinationsPayload') return answer
    const [first, ...others] = answer.destinations
    if (first === undefined || others.length > 0) {
      await placements.release(answer.destinations.flatMap(({ selected }) => selected.claim ?? []))
      throw new RangeError(
        `the request is for ${answer.destinations.length} instances; place is for one instance, so call selectDestinations`,
      )
    }

    const { instanceUuid, selected, alternates } = first
    const refused: Refused[] = []
    const tryRoom = async (
      room: Destination,
      askedAt: number,
      isRepeated: boolean,
    ): Promise<Started<Value> | NotConfirmed<Value> | undefined> => {
      const { host, limits } = room
      if (room.claim === null || ENDED.has(room.claim.state)) {
        refused.push({ host, why: room.claim })
        return undefined
      }
      const { claim } = room
      const ttlMs = ttl === undefined ? ttlMsOf(claim) : millisecondsOf(ttl)
      const lease = createLease(askedAt, ttlMs, isRepeated)
      const hold = { claim, ttlMs, lease, clock, extend: placements.extend, ...(options.signal && { signal: options.signal }) }
      const outcome = await whileHeld(hold, (signal) => start({ host, instanceUuid, claim, limits, signal }))
      if ('value' in outcome) return { ...(await confirm(placements, claim)), host, value: outcome.value, refused }
      refused.push({ host, why: outcome.why, ...(await giveBack(placements, claim)) })
      options.signal?.throwIfAborted()
      return undefined
    }

    const started = await tryRoom(selected, askedAt, answer.replayed)
    if (started !== undefined) return started
    for (const [i, { host }] of alternates.entries()) {
      const { name, node } = host
      const call = {
        decisionId: answer.decision.id,
        host: { host: name, node },
        instanceUuid,
        ...(ttl !== undefined && { ttl }),
        idempotencyKey: `${idempotencyKey}/${i + 1}`,
      }
      const claimedAt = clock.now()
      const room = await settle(placements.claim(call, options))
      const isPlaced = room.__typename === 'SelectDestinationsPayload'
      const [there] = isPlaced ? room.destinations : []
      if (there === undefined) refused.push({ host, why: room })
      const startedThere = there && (await tryRoom(there.selected, claimedAt, isPlaced && room.replayed))
      if (startedThere !== undefined) return startedThere
    }
    return { __typename: 'NotStarted', refused }
  }
}

/** The TTL of a reservation in milliseconds, computed from the times that the service set. */
function ttlMsOf({ createdAt, expiresAt }: Claim): number {
  const ttlMs = Date.parse(expiresAt ?? createdAt) - Date.parse(createdAt)
  return Math.min(ttlMs, MAX_EXTENSION_MS)
}

/**
 * The states of ended claims. A call that repeats an idempotency key gets the claim of the first call, and this claim can have ended since
 * then.
 */
const ENDED: ReadonlySet<string> = new Set<Claim['state']>(['RELEASED', 'EXPIRED', 'REVOKED'])

async function orAbandon<Answer extends Refusal>(placements: Placements, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) throw error
    return await settleUnknown<Answer>(error, placements.abandon)
  }
}

interface Hold {
  readonly claim: Claim
  readonly ttlMs: number
  readonly lease: Lease
  readonly clock: Clock
  readonly signal?: AbortSignal
  readonly extend: Placements['extend']
}

/**
 * Runs `work`, which can take any time, and extends the reservation until `work` ends. The signal that `work` gets is aborted if the claim
 * ends, or could have ended because no extension was answered.
 */
async function whileHeld<Value>(
  { claim, ttlMs, lease, clock, signal, extend }: Hold,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<{ readonly value: Value } | { readonly why: unknown }> {
  const over = new AbortController()
  const lost = new AbortController()
  const keepOn = async (): Promise<void> => {
    let failure: unknown
    while (!lost.signal.aborted) {
      const hasPassed = await clock.wait(lease.waitMs(clock.now()), over.signal).then(
        () => true,
        () => false,
      )
      if (!hasPassed) return
      const sentAt = clock.now()
      if (lease.isOver(sentAt)) {
        lost.abort(new RoomLostError(undefined, failure))
        return
      }
      try {
        const limits = { deadlineMs: lease.limitMs(sentAt), signal: over.signal }
        const [answer] = await extend([claim], toDuration(ttlMs), limits)
        if (answer?.__typename === 'ClaimPayload') lease.extended(sentAt)
        else lost.abort(new RoomLostError(answer))
      } catch (error) {
        failure = error
        lease.failed(clock.now())
      }
    }
  }
  const keeping = claim.state === 'RESERVED' ? keepOn() : undefined
  const either = signal === undefined ? lost.signal : AbortSignal.any([lost.signal, signal])
  try {
    return { value: await work(either) }
  } catch (why) {
    return { why }
  } finally {
    over.abort()
    await keeping
  }
}

/**
 * The abort reason of the signal in `Chosen` if the claim ended while the instance started: the service refused to extend it, for example
 * because it was revoked (`answer`), or no extension was answered before it ended (`cause` is the error of the last one).
 */
export class RoomLostError extends Error {
  override readonly name = 'RoomLostError'
  readonly answer: ClaimResult | undefined

  constructor(answer: ClaimResult | undefined, cause?: unknown) {
    super(messageOf(answer, cause), cause === undefined ? {} : { cause })
    this.answer = answer
  }
}

function messageOf(answer: ClaimResult | undefined, cause: unknown): string {
  if (answer !== undefined) return 'message' in answer ? answer.message : answer.__typename
  const why = cause instanceof Error ? `: ${cause.message}` : ''
  return `the reservation ended before it could be extended${why}`
}

async function confirm(
  placements: Placements,
  claim: Claim,
): Promise<Pick<Started<unknown>, '__typename' | 'claim'> | Pick<NotConfirmed<unknown>, '__typename' | 'claim' | 'why'>> {
  try {
    const [answer] = await placements.confirm([claim])
    if (answer?.__typename === 'ClaimPayload' && answer.claim !== null) return { __typename: 'Started', claim: answer.claim }
    return { __typename: 'NotConfirmed', claim, why: answer }
  } catch (why) {
    return { __typename: 'NotConfirmed', claim, why }
  }
}

async function giveBack(placements: Placements, claim: Claim): Promise<Pick<Refused, 'notReleased'>> {
  try {
    await placements.release([claim], 'the instance did not start there')
    return {}
  } catch (notReleased) {
    return { notReleased }
  }
}
