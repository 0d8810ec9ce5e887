import type { Groups } from '../hosts/groups.ts'
import type { HostRecord, HostTable, OwnHostRecord } from '../hosts/hosts.ts'
import type { BoundKey } from '../records/bound-key.ts'
import type { Grants, Proposal } from '../records/change.ts'
import { type Claim, isLive, type OwnClaim, type StoredClaim } from '../records/claim.ts'
import { statsToCount } from '../records/used-from.ts'
import type { HostIndex } from '../values/host-index.ts'
import { ADDED_IN_PLACE, UNLISTED_TIMES } from '../values/levels.ts'
import type { SharedMap } from '../values/shared-map.ts'
import { ClaimHolds } from './claim-holds.ts'
import { type ClaimMap, ClaimStore } from './claim-store.ts'
import { COUNTED } from './counted.ts'
import { EndedClaims } from './ended/ended-claims.ts'
import type { StoredEndedKeys } from './ended/ended-keys.ts'
import { heldUntilOf, type Kept, keptOf, NOTHING_KEPT } from './held-until.ts'
import { IdempotencyKeys, type KeyLimits } from './idempotency-keys.ts'
import { addedBy, firstAddedTo, setExtra, surplusOf } from './in-place.ts'
import type { InstanceIndex, InstanceScope, LiveClaim } from './instances.ts'
import { newClaim } from './new-claim.ts'
import { restoredClaim } from './restored-claim.ts'

type EndState = 'RELEASED' | 'EXPIRED' | 'REVOKED'

/** All claims and idempotency keys, and the resources that claims reserve on their hosts. Only the judge and reports change the ledger. */
export class Ledger {
  readonly #hosts: HostTable
  readonly #groups: Groups
  readonly #store: ClaimStore
  readonly #keys: IdempotencyKeys
  readonly #holds: ClaimHolds
  readonly #ended: EndedClaims

  constructor(hosts: HostTable, groups: Groups) {
    this.#hosts = hosts
    this.#groups = groups
    this.#store = new ClaimStore(hosts)
    this.#keys = new IdempotencyKeys(hosts, this.#store)
    this.#holds = new ClaimHolds(hosts, groups, this.#store.all)
    this.#ended = new EndedClaims(hosts, this.#keys)
  }

  /**
   * All claims by id: first the claims stored in full, in the order of creation, then the packed claims in the order in which their keys
   * ended.
   */
  get claims(): ClaimMap {
    return this.#store.all
  }

  /** The claims that are stored in full: live claims, and ended claims that are still needed. Some of the ended ones are also packed. */
  get claimsInFull(): SharedMap<Claim> {
    return this.#store.full
  }

  /** The claims by id that end by time: reservations, and ended ones whose amounts stay held. */
  get lapsing(): SharedMap<Claim> {
    return this.#store.lapsing
  }

  /** The claims that the last entry changed or created. Code that publishes the changes of each entry reads this set. */
  get changed(): ReadonlySet<Claim> {
    return this.#store.changed
  }

  /** The live claims, indexed by instance. */
  get instances(): InstanceIndex {
    return this.#store.instances
  }

  /** The live claims for an instance, of any account, in the order of creation. */
  claimsFor(instance: string): Claim[] {
    return this.#store.claimsFor(instance)
  }

  /** The live claims for an instance within a scope. The two claims of an open move are returned as one item. */
  liveClaimsIn(instance: string, scope: InstanceScope): readonly LiveClaim[] {
    return this.#store.liveClaimsIn(instance, scope)
  }

  /** The live claims that forbid a new claim for an instance at the store time `now`: all except overdue reservations. */
  rivalsOf(instance: string, scope: InstanceScope, now: number): readonly LiveClaim[] {
    return this.#store.rivalsOf(instance, scope, now)
  }

  /** The keys that are stored in full, not packed. */
  keysInFull(): Iterable<BoundKey> {
    return this.#keys.inFull()
  }

  /** The packed ended keys with their claims. Undefined if there are none. */
  endedKeys(): StoredEndedKeys | undefined {
    return this.#keys.ended()
  }

