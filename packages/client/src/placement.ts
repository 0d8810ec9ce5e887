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

/** Drawn by the client where it is left out; one key, however often the call is repeated. */
export type WithKey<Input extends { readonly idempotencyKey: string }> = Omit<Input, 'idempotencyKey'> & {
  readonly idempotencyKey?: string
}

export interface SelectOptions extends CallOptions {
  /** If no host was found, the call is repeated until the deadline. A refusal binds no key, so the same key can find room later. */
  readonly waitForRoom?: boolean
}

/** Placement calls. Expected failures are answers (`__typename` distinguishes them); errors are for unexpected ones. */
export interface Placements {
  /**
   * Chooses hosts and holds the room there. Asked again with the same idempotency key where no answer came, so room is never held twice.
   * Throws UnknownOutcomeError with the key where it ended without an answer: room may be held; `abandon` frees it.
   */
  selectDestinations(input: WithKey<SelectDestinationsInput>, options?: SelectOptions): Promise<SelectDestinationsResult>
  /** Holds room on a host that an earlier decision named, such as an alternate. As `selectDestinations` otherwise. */
  claim(input: WithKey<ClaimCreateInput>, options?: CallOptions): Promise<ClaimCreateResult>
  /** Makes reservations lasting. Answer i is for claim i; asking again is harmless. */
  confirm(claims: readonly ClaimRef[], options?: CallOptions): Promise<readonly ClaimResult[]>
  /** The TTL of reservations from now: an ISO 8601 duration, PT1S to PT24H. */
  extend(claims: readonly ClaimRef[], ttl: string, options?: CallOptions): Promise<readonly ClaimResult[]>
  /** Gives the room back. */
  release(claims: readonly ClaimRef[], reason?: string, options?: CallOptions): Promise<readonly ClaimResult[]>
  /** Frees whatever is held under an idempotency key, and refuses the key from then on. */
  abandon(idempotencyKey: string, options?: CallOptions): Promise<AbandonResult>
}

/** A full fleet is not asked again sooner, milliseconds. */
const ROOM_PAUSE_MS = 1_000

/** `isForProject`: the key is bound to a project, so nothing is asked that it may not see. */
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

/** A claim may be given as it was answered. */
const refOf = ({ id, fence }: ClaimRef): ClaimRef => ({ id, fence })

const withRef = <Input extends { readonly moveOf?: ClaimRef | null }>(input: Input): Input =>
  input.moveOf ? { ...input, moveOf: refOf(input.moveOf) } : input

/** The field of every placement answer that says whether and when to retry. */
type Answer = { readonly __typename: string } | { readonly __typename: 'ReplicaBehind'; readonly retryAfter: string }

/** A replica that has not reached the caller's revision answers when to retry. */
const pauseFor = (answer: Answer): number | undefined => ('retryAfter' in answer ? millisecondsOf(answer.retryAfter) : undefined)
