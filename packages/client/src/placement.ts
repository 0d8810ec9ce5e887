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
   * releases these resources.
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
  /** Releases claims. Their resources are then free. */
  release(claims: readonly ClaimRef[], reason?: string, options?: CallOptions): Promise<readonly ClaimResult[]>
  /** Releases all claims of an idempotency key. Later calls with this key are refused. */
  abandon(idempotencyKey: string, options?: CallOptions): Promise<AbandonResult>
}

/** With `waitForRoom`, the least pause in milliseconds before a request that found no host is repeated. */
const ROOM_PAUSE_MS = 1_000

/** Creates the placement calls. With `isForProject`, only fields that a key of a project may read are requested. */
export function createPlacements({ ask, askWithKey }: Calls, isForProject = false): Placements {
  return {
    async selectDestinations({ idempotencyKey = crypto.randomUUID(), ...given }, { waitForRoom = false, ...options } = {}) {
      const input = { ...withRef(given), idempotencyKey }
      const rules = rulesFor(({ selectDestinations: answer }: { readonly selectDestinations: Answer }) => answer, waitForRoom)
      if (!isForProject) return (await askWithKey(idempotencyKey, selectDestinations, { input }, options, rules)).selectDestinations
      return fromProject((await askWithKey(idempotencyKey, selectDestinationsForProject, { input }, options, rules)).selectDestinations)
    },
    async claim({ idempotencyKey = crypto.randomUUID(), ...given }, options) {
      const input = { ...withRef(given), idempotencyKey }
      const rules = rulesFor(({ claimCreate: answer }: { readonly claimCreate: Answer }) => answer)
      return (await askWithKey(idempotencyKey, claimCreate, { input }, options, rules)).claimCreate
    },
    confirm: async (claims, options) => (await ask(claimConfirm, { claims: claims.map(refOf) }, options)).claimConfirm,
    extend: async (claims, ttl, options) => (await ask(claimExtend, { claims: claims.map(refOf), ttl }, options)).claimExtend,
    release: async (claims, reason, options) =>
      (await ask(claimRelease, { claims: claims.map(refOf), reason: reason ?? null }, options)).claimRelease,
    abandon: async (key, options) => (await ask(claimAbandon, { key }, options)).claimAbandon,
  }
}

/** Reduces a claim to its id and fence. Callers can pass a claim with more fields, but the service would refuse these fields. */
const refOf = ({ id, fence }: ClaimRef): ClaimRef => ({ id, fence })

const withRef = <Input extends { readonly moveOf?: ClaimRef | null }>(input: Input): Input =>
  input.moveOf ? { ...input, moveOf: refOf(input.moveOf) } : input

/** The fields of an answer to a placement call that determine whether and when the call is retried. */
type Answer = { readonly __typename: string } | { readonly __typename: 'ReplicaBehind'; readonly retryAfter: string }

/** The answers that the service stores under an idempotency key, or gives because of what is stored there. */
const STORED: ReadonlySet<string> = new Set(['SelectDestinationsPayload', 'IdempotencyConflict'])

/** What the answers to a call mean. A replica that has not reached the caller's revision yet states a pause; other replicas may be ahead. */
const rulesFor = <Data>(answerOf: (data: Data) => Answer, waitForRoom = false): AnswerRules<Data> => ({
  askAgainAfter(data) {
    const answer = answerOf(data)
    if (waitForRoom && answer.__typename === 'NoValidHost') return { ms: ROOM_PAUSE_MS, of: 'all endpoints' }
    return 'retryAfter' in answer ? { ms: millisecondsOf(answer.retryAfter), of: 'this endpoint' } : undefined
  },
  isStored: (data) => STORED.has(answerOf(data).__typename),
})