  /** Restores the ended keys from a checkpoint, one chunk in each step. Must be called after the claims are restored. */
  restoreEndedKeys(stored: StoredEndedKeys): Generator<void, void> {
    return this.#keys.restoreEnded(stored)
  }

  /** The limits for keys that operators set, which apply since feature level 8. */
  get keyLimits(): KeyLimits {
    return this.#keys.limits
  }

  /** Sets new limits. The new retention time also applies to keys that have already ended. */
  setKeyLimits(limits: KeyLimits): void {
    this.#keys.setLimits(limits)
  }

  /** Restores the limits from a checkpoint. Must be called before the keys are restored. */
  restoreKeyLimits(limits: KeyLimits): void {
    this.#keys.restoreLimits(limits)
  }

  /** The count of keys whose claims have all ended and that are not forgotten yet. */
  get endedKeyCount(): number {
    return this.#keys.endedCount
  }

  get keyCount(): number {
    return this.#keys.count
  }

  keys(): Generator<BoundKey, void> {
    return this.#keys[Symbol.iterator]()
  }

  /** Returns undefined if the key is unbound or forgotten. */
  findKey(account: string, key: string): BoundKey | undefined {
    return this.#keys.find(account, key)
  }

  /** Returns true if the key of a claim lists the claim. Fast for consecutive claims of one key. */
  isListedByKey(claim: Claim): boolean {
    return this.#keys.lists(claim)
  }

  /** Restores the keys from a checkpoint that are stored in full. */
  restoreKeys(keys: readonly BoundKey[]): void {
    this.#keys.restore(keys)
  }

  /** Copies another ledger's claims and keys in their order. The two ledgers share these data until one ledger writes them. */
  takeCopy(from: Ledger): void {
    this.#store.takeCopy(from.#store)
    this.#keys.takeCopy(from.#keys)
  }

  bind(bound: BoundKey): void {
    this.#keys.bind(bound)
  }

  /** Forgets keys whose retention time is over, and the ended claims that were stored only for these keys. */
  forgetEnded(now: number): void {
    this.#keys.forgetEnded(now)
  }

