import type { AnswerRules, Calls } from './call.ts'
import {
  type AbandonResult,
  type ClaimCreateInput,
  type ClaimCreateResult,
  type ClaimRef,
  type ClaimResult,
  claimAbandon,
  claimConfirm,
  claimCreate,
  claimExtend,
  claimRelease,
  fromProject,
  type SelectDestinationsInput,
  type SelectDestinationsResult,
  selectDestinations,
  selectDestinationsForProject,
} from './documents/placement.ts'
import { millisecondsOf } from './duration.ts'
import { type Refusal, RefusedError, UnknownOutcomeError } from './errors.ts'
import type { CallOptions } from './retry.ts'

/** An input whose idempotency key can be left out. In this case, a key is generated, and all retries of the call use this key. */
export type WithKey<Input extends { readonly idempotencyKey: string }> = Omit<Input, 'idempotencyKey'> & {
  readonly idempotencyKey?: string
}

export interface SelectOptions extends CallOptions {
  /**
   * If true, the call is repeated until a host is found or the deadline has passed. A refusal is not stored under the idempotency key, so
   * a repeated call can find a host.
   */
  readonly waitForRoom?: boolean
}

/** The calls for placements and claims. Expected failures are answers with their own `__typename`. Unexpected failures are thrown. */
export interface Placements {
  /**
   * Selects hosts and claims resources on them. If there is no answer, the call is retried with the same idempotency key, so that nothing
   * is claimed twice. Throws UnknownOutcomeError with the key if the call fails although the service may have claimed resources. `abandon`
   * releases these resources. If the call is refused although an earlier attempt can still claim, a generated key is abandoned first, so
   * that the refusal is final; with a key of the caller, UnknownOutcomeError is thrown.
   */
  selectDestinations(input: WithKey<SelectDestinationsInput>, options?: SelectOptions): Promise<SelectDestinationsResult>
  /**
   * Claims resources on a host of an earlier decision, such as an alternate. Retries and throws in the same cases as `selectDestinations`.
   */
  claim(input: WithKey<ClaimCreateInput>, options?: CallOptions): Promise<ClaimCreateResult>
  /** Confirms reservations. The answer at index i is for the claim at index i. Confirming a confirmed claim changes nothing. */
  confirm(claims: readonly ClaimRef[], options?: CallOptions): Promise<readonly ClaimResult[]>
  /** Extends reservations. They then expire after `ttl` from now, an ISO 8601 duration from PT1S to PT24H. */
  extend(claims: readonly ClaimRef[], ttl: string, options?: CallOptions): Promise<readonly ClaimResult[]>
  /** Releases claims. Their resources are then free; vCPUs, memory and disk of a reservation with `untilCounted` can stay held for a while. */
  release(claims: readonly ClaimRef[], reason?: string, options?: CallOptions): Promise<readonly ClaimResult[]>
  /** Releases all claims of an idempotency key. Later calls with this key are refused. */
  abandon(idempotencyKey: string, options?: CallOptions): Promise<AbandonResult>
}

/** With `waitForRoom`, the least pause in milliseconds before a request that found no host is repeated. */
const ROOM_PAUSE_MS = 1_000

