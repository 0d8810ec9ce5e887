import type { Calls } from './call.ts'
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

/** An input whose idempotency key is generated if it is absent. The same key is used for all retries of the call. */
export type WithKey<Input extends { readonly idempotencyKey: string }> = Omit<Input, 'idempotencyKey'> & {
  readonly idempotencyKey?: string
}

export interface SelectOptions extends CallOptions {
  /**
   * Whether the call is repeated until its deadline if no host was found. A refusal is not stored under the key, so a later call with the
   * same key can find a host.
   */
  readonly waitForRoom?: boolean
}

/** Placement calls. Expected failures are answers, which `__typename` distinguishes. Unexpected ones are thrown as errors. */
export interface Placements {
  /**
   * Selects hosts and claims resources there. If no answer came, the call is retried with the same idempotency key, so that nothing is
   * claimed twice. Throws UnknownOutcomeError with the key if there is still no answer. Resources may then be held, and `abandon` releases
   * them.
   */
  selectDestinations(input: WithKey<SelectDestinationsInput>, options?: SelectOptions): Promise<SelectDestinationsResult>
  /**
   * Claims resources on a host that an earlier decision named, such as an alternate. Retries and errors are as for `selectDestinations`.
   */
  claim(input: WithKey<ClaimCreateInput>, options?: CallOptions): Promise<ClaimCreateResult>
  /** Confirms reservations. The answer at index i is for the claim at index i. Confirming a claim again changes nothing. */
  confirm(claims: readonly ClaimRef[], options?: CallOptions): Promise<readonly ClaimResult[]>
  /** Extends reservations. `ttl` is the new time from now on, an ISO 8601 duration of PT1S to PT24H. */
  extend(claims: readonly ClaimRef[], ttl: string, options?: CallOptions): Promise<readonly ClaimResult[]>
  /** Releases the resources of claims. */
  release(claims: readonly ClaimRef[], reason?: string, options?: CallOptions): Promise<readonly ClaimResult[]>
  /** Releases everything that is held under an idempotency key, and refuses the key from then on. */
  abandon(idempotencyKey: string, options?: CallOptions): Promise<AbandonResult>
}

/** The shortest pause in milliseconds before a request that found no host is repeated. */
const ROOM_PAUSE_MS = 1_000

/** `isForProject`: the key is bound to a project, so only fields that a project may read are requested. */
export function createPlacements({ ask, askWithKey }: Calls, isForProject = false): Placements {
  return {
    async selectDestinations({ idempotencyKey = crypto.randomUUID(), ...given }, { waitForRoom = false, ...options } = {}) {
      const input = { ...withRef(given), idempotencyKey }
      const pause = ({ selectDestinations: answer }: { readonly selectDestinations: Answer }): number | undefined =>
        waitForRoom && answer.__typename === 'NoValidHost' ? ROOM_PAUSE_MS : pauseFor(answer)
      if (!isForProject) return (await askWithKey(idempotencyKey, selectDestinations, { input }, options, pause)).selectDestinations
      return fromProject((await askWithKey(idempotencyKey, selectDestinationsForProject, { input }, options, pause)).selectDestinations)
    },
    async claim({ idempotencyKey = crypto.randomUUID(), ...given }, options) {
      const input = { ...withRef(given), idempotencyKey }
      const data = await askWithKey(idempotencyKey, claimCreate, { input }, options, ({ claimCreate: answer }) => pauseFor(answer))
      return data.claimCreate
    },
    confirm: async (claims, options) => (await ask(claimConfirm, { claims: claims.map(refOf) }, options)).claimConfirm,
    extend: async (claims, ttl, options) => (await ask(claimExtend, { claims: claims.map(refOf), ttl }, options)).claimExtend,
    release: async (claims, reason, options) =>
      (await ask(claimRelease, { claims: claims.map(refOf), reason: reason ?? null }, options)).claimRelease,
    abandon: async (key, options) => (await ask(claimAbandon, { key }, options)).claimAbandon,
  }
}

/** The id and fence of a claim. Callers may pass a claim with all of its fields. */
const refOf = ({ id, fence }: ClaimRef): ClaimRef => ({ id, fence })

const withRef = <Input extends { readonly moveOf?: ClaimRef | null }>(input: Input): Input =>
  input.moveOf ? { ...input, moveOf: refOf(input.moveOf) } : input

/** An answer to a placement, reduced to the fields that determine whether and when to retry. */
type Answer = { readonly __typename: string } | { readonly __typename: 'ReplicaBehind'; readonly retryAfter: string }

/** The pause in milliseconds before a retry, if the replica has not reached the caller's revision yet. */
const pauseFor = (answer: Answer): number | undefined => ('retryAfter' in answer ? millisecondsOf(answer.retryAfter) : undefined)