  /** Records the claims of a proposal. The grants must already be reserved on the hosts. `source` is the claim that a move replaces. */
  open(change: Proposal, fence: number, revision: number, now: number, source: Claim | null = null): void {
    for (const [i, part] of change.parts.entries()) {
      const record = this.#hosts.find(part) as HostRecord
      if (source !== null) {
        const moving = this.own(source)
        moving.target = part.claim
        this.touch(moving, revision)
      }
      const origin = { host: record.index, fence: fence + i, revision, now, source }
      const claim = newClaim(this.#hosts, change, part, origin, this.#store.owner)
      this.#store.add(claim)
      this.#store.changed.add(claim)
    }
    this.bind({
      account: change.account,
      key: change.key,
      digest: change.digest,
      answer: change.answer,
      claims: change.parts.map(({ claim }) => claim),
      decision: change.decision.id,
      revision,
      boundAt: now,
      forgottenAt: change.parts.length === 0 ? now + this.#keys.limits.afterlifeMs : null,
    })
  }

  /** Adds a claim of a checkpoint, on the host with this index, without reserving resources for the claim. */
  restore(stored: StoredClaim, host: HostIndex): Claim {
    const claim = restoredClaim(stored, host, this.#store.owner)
    this.#store.add(claim)
    return claim
  }

  /** Returns a claim that can be written. If another fleet could share the claim, the claim is first replaced by a clone in all indexes. */
  own(claim: Claim): OwnClaim {
    return this.#store.own(claim)
  }

  /** Begins the next entry: clears the set of changed claims. */
  forgetChanged(): void {
    this.#store.changed.clear()
  }

  /** Marks a claim as changed at a log revision. */
  touch(claim: OwnClaim, revision: number): void {
    this.#store.touch(claim, revision)
  }

  /** Changes the state of a live claim. Only a RESERVED claim has an end time. */
  move(moved: Claim, state: 'RESERVED' | 'CONFIRMED' | 'MATERIALISED', revision: number): void {
    const claim = this.own(moved)
    claim.state = state
    if (state === 'MATERIALISED') claim.unlistedAt = null
    this.touch(claim, revision)
    if (state === 'RESERVED') return
    claim.heldUntil = heldUntilOf(this.#hosts, claim)
    claim.expiresAt = null
    this.lapsing.delete(claim.id)
  }

  /** Returns true if a claim is the destination of an open move within one host. */
  isInPlace(claim: Claim): boolean {
    return this.#holds.isInPlace(claim)
  }

  /** Ends a live claim and frees its resources. If the instance can still be running, its resources remain reserved. */
  end(claim: Claim, state: EndState, reason: string | null, revision: number, now: number): void {
    const target = claim.target === null ? undefined : this.claims.get(claim.target)
    if (target !== undefined && this.isInPlace(target)) this.end(target, state, reason, revision, now)
    const current = this.own(claim)
    const lasts = !this.isInPlace(current)
    this.#end(
      current,
      state,
      reason,
      revision,
      now,
      lasts,
      lasts ? keptOf(this.#hosts, current, now, this.#ended.extraOnceEnded(current)) : NOTHING_KEPT,
    )
  }

  /** Ends a reservation whose instance the figures of its host count, or the hold of an ended one. */
  endCounted(claim: Claim, revision: number, now: number): void {
    if (isLive(claim)) this.#end(this.own(claim), 'RELEASED', COUNTED, revision, now, false)
    else this.endHold(claim, revision)
  }

  /** Frees the amounts of an ended claim that stayed held. */
  endHold(claim: Claim, revision: number): void {
    const record = this.#hosts.own(claim.host)
    this.lapsing.delete(claim.id)
    this.#ended.endHold(record, this.own(claim))
    record.revision = revision
  }

  /** Ends a claim. If `lasts` is true, grants that the host's report does not include remain reserved. */
  #end(
    claim: OwnClaim,
    state: EndState,
    reason: string | null,
    revision: number,
    now: number,
    lasts: boolean,
    { extra, heldUntil }: Kept = NOTHING_KEPT,
  ): void {
    const record = this.#hosts.own(claim.host)
    this.#holds.drop(claim)
    if (!this.isInPlace(claim)) this.#leaveGroup(claim)
    this.#unlink(claim, revision, now)
    claim.state = state
    claim.endedAt = now
    claim.reason = reason
    setExtra(claim, extra)
    claim.heldUntil = heldUntil
    claim.unlistedAt = null
    claim.untilCounted = null
    this.touch(claim, revision)
    if (heldUntil === null) this.lapsing.delete(claim.id)
    else this.lapsing.set(claim.id, claim)
    this.instances.remove(claim)
    // The instance can still run. Grants that the host's report does not include remain reserved until a report no longer lists the
    // instance.
    if (lasts && this.#ended.holds(record, claim)) this.#ended.hold(record, claim)
    else record.claims.delete(claim)
    record.revision = revision
    this.#keys.endWith(claim, now)
  }

  /** Returns true if an ended claim still reserves resources on its host. */
  holdsEnded(record: HostRecord, claim: Claim): boolean {
    return this.#ended.holds(record, claim)
  }

  /** Confirms an open move: in one step, the source claim ends and the destination claim replaces it. */
  settleMove(claim: OwnClaim, revision: number, now: number): void {
    const source = claim.source === null ? undefined : this.claims.get(claim.source)
    if (source === undefined) return
    if (!this.isInPlace(claim)) {
      this.end(source, 'RELEASED', 'moved', revision, now)
      return
    }
    // The claim replaces its source on the host. The report includes the grants of the source, but not the grants that the new claim adds.
    const counted = source.state === 'MATERIALISED' && claim.extra !== null
    this.#groups.join(claim.group, claim.host)
    this.#holds.drop(claim)
    this.#unlink(claim, revision, now)
    const isSummed = this.#hosts.featureLevel >= ADDED_IN_PLACE
    const extra = isSummed ? addedBy(claim, source) : claim.extra
    if (counted) this.move(claim, 'MATERIALISED', revision)
    setExtra(claim, this.#holds.extraOnceSettled(claim, extra), isSummed ? firstAddedTo(source) : null)
    this.#holds.hold(claim)
    claim.heldUntil = laterOf(claim.heldUntil, heldUntilOf(this.#hosts, source))
    const shrunk = keptOf(this.#hosts, source, now, null, surplusOf(source.grants, claim.grants))
    this.#end(this.own(source), 'RELEASED', 'moved', revision, now, shrunk.extra !== null, shrunk)
  }

  /** Changes the group of a live claim. The former group is forgotten if this was its last member. */
  changeGroup(changed: Claim, group: string | null, revision: number): void {
    const claim = this.own(changed)
    this.#leaveGroup(claim)
    claim.group = group
    this.touch(claim, revision)
    this.#groups.join(group, claim.host)
  }

  /**
   * Removes a claim from its group while its move is judged or decided. If `room` is true, also adds the claim's grants to the free amounts
   * of its host. Returns a function that undoes this.
   */
  lift(claim: Claim, room: boolean): () => void {
    return this.#holds.lift(claim, room)
  }

  /** Removes the destination claim of an open move from the sums while a further attempt to move the instance is judged or decided. */
  liftDestination(claim: Claim, isPlainNext: boolean): () => void {
    return this.#holds.liftDestination(claim, isPlainNext)
  }

  /**
   * Subtracts the grants of a host's claims again after the host's inventory was replaced. Removes ended claims whose instances are gone.
   */
  holdAll(record: OwnHostRecord): void {
    const { columns } = this.#hosts
    const { runningVms, numIoOps } = statsToCount(record)
    columns.instances[record.index] = runningVms
    columns.ioOps[record.index] = numIoOps
    for (const claim of record.claims) {
      if (isLive(claim)) this.#holds.hold(claim)
      else if (this.holdsEnded(record, claim)) this.#ended.hold(record, claim)
      else this.#ended.remove(record, claim)
    }
  }

  /** Removes ended claims from a host if other claims reserve resources for the same instances. */
  dropReplaced(record: OwnHostRecord): void {
    this.#ended.dropReplaced(record)
  }

  /** Removes the grants of an instance's ended claims from the sums. `restore` holds them again, `remove` removes the claims. */
  liftEnded(record: OwnHostRecord, instance: string | null): { restore(): void; remove(): void } {
    return this.#ended.lift(record, instance)
  }

  /** The grants of a live claim. For the destination of a move within one host, only the grants that the source claim does not have. */
  addedGrants(claim: Claim): Grants {
    return this.#holds.addedGrants(claim)
  }

  /** Removes the links between the source and the destination claim of a move. */
  #unlink(claim: OwnClaim, revision: number, now: number): void {
    for (const id of [claim.source, claim.target]) {
      const linked = id === null ? undefined : this.claims.get(id)
      if (linked === undefined) continue
      const other = this.own(linked)
      if (other.source === claim.id) other.source = null
      if (other.target === claim.id) other.target = null
      this.#askFor(other, now)
      this.touch(other, revision)
    }
    if (claim.source !== null) this.#askFor(claim, now)
    claim.source = null
    claim.target = null
  }

  /** Restarts the time for which the claim's instance counts as unlisted. During a move, the instance can run on the other host. */
  #askFor(claim: OwnClaim, now: number): void {
    if (this.#hosts.featureLevel >= UNLISTED_TIMES && claim.state === 'CONFIRMED' && claim.instance !== null) claim.unlistedAt = now
  }

  #leaveGroup({ group, host }: Claim): void {
    this.#groups.leave(group, host)
    this.#groups.forgetIfEmpty(group)
  }
}

const laterOf = (a: number | null, b: number | null): number | null => (a === null || b === null ? (a ?? b) : Math.max(a, b))
