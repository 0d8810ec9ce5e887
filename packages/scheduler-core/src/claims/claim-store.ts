import type { HostTable } from '../hosts/hosts.ts'
import { type Claim, isLive, lapsesAt, type OwnClaim } from '../records/claim.ts'
import { ifOwn, OWNER, type Owner } from '../values/owner.ts'
import { SharedMap } from '../values/shared-map.ts'
import { EndedKeys } from './ended/ended-keys.ts'
import { InstanceIndex, type InstanceScope, isOverdue, isSameScope, type LiveClaim, liveClaimsOf, scopeOf } from './instances.ts'

/** Claims by id. An iteration can miss claims that are added while it runs. */
export interface ClaimMap extends Iterable<[string, Claim]> {
  readonly size: number
  get(id: string): Claim | undefined
  has(id: string): boolean
  keys(): Iterable<string>
  values(): Iterable<Claim>
}

function* mapped<From, To>(items: Iterable<From>, to: (item: From) => To): Generator<To, void> {
  for (const item of items) yield to(item)
}

/** All claims and their indexes. A claim is stored in full, or packed together with its ended key. */
export class ClaimStore {
  #full = new SharedMap<Claim>()
  #packed: EndedKeys
  /** The count of packed claims that are also stored in full, because their instances have not left their hosts yet. */
  #inBoth = 0
  #lapsing = new SharedMap<Claim>()
  #instances = new InstanceIndex()
  #changed = new Set<Claim>()
  #owner: Owner = {}
  readonly #hosts: HostTable
  /**
   * All claims by id: first the claims stored in full, in the order of creation, then the packed claims in the order in which their keys
   * ended.
   */
  readonly all: ClaimMap

  constructor(hosts: HostTable) {
    this.#hosts = hosts
    this.#packed = new EndedKeys(hosts)
    this.all = {
      get: (id) => this.#full.get(id) ?? this.#packed.findClaim(id),
      has: (id) => this.all.get(id) !== undefined,
      keys: () => mapped(this.all, ([id]) => id),
      values: () => mapped(this.all, ([, claim]) => claim),
      [Symbol.iterator]: () => this.#everyClaim(),
      size: 0,
    }
    Object.defineProperty(this.all, 'size', { get: () => this.#full.size + this.#packed.claimCount - this.#inBoth })
  }

  *#everyClaim(): Generator<[string, Claim], undefined> {
    yield* this.#full
    for (const { claims } of this.#packed) for (const claim of claims) if (!this.#full.has(claim.id)) yield [claim.id, claim]
  }

  /**
   * The claims that are stored in full: all live claims, and ended claims that are still needed for their instance or key. Some of these
   * ended claims are also packed.
   */
  get full(): SharedMap<Claim> {
    return this.#full
  }

  /** The packed ended keys with their claims. */
  get packed(): EndedKeys {
    return this.#packed
  }

  /** The claims by id that end by time: reservations, and ended ones whose amounts stay held. */
  get lapsing(): SharedMap<Claim> {
    return this.#lapsing
  }

  /** The claims that the last entry changed or created. Code that publishes the changes of each entry reads this set. */
  get changed(): Set<Claim> {
    return this.#changed
  }

  /** The live claims, indexed by instance. */
  get instances(): InstanceIndex {
    return this.#instances
  }

  /** The mark of claims that belong only to this store. The store may write claims with this mark. */
  get owner(): Owner {
    return this.#owner
  }

  /** The live claims for an instance, of any account, in the order of creation. */
  claimsFor(instance: string): Claim[] {
    return this.#instances.of(instance).map((id) => this.all.get(id) as Claim)
  }

  /** The live claims for an instance within a scope. The two claims of an open move are returned as one item. */
  liveClaimsIn(instance: string, scope: InstanceScope): readonly LiveClaim[] {
    const claims = this.claimsFor(instance)
    return claims.length === 0 ? [] : liveClaimsOf(claims.filter((claim) => isSameScope(scopeOf(claim), scope)))
  }

  /**
   * The live claims of an instance that forbid a new claim for the instance at the store time `now`. Reservations whose end time is not
   * after `now` are left out.
   */
  rivalsOf(instance: string, scope: InstanceScope, now: number): readonly LiveClaim[] {
    return this.liveClaimsIn(instance, scope).filter(
      ({ claim, destination }) => !isOverdue(claim, now) || (destination !== null && !isOverdue(destination, now)),
    )
  }

  /** Copies another store's claims in their order. Both stores share the claims until one of the stores writes them. */
  takeCopy(from: ClaimStore): void {
    this.#full = from.#full.copy()
    this.#packed = from.#packed.copyFor(this.#hosts)
    this.#inBoth = from.#inBoth
    this.#lapsing = from.#lapsing.copy()
    this.#instances = from.#instances.copy()
    this.#changed = new Set(from.#changed)
    from.#owner = {}
  }

  add(claim: OwnClaim): void {
    this.#full.set(claim.id, claim)
    this.#hosts.own(claim.host).claims.add(claim)
    if (lapsesAt(claim) !== null) this.#lapsing.set(claim.id, claim)
    if (isLive(claim)) this.#instances.add(claim)
  }

  /** Returns a claim that can be written. If another fleet could share the claim, the claim is first replaced by a clone in all indexes. */
  own(claim: Claim): OwnClaim {
    const current = ifOwn(claim, this.#owner) === undefined ? this.#full.get(claim.id) : claim
    if (current === undefined) throw new RangeError(`claim ${claim.id} is not in the ledger`)
    return ifOwn(current, this.#owner) ?? this.#clone(current)
  }

  #clone(claim: Claim): OwnClaim {
    // every claim already has an owner, so the clone has the fields and the hidden class of the claim
    const clone: OwnClaim = { ...claim, [OWNER]: this.#owner }
    const record = this.#hosts.own(claim.host)
    this.#full.set(claim.id, clone)
    if (this.#lapsing.has(claim.id)) this.#lapsing.set(claim.id, clone)
    if (record.claims.has(claim)) record.claims = withInPlace(record.claims, claim, clone)
    return clone
  }

  /** Marks a claim as changed at a log revision. */
  touch(claim: OwnClaim, revision: number): void {
    claim.revision = revision
    this.#changed.add(claim)
  }

  /** Removes the full form of claims that were packed with their ended key, except claims that still reserve resources on a host. */
  pack(claims: readonly Claim[]): void {
    for (const claim of claims) {
      if (this.#hosts.get(claim.host).claims.has(claim)) this.#inBoth++
      else this.#full.delete(claim.id)
    }
  }

  /** Counts the packed claims of a restored checkpoint that are also stored in full. */
  countInBoth(): void {
    for (const claim of this.#full.values()) if (!isLive(claim) && this.#packed.findClaim(claim.id) !== undefined) this.#inBoth++
  }

  /** Updates `#inBoth` after the packed form of a claim was dropped together with the claim's key. */
  forgetPacked(id: string): void {
    if (this.#full.has(id)) this.#inBoth--
  }

  /** Drops the full form of a claim. */
  forget(claim: Claim): void {
    if (this.#packed.findClaim(claim.id) !== undefined) this.#inBoth--
    this.#full.delete(claim.id)
  }
}

/** Copies the set and replaces the claim `was` by `is`. The order is unchanged. */
const withInPlace = (set: ReadonlySet<Claim>, was: Claim, is: Claim): Set<Claim> =>
  new Set(Array.from(set, (claim) => (claim === was ? is : claim)))
