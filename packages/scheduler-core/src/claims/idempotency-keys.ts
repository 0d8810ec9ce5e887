import type { HostTable } from '../hosts/hosts.ts'
import type { BoundKey } from '../records/bound-key.ts'
import { type Claim, isLive } from '../records/claim.ts'
import { STRICT_CLAIMS } from '../values/levels.ts'
import { SharedMap } from '../values/shared-map.ts'
import type { ClaimStore } from './claim-store.ts'
import type { StoredEndedKeys } from './ended/ended-keys.ts'
import type { EndedKey } from './ended/ended-record.ts'

/** How long a key is remembered after its last claim ended, in milliseconds of store time (the database's clock). */
export const KEY_AFTERLIFE_MS = 3_600_000

/** The limits for ended keys. Operators set them. */
export interface KeyLimits {
  /** At most this many keys whose claims have all ended are stored. When this limit is reached, proposals with new keys are refused. */
  readonly cap: number
  /** How long a key is remembered after its last claim ended, in milliseconds of store time (the database's clock). */
  readonly afterlifeMs: number
  /** How many times the limits were set. */
  readonly version: number
}

/** The cap allows for 5,000 placements a second, which are 18 million keys an hour. */
export const DEFAULT_KEY_LIMITS: KeyLimits = { cap: 20_000_000, afterlifeMs: KEY_AFTERLIFE_MS, version: 0 }

/** Forgotten keys are removed from `#ending` when there are at least this many, and they are at least half of the list. */
const QUEUE_SLACK = 1_000

/** The idempotency keys of all accounts: keys of live claims, and ended keys until they are forgotten. */
export class IdempotencyKeys {
  #keys = new SharedMap<BoundKey>()
  /** Keys in the order in which they ended, which is also the order in which they are forgotten. */
  #ending: BoundKey[] = []
  /** The count of keys at the front of `#ending` that are already forgotten. */
  #forgotten = 0
  #limits = DEFAULT_KEY_LIMITS
  /** The claim ids of the key that `lists` read last. */
  #listed: { readonly bound: BoundKey; readonly ids: ReadonlySet<string> } | undefined

  readonly #hosts: HostTable
  /** The store of claims, which also stores the packed ended keys (since feature level 8). */
  readonly #claims: ClaimStore

  constructor(hosts: HostTable, claims: ClaimStore) {
    this.#hosts = hosts
    this.#claims = claims
  }

  /** The keys that are stored in full, not packed. */
  inFull(): Iterable<BoundKey> {
    return this.#keys.values()
  }

  ended(): StoredEndedKeys | undefined {
    // the first chunk can contain forgotten keys, because chunks must have the same boundaries after a restart
    const stored = this.#claims.packed.stored()
    return stored.chunks.length === 0 ? undefined : stored
  }

  /** Restores the ended keys from a checkpoint, one chunk in each step. Must be called after the claims are restored. */
  *restoreEnded(stored: StoredEndedKeys): Generator<void, void> {
    yield* this.#claims.packed.restore(stored)
    this.#claims.countInBoth()
  }

  /**
   * The limits that operators set, which apply since feature level 8. Below that level, the retention time is an hour, and the cap is
   * KEY_CAP.
   */
  get limits(): KeyLimits {
    return this.#limits
  }