/** Creates the placement calls. With `isForProject`, only fields that a key of a project may read are requested. */
export function createPlacements({ ask, askWithKey }: Calls, isForProject = false): Placements {
  const abandon: Placements['abandon'] = async (key, options) => (await ask(claimAbandon, { key }, options)).claimAbandon

  /** Makes a call with the key of the caller. If there is none, it is made with a generated key, under which no refusal leaves a claim. */
  const keyed = async <Result extends Refusal>(given: string | undefined, call: (key: string) => Promise<Result>): Promise<Result> => {
    if (given !== undefined) return await call(given)
    try {
      return await call(crypto.randomUUID())
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError && error.cause instanceof RefusedError)) throw error
      return await settleUnknown<Result>(error, abandon)
    }
  }

  return {
    async selectDestinations({ idempotencyKey: key, ...given }, { waitForRoom = false, ...options } = {}) {
      const inputWith = (idempotencyKey: string) => ({ input: { ...withRef(given), idempotencyKey } })
      const rules = rulesFor(({ selectDestinations: answer }: { readonly selectDestinations: Answer }) => answer, waitForRoom)
      if (!isForProject)
        return await keyed(
          key,
          async (own) => (await askWithKey(own, selectDestinations, inputWith(own), options, rules)).selectDestinations,
        )
      return fromProject(
        await keyed(
          key,
          async (own) => (await askWithKey(own, selectDestinationsForProject, inputWith(own), options, rules)).selectDestinations,
        ),
      )
    },
    async claim({ idempotencyKey: key, ...given }, options) {
      const rules = rulesFor(({ claimCreate: answer }: { readonly claimCreate: Answer }) => answer)
      return await keyed(key, async (idempotencyKey) => {
        const input = { ...withRef(given), idempotencyKey }
        return (await askWithKey(idempotencyKey, claimCreate, { input }, options, rules)).claimCreate
      })
    },
    confirm: async (claims, options) => (await ask(claimConfirm, { claims: claims.map(refOf) }, options)).claimConfirm,
    extend: async (claims, ttl, options) => (await ask(claimExtend, { claims: claims.map(refOf), ttl }, options)).claimExtend,
    release: async (claims, reason, options) =>
      (await ask(claimRelease, { claims: claims.map(refOf), reason: reason ?? null }, options)).claimRelease,
    abandon,
  }
}

/** The time limit for abandoning a key, including retries, in milliseconds. */
const ABANDON_TIMEOUT_MS = 5_000

/**
 * Abandons the key of a call whose outcome is unknown. Nothing is claimed under the key afterwards, so the refusal that ended the call is
 * its answer, and another error is its error. If the key could not be abandoned, UnknownOutcomeError is thrown, which has the key.
 */
export async function settleUnknown<Result extends Refusal>(error: UnknownOutcomeError, abandon: Placements['abandon']): Promise<Result> {
  const last = await abandon(error.idempotencyKey, { deadlineMs: ABANDON_TIMEOUT_MS }).catch(() => undefined)
  if (last?.__typename !== 'ClaimPayload') throw error
  // The refusal is an answer to the same operation, so it has the type of its answers.
  if (error.cause instanceof RefusedError) return error.cause.answer as Result
  throw error.cause
}

/** Reduces a claim to its id and fence. Callers can pass a claim with more fields, but the service would refuse these fields. */
const refOf = ({ id, fence }: ClaimRef): ClaimRef => ({ id, fence })

const withRef = <Input extends { readonly moveOf?: ClaimRef | null }>(input: Input): Input =>
  input.moveOf ? { ...input, moveOf: refOf(input.moveOf) } : input

/** The fields of an answer to a placement call that determine whether and when the call is retried. */
type Answer = Refusal | (Refusal & { readonly __typename: 'ReplicaBehind'; readonly retryAfter: string })

/** The answers that the service stores under an idempotency key, or gives because of what is stored there. */
const STORED: ReadonlySet<string> = new Set(['SelectDestinationsPayload', 'IdempotencyConflict'])

/**
 * What the answers to a call mean. The answer of a replica that has not reached the caller's revision yet states after how long the call can
 * be sent to it again. Another replica may have reached the revision.
 */
const rulesFor = <Data>(answerOf: (data: Data) => Answer, waitForRoom = false): AnswerRules<Data> => ({
  askAgainAfter(data) {
    const answer = answerOf(data)
    if (waitForRoom && answer.__typename === 'NoValidHost') return { ms: ROOM_PAUSE_MS, of: 'all endpoints' }
    return 'retryAfter' in answer ? { ms: millisecondsOf(answer.retryAfter), of: 'this endpoint' } : undefined
  },
  refusalOf(data) {
    const answer = answerOf(data)
    return STORED.has(answer.__typename) ? undefined : new RefusedError(answer)
  },
})