  /** Sets new limits. The new retention time also applies to keys that have already ended. */
  setLimits(limits: KeyLimits): void {
    const by = limits.afterlifeMs - this.#limits.afterlifeMs
    this.#limits = limits
    if (by === 0) return
    this.#ending = this.#ending.slice(this.#forgotten).map((bound) => {
      const moved = { ...bound, forgottenAt: (bound.forgottenAt as number) + by }
      this.#keys.set(keyOf(bound.account, bound.key), moved)
      return moved
    })
    this.#forgotten = 0
  }

  /** Restores the limits from a checkpoint. Must be called before the keys are restored. */
  restoreLimits(limits: KeyLimits): void {
    this.#limits = limits
  }

  /** The count of keys whose claims have all ended and that are not forgotten yet. */
  get endedCount(): number {
    return this.#ending.length - this.#forgotten + this.#claims.packed.size
  }

  get count(): number {
    return this.#keys.size + this.#claims.packed.size
  }

  *[Symbol.iterator](): Generator<BoundKey, void> {
    yield* this.#keys.values()
    for (const ended of this.#claims.packed) yield this.#boundOf(ended)
  }

  #boundOf({ bound, endedAt, claims }: EndedKey): BoundKey {
    return { ...bound, claims: claims.map(({ id }) => id), forgottenAt: endedAt + this.#limits.afterlifeMs }
  }

  /** Returns undefined if the key is unbound or forgotten. */
  find(account: string, key: string): BoundKey | undefined {
    const { packed } = this.#claims
    const bound = this.#keys.get(keyOf(account, key))
    if (bound !== undefined || packed.size === 0) return bound
    const ended = packed.find(account, key)
    return ended && this.#boundOf(ended)
  }

  /** Returns true if the key of a claim lists the claim. Fast for consecutive claims of one key. */
  lists({ account, key, id }: Claim): boolean {
    const bound = this.#keys.get(keyOf(account, key))
    if (bound === undefined) {
      const ended = this.#claims.packed.findClaim(id)
      return ended?.account === account && ended.key === key
    }
    if (this.#listed?.bound !== bound) this.#listed = { bound, ids: new Set(bound.claims) }
    return this.#listed.ids.has(id)
  }

  /** Restores the keys from a checkpoint that are stored in full. */
  restore(keys: readonly BoundKey[]): void {
    for (const bound of keys) this.#keys.set(keyOf(bound.account, bound.key), bound)
    const ended = [...this.#keys.values()].filter(({ forgottenAt }) => forgottenAt !== null)
    for (const bound of ended.sort((a, b) => (a.forgottenAt as number) - (b.forgottenAt as number))) this.#ending.push(bound)
  }

  /** Copies the keys of another fleet. Both fleets share the keys until one of them writes them. */
  takeCopy(from: IdempotencyKeys): void {
    this.#keys = from.#keys.copy()
    this.#ending = from.#ending.slice(from.#forgotten)
    this.#limits = from.#limits
  }

  bind(bound: BoundKey): void {
    if (bound.forgottenAt !== null && this.#hosts.featureLevel >= STRICT_CLAIMS) {
      this.#pack(bound, bound.forgottenAt - this.#limits.afterlifeMs)
      return
    }
    this.#keys.set(keyOf(bound.account, bound.key), bound)
    if (bound.forgottenAt !== null) this.#ending.push(bound)
  }

  /** Packs an ended key with its claims. Only a call that is repeated after its claims have ended reads the packed data. */
  #pack({ claims: ids, forgottenAt: _, ...bound }: BoundKey, endedAt: number): void {
    const claims = ids.flatMap((id) => this.#claims.full.get(id) ?? [])
    this.#keys.delete(keyOf(bound.account, bound.key))
    this.#claims.packed.add({ bound, endedAt, claims })
    this.#claims.pack(claims)
  }

  /** Ends the key of an ended claim if the key has no other live claim. */
  endWith(claim: Claim, now: number): void {
    const bound = this.find(claim.account, claim.key)
    if (bound === undefined || bound.forgottenAt !== null) return
    for (const id of bound.claims) {
      const other = this.#claims.all.get(id)
      if (other !== undefined && isLive(other)) return
    }
    this.bind({ ...bound, forgottenAt: now + this.#limits.afterlifeMs })
  }

  /** Forgets keys whose retention time is over, and the ended claims that were stored only for these keys. */
  forgetEnded(now: number): void {
    for (; this.#forgotten < this.#ending.length; this.#forgotten++) {
      const bound = this.#ending[this.#forgotten] as BoundKey
      if ((bound.forgottenAt as number) > now) break
      this.#keys.delete(keyOf(bound.account, bound.key))
      for (const id of bound.claims) {
        const claim = this.#claims.all.get(id)
        if (claim !== undefined) this.forgetUnused(claim)
      }
    }
    for (const id of this.#claims.packed.forget(now - this.#limits.afterlifeMs)) this.#claims.forgetPacked(id)
    if (this.#forgotten < QUEUE_SLACK || 2 * this.#forgotten < this.#ending.length) return
    this.#ending = this.#ending.slice(this.#forgotten)
    this.#forgotten = 0
  }

  /** Drops an ended claim if its key is forgotten and the claim reserves nothing on its host. */
  forgetUnused(claim: Claim): void {
    if (isLive(claim) || this.#hosts.get(claim.host).claims.has(claim)) return
    // The key can be bound again later, to other claims. Only a key that lists this claim prevents its removal.
    if (this.#keys.get(keyOf(claim.account, claim.key))?.claims.includes(claim.id)) return
    this.#claims.forget(claim)
  }
}

const keyOf = (account: string, key: string): string => `${account}\u0000${key}`
