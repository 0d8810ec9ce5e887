import { type ClaimPart, type Grants, type GroupBinding, type Proposal, projectOf } from '../fleet/change.ts'
import type { Groups } from '../fleet/groups.ts'
import type { HostRecord, HostTable, OwnHostRecord } from '../fleet/hosts.ts'
import { ADDED_IN_PLACE, ENDED_CLAIMS, OWN_UNITS, STRICT_CLAIMS, UNLISTED_TIMES } from '../fleet/levels.ts'
import { ifOwn, OWNER, type Owner } from '../fleet/owner.ts'
import { SharedMap } from '../fleet/shared-map.ts'
import { statsToCount } from '../fleet/used-from.ts'
import { allKinds, heldByMover, isPlain, takesDifference } from '../kinds/index.ts'
import type { BoundKey } from './bound-key.ts'
import { type Claim, isLive, type OwnClaim } from './claim.ts'
import { EndedKeys, type StoredEndedKeys } from './ended-keys.ts'
import type { EndedKey } from './ended-record.ts'
import { InstanceIndex, type InstanceScope, isOverdue, isSameScope, type LiveClaim, liveClaimsOf, scopeOf } from './instances.ts'

/** How long a key outlives its last claim, milliseconds of store time. */
export const KEY_AFTERLIFE_MS = 3_600_000

/** How many ended keys are kept, and for how long; operators set them. */
export interface KeyLimits {
  /** Keys whose claims have all ended, at most; beyond, new ones are void. */
  readonly cap: number
  /** How long a key outlives its last claim, milliseconds of store time. */
  readonly afterlifeMs: number
  /** How often they were set. */
  readonly version: number
}

/** An hour of 5,000 placements a second is 18 million keys. */
export const DEFAULT_KEY_LIMITS: KeyLimits = { cap: 20_000_000, afterlifeMs: KEY_AFTERLIFE_MS, version: 0 }

/** Of the keys that are over, so many are left standing in the queue before it is shortened. */
const QUEUE_SLACK = 1_000

type EndState = 'RELEASED' | 'EXPIRED' | 'REVOKED'

/** Claims by id. What is iterated may be written meanwhile: what comes in may be left out. */
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

/** All claims and idempotency keys, and what the claims hold on their hosts. Written by the judge and by reports only. */
export class Ledger {
  #claims = new SharedMap<Claim>()
  #keys = new SharedMap<BoundKey>()
  /** Keys in the order in which they end: the afterlife is the same for all, so the order of ending is that of forgetting. */
  #ending: BoundKey[] = []
  /** Those at the front of `#ending` that are forgotten already. */
  #forgotten = 0
  #reserved = new SharedMap<Claim>()
  #instances = new InstanceIndex()
  #changed = new Set<Claim>()
  #owner: Owner = {}
  #keyLimits = DEFAULT_KEY_LIMITS
  /** Since feature level 8 keys are kept there once their claims have ended, with those claims. */
  #ended: EndedKeys
  /** The claims of the key that was asked about last. */
  #listed: { readonly bound: BoundKey; readonly ids: ReadonlySet<string> } | undefined
  /** Claims that are there, and here too: their instances have not left their hosts yet. */
  #inBoth = 0
  /** All claims by id: those that are kept in full, in the order in which they were made; then ended ones, in which their keys ended. */
  readonly claims: ClaimMap

  readonly #hosts: HostTable
  readonly #groups: Groups

  constructor(hosts: HostTable, groups: Groups) {
    this.#hosts = hosts
    this.#groups = groups
    this.#ended = new EndedKeys(hosts)
    this.claims = {
      get: (id) => this.#claims.get(id) ?? this.#ended.findClaim(id),
      has: (id) => this.claims.get(id) !== undefined,
      keys: () => mapped(this.claims, ([id]) => id),
      values: () => mapped(this.claims, ([, claim]) => claim),
      [Symbol.iterator]: () => this.#allClaims(),
      size: 0,
    }
    Object.defineProperty(this.claims, 'size', { get: () => this.#claims.size + this.#ended.claimCount - this.#inBoth })
  }

  *#allClaims(): Generator<[string, Claim], undefined> {
    yield* this.#claims
    for (const { claims } of this.#ended) for (const claim of claims) if (!this.#claims.has(claim.id)) yield [claim.id, claim]
  }

  /** Claims that are not packed: all live ones, and of the ended those whose instance or key keeps them so. */
  get claimsInFull(): SharedMap<Claim> {
    return this.#claims
  }

  /** Keys that are not packed. */
  keysInFull(): Iterable<BoundKey> {
    return this.#keys.values()
  }

  /** Ended keys with their claims, packed; undefined: there are none. */
  endedKeys(): StoredEndedKeys | undefined {
    // forgotten ones count too: where chunks begin must be the same after a restart
    const stored = this.#ended.stored()
    return stored.chunks.length === 0 ? undefined : stored
  }

  /** Takes over the ended keys of a checkpoint, after its claims; a step for each part. */
  *restoreEndedKeys(stored: StoredEndedKeys): Generator<void, void> {
    yield* this.#ended.restore(stored)
    for (const claim of this.#claims.values()) if (!isLive(claim) && this.#ended.findClaim(claim.id) !== undefined) this.#inBoth++
  }

  /** Reservations by claim, for expiry. */
  get reserved(): SharedMap<Claim> {
    return this.#reserved
  }

  /** Claims that the last entry changed, new ones too: for those who follow the log. */
  get changed(): ReadonlySet<Claim> {
    return this.#changed
  }

  /** Instances that have a live claim. */
  get instances(): InstanceIndex {
    return this.#instances
  }

  /** Live claims for an instance, whosever they are, in the order in which they were made. */
  claimsFor(instance: string): Claim[] {
    return this.#instances.of(instance).map((id) => this.claims.get(id) as Claim)
  }

  /** The same within a scope, both ends of an open move as one. */
  liveClaimsIn(instance: string, scope: InstanceScope): readonly LiveClaim[] {
    const claims = this.claimsFor(instance)
    return claims.length === 0 ? [] : liveClaimsOf(claims.filter((claim) => isSameScope(scopeOf(claim), scope)))
  }

  /** What keeps an instance from another claim at a store time: a reservation whose time is over does not. */
  rivalsOf(instance: string, scope: InstanceScope, now: number): readonly LiveClaim[] {
    return this.liveClaimsIn(instance, scope).filter(
      ({ claim, destination }) => !isOverdue(claim, now) || (destination !== null && !isOverdue(destination, now)),
    )
  }

  /** In force since feature level 8; before, the afterlife is an hour, and the cap is the frozen judge's. */
  get keyLimits(): KeyLimits {
    return this.#keyLimits
  }

  /** Takes over other limits: every ended key is forgotten by the new afterlife. */
  setKeyLimits(limits: KeyLimits): void {
    const by = limits.afterlifeMs - this.#keyLimits.afterlifeMs
    this.#keyLimits = limits
    if (by === 0) return
    this.#ending = this.#ending.slice(this.#forgotten).map((bound) => {
      const moved = { ...bound, forgottenAt: (bound.forgottenAt as number) + by }
      this.#keys.set(keyOf(bound.account, bound.key), moved)
      return moved
    })
    this.#forgotten = 0
  }

  /** Takes over the limits of a checkpoint, before its keys. */
  restoreKeyLimits(limits: KeyLimits): void {
    this.#keyLimits = limits
  }

  /** Keys whose claims have all ended, and which are not forgotten yet. */
  get endedKeyCount(): number {
    return this.#ending.length - this.#forgotten + this.#ended.size
  }

  get keyCount(): number {
    return this.#keys.size + this.#ended.size
  }

  *keys(): Generator<BoundKey, void> {
    yield* this.#keys.values()
    for (const ended of this.#ended) yield this.#boundOf(ended)
  }

  #boundOf({ bound, endedAt, claims }: EndedKey): BoundKey {
    return { ...bound, claims: claims.map(({ id }) => id), forgottenAt: endedAt + this.#keyLimits.afterlifeMs }
  }

  /** Undefined when the key is unbound or forgotten. */
  findKey(account: string, key: string): BoundKey | undefined {
    const bound = this.#keys.get(keyOf(account, key))
    if (bound !== undefined || this.#ended.size === 0) return bound
    const ended = this.#ended.find(account, key)
    return ended && this.#boundOf(ended)
  }

  /** Whether the key of a claim lists it; of many claims of one key, one after the other, each is found at once. */
  isListedByKey({ account, key, id }: Claim): boolean {
    const bound = this.#keys.get(keyOf(account, key))
    if (bound === undefined) {
      const ended = this.#ended.findClaim(id)
      return ended?.account === account && ended.key === key
    }
    if (this.#listed?.bound !== bound) this.#listed = { bound, ids: new Set(bound.claims) }
    return this.#listed.ids.has(id)
  }

  /** Takes over the keys of a checkpoint. */
  restoreKeys(keys: readonly BoundKey[]): void {
    for (const bound of keys) this.#keys.set(keyOf(bound.account, bound.key), bound)
    const ended = [...this.#keys.values()].filter(({ forgottenAt }) => forgottenAt !== null)
    for (const bound of ended.sort((a, b) => (a.forgottenAt as number) - (b.forgottenAt as number))) this.#ending.push(bound)
  }

  /** Takes another ledger's claims and keys over, in their orders, to be shared until one side writes them. */
  takeCopy(from: Ledger): void {
    this.#claims = from.#claims.copy()
    this.#ended = from.#ended.copyFor(this.#hosts)
    this.#inBoth = from.#inBoth
    this.#keys = from.#keys.copy()
    this.#ending = from.#ending.slice(from.#forgotten)
    this.#reserved = from.#reserved.copy()
    this.#instances = from.#instances.copy()
    this.#changed = new Set(from.#changed)
    this.#keyLimits = from.#keyLimits
    from.#owner = {}
  }

  bind(bound: BoundKey): void {
    if (bound.forgottenAt !== null && this.#hosts.featureLevel >= STRICT_CLAIMS) {
      this.#pack(bound, bound.forgottenAt - this.#keyLimits.afterlifeMs)
      return
    }
    this.#keys.set(keyOf(bound.account, bound.key), bound)
    if (bound.forgottenAt !== null) this.#ending.push(bound)
  }

  /** Nothing asks for an ended key but a late repetition of its call: it and its claims are packed. */
  #pack({ claims: ids, forgottenAt: _, ...bound }: BoundKey, endedAt: number): void {
    const claims = ids.flatMap((id) => this.#claims.get(id) ?? [])
    this.#keys.delete(keyOf(bound.account, bound.key))
    this.#ended.add({ bound, endedAt, claims })
    for (const claim of claims) {
      if (this.#hosts.get(claim.host).claims.has(claim)) this.#inBoth++
      else this.#claims.delete(claim.id)
    }
  }

  /** Records the claims of a proposal whose parts are held already; `source` is the claim that a move is of. */
  open(change: Proposal, fence: number, revision: number, now: number, source: Claim | null = null): void {
    for (const [i, part] of change.parts.entries()) {
      const record = this.#hosts.find(part) as HostRecord
      if (source !== null) {
        const moving = this.own(source)
        moving.target = part.claim
        this.touch(moving, revision)
      }
      const claim: OwnClaim = {
        id: part.claim,
        instance: part.instance,
        account: change.account,
        ...this.#scopeOf(change, source),
        key: change.key,
        host: record.index,
        grants: part.grants,
        group: change.group?.uuid ?? null,
        decision: change.decision.id,
        fence: fence + i,
        createdAt: now,
        state: change.mode === 'RESERVE' ? 'RESERVED' : 'CONFIRMED',
        expiresAt: change.mode === 'RESERVE' ? now + change.ttlMs : null,
        confirmedAt: change.mode === 'CONFIRM' ? now : null,
        endedAt: null,
        reason: null,
        revision,
        source: source?.id ?? null,
        target: null,
        extra:
          source !== null && growsInPlace(this.#hosts, source, record.index, part.grants) ? surplusOf(part.grants, source.grants) : null,
        unlistedAt: null,
        [OWNER]: this.#owner,
      }
      this.#add(claim)
      this.#changed.add(claim)
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
      forgottenAt: change.parts.length === 0 ? now + this.#keyLimits.afterlifeMs : null,
    })
  }

  /** Within which the instance of a new claim counts: kept since feature level 8, and by a move. */
  #scopeOf(change: Proposal, source: Claim | null): Pick<Claim, 'project' | 'instanceAccount'> {
    if (this.#hosts.featureLevel < STRICT_CLAIMS) return { project: null, instanceAccount: null }
    if (source === null) return { project: projectOf(change), instanceAccount: null }
    const { account, project } = scopeOf(source)
    return { project, instanceAccount: account === change.account ? null : account }
  }

  /** Enters a claim of a checkpoint without holding anything. */
  restore(stored: Claim): Claim {
    const claim = { ...stored, [OWNER]: this.#owner }
    this.#add(claim)
    return claim
  }

  #add(claim: OwnClaim): void {
    this.#claims.set(claim.id, claim)
    this.#hosts.own(claim.host).claims.add(claim)
    if (claim.state === 'RESERVED') this.#reserved.set(claim.id, claim)
    if (isLive(claim)) this.#instances.add(claim)
  }

  /** A claim to be written: a clone in its place everywhere, where it may be another fleet's too (owner.ts). */
  own(claim: Claim): OwnClaim {
    const current = ifOwn(claim, this.#owner) === undefined ? this.#claims.get(claim.id) : claim
    if (current === undefined) throw new RangeError(`claim ${claim.id} is not in the ledger`)
    return ifOwn(current, this.#owner) ?? this.#clone(current)
  }

  #clone(claim: Claim): OwnClaim {
    const clone: OwnClaim = { ...claim, [OWNER]: this.#owner }
    const record = this.#hosts.own(claim.host)
    this.#claims.set(claim.id, clone)
    if (this.#reserved.has(claim.id)) this.#reserved.set(claim.id, clone)
    if (record.claims.has(claim)) record.claims = withInPlace(record.claims, claim, clone)
    return clone
  }

  /** The next entry is applied: nothing is changed by it yet. */
  forgetChanged(): void {
    this.#changed.clear()
  }

  /** Marks a claim as changed at a revision. */
  touch(claim: OwnClaim, revision: number): void {
    claim.revision = revision
    this.#changed.add(claim)
  }

  /** Confirms, materialises or sets back a live claim; what it holds follows the new state. Only a reservation has an end. */
  move(moved: Claim, state: 'RESERVED' | 'CONFIRMED' | 'MATERIALISED', revision: number): void {
    const claim = this.own(moved)
    claim.state = state
    if (state === 'MATERIALISED') claim.unlistedAt = null
    this.touch(claim, revision)
    if (state === 'RESERVED') return
    claim.expiresAt = null
    this.#reserved.delete(claim.id)
  }

  /** Whether a claim is the destination of an open move on its own host: the instance there is the source's until the move ends. */
  isInPlace({ source, host }: Claim): boolean {
    return source !== null && this.claims.get(source)?.host === host
  }

  /**
   * Ends a live claim: what it holds is free, unless its instance is still listed by the host where only claims count.
   * The other end of an open move stands alone then; a destination on the source's own host ends with its source.
   */
  end(claim: Claim, state: EndState, reason: string | null, revision: number, now: number): void {
    const target = claim.target === null ? undefined : this.claims.get(claim.target)
    if (target !== undefined && this.isInPlace(target)) this.end(target, state, reason, revision, now)
    const lingers = this.#hosts.isStillListed(this.#hosts.get(claim.host), claim.instance) && !this.isInPlace(claim)
    this.#end(this.own(claim), state, reason, revision, now, lingers)
  }

  #end(claim: OwnClaim, state: EndState, reason: string | null, revision: number, now: number, lingers: boolean): void {
    const record = this.#hosts.own(claim.host)
    this.#drop(claim)
    if (!this.isInPlace(claim)) this.#leaveGroup(claim)
    this.#unlink(claim, revision, now)
    claim.state = state
    claim.endedAt = now
    claim.reason = reason
    claim.extra = null
    claim.unlistedAt = null
    this.touch(claim, revision)
    this.#reserved.delete(claim.id)
    this.#instances.remove(claim)
    // the instance runs on: what the host does not count itself stays taken, until a report drops it
    if (lingers) hold(this.#hosts, record, claim.grants, true)
    else record.claims.delete(claim)
    record.revision = revision
    this.#endKey(claim, now)
  }

  /** Confirms an open move: the source ends and the destination takes its place, in one step. */
  settleMove(claim: OwnClaim, revision: number, now: number): void {
    const source = claim.source === null ? undefined : this.claims.get(claim.source)
    if (source === undefined) return
    if (!this.isInPlace(claim)) {
      this.end(source, 'RELEASED', 'moved', revision, now)
      return
    }
    // one claim takes the other's place on the host: what the report counts of the old one, it does not count of the new
    const counted = source.state === 'MATERIALISED' && claim.extra !== null
    this.#groups.join(claim.group, claim.host)
    this.#drop(claim)
    this.#unlink(claim, revision, now)
    const extra = this.#hosts.featureLevel < ADDED_IN_PLACE ? claim.extra : addedBy(claim, source)
    if (counted) this.move(claim, 'MATERIALISED', revision)
    claim.extra = this.#extraOnceSettled(claim, extra)
    this.#hold(claim)
    this.#end(this.own(source), 'RELEASED', 'moved', revision, now, false)
  }

  /**
   * What of a move in place stays apart once it is confirmed: what the host's report does not count yet; where the report counts nothing of
   * the claim, all that the move added, since the rest was held before it.
   */
  #extraOnceSettled(claim: Claim, extra: Grants | null): Grants | null {
    const record = this.#hosts.get(claim.host)
    if (isCounted(claim, record)) return countedBy(this.#hosts, record, extra)
    if (this.#hosts.featureLevel >= ADDED_IN_PLACE) return extra
    return claim.state === 'MATERIALISED' ? countedBy(this.#hosts, record, extra) : null
  }

  /** A live claim changes its group; the group that it leaves is forgotten with its last member. */
  changeGroup(changed: Claim, group: string | null, revision: number): void {
    const claim = this.own(changed)
    this.#leaveGroup(claim)
    claim.group = group
    this.touch(claim, revision)
    this.#groups.join(group, claim.host)
  }

  /**
   * Takes a claim out of the sums as if it were not there, for judging and deciding its move: out of its group, and with
   * `room` off its host. Answers how to put it back exactly.
   */
  lift(claim: Claim, room: boolean): () => void {
    const record = this.#hosts.get(claim.host)
    this.#groups.leave(claim.group, claim.host)
    const putBack = room ? liftCounted(this.#hosts, record, claim.grants, isCounted(claim, record)) : undefined
    const { mover, featureLevel } = this.#hosts
    if (featureLevel >= STRICT_CLAIMS) this.#hosts.mover = { host: claim.host, grants: claim.grants, isFree: room }
    return () => {
      this.#hosts.mover = mover
      putBack?.()
      this.#groups.join(claim.group, claim.host)
    }
  }

  /**
   * Takes the destination of an open move out of the sums, for judging and deciding what follows it: out of its group, and off its host where
   * no report counts it (below feature level OWN_UNITS only where both are plain amounts). Answers how to put it back exactly.
   */
  liftDestination(claim: Claim, isPlainNext: boolean): () => void {
    // on its source's own host it is no member, and what it holds is little more than its source
    if (this.isInPlace(claim)) return () => undefined
    const { mover, featureLevel } = this.#hosts
    const isFree = claim.state !== 'MATERIALISED' && (featureLevel >= OWN_UNITS || (isPlainNext && isPlain(claim.grants)))
    const putBack = this.lift(claim, isFree)
    // who moves is the source of the move: what is given up here keeps nothing
    this.#hosts.mover = mover
    const record = this.#hosts.get(claim.host)
    if (!isFree || featureLevel < ENDED_CLAIMS || !this.#hosts.isStillListed(record, claim.instance)) return putBack
    // its host lists the instance: when it ends, it goes on to hold what the report does not count
    hold(this.#hosts, record, claim.grants, true)
    return () => {
      drop(this.#hosts, record, claim.grants, true)
      putBack()
    }
  }

  /** Holds every claim of a host again after its inventory was replaced, and forgets ended claims whose instance is gone. */
  holdAll(record: OwnHostRecord): void {
    const { columns } = this.#hosts
    const { runningVms, numIoOps } = statsToCount(record)
    columns.instances[record.index] = runningVms
    columns.ioOps[record.index] = numIoOps
    for (const claim of record.claims) {
      if (isLive(claim)) this.#hold(claim)
      else if (this.#hosts.isStillListed(record, claim.instance)) hold(this.#hosts, record, claim.grants, true)
      else {
        record.claims.delete(claim)
        this.#forgetUnused(claim)
      }
    }
  }

  /** Lets go of ended claims of a host whose instances other claims are counted for: an instance holds its room once. */
  dropReplaced(record: OwnHostRecord): void {
    const ended = [...record.claims].filter((claim) => !isLive(claim))
    if (ended.length === 0) return
    const counted = new Set([...record.claims].flatMap(({ state, instance }) => (state === 'MATERIALISED' ? [instance] : [])))
    for (const claim of ended) {
      if (!counted.has(claim.instance)) continue
      record.claims.delete(claim)
      this.#forgetUnused(claim)
    }
  }

  /** Forgets keys whose time is over, and the ended claims that only they kept. */
  forgetEnded(now: number): void {
    for (; this.#forgotten < this.#ending.length; this.#forgotten++) {
      const bound = this.#ending[this.#forgotten] as BoundKey
      if ((bound.forgottenAt as number) > now) break
      this.#keys.delete(keyOf(bound.account, bound.key))
      for (const id of bound.claims) {
        const claim = this.claims.get(id)
        if (claim !== undefined) this.#forgetUnused(claim)
      }
    }
    for (const id of this.#ended.forget(now - this.#keyLimits.afterlifeMs)) if (this.#claims.has(id)) this.#inBoth--
    if (this.#forgotten < QUEUE_SLACK || 2 * this.#forgotten < this.#ending.length) return
    this.#ending = this.#ending.slice(this.#forgotten)
    this.#forgotten = 0
  }

  /** What a live claim holds: all of it, or what it adds to its source; and what no report counts yet. */
  #hold(claim: Claim): void {
    const record = this.#hosts.get(claim.host)
    const inPlace = this.isInPlace(claim)
    if (!inPlace) holdCounted(this.#hosts, record, this.#countedGrants(claim), isCounted(claim, record))
    else if (claim.extra === null) hold(this.#hosts, record, claim.grants, false)
    if (claim.extra !== null) hold(this.#hosts, record, claim.extra, false)
  }

  #drop(claim: Claim): void {
    const record = this.#hosts.get(claim.host)
    const inPlace = this.isInPlace(claim)
    if (!inPlace) dropCounted(this.#hosts, record, this.#countedGrants(claim), isCounted(claim, record))
    else if (claim.extra === null) drop(this.#hosts, record, claim.grants, false)
    if (claim.extra !== null) drop(this.#hosts, record, claim.extra, false)
  }

  /** What a live claim holds beside the others of its host: all of it; of a move in place what it adds to its source. */
  grantsBeside(claim: Claim): Grants {
    return this.isInPlace(claim) && claim.extra !== null ? claim.extra : claim.grants
  }

  /** What of a claim a report counts that lists its instance; `extra` is held apart. */
  #countedGrants({ grants, extra }: Claim): Grants {
    return extra === null || this.#hosts.featureLevel < STRICT_CLAIMS ? grants : withoutExtra(grants, extra)
  }

  /** The move of a claim is over: it and the other end stand alone. */
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

  /** While a claim moved, its instance could be on the other host: its own is asked for it from now on. */
  #askFor(claim: OwnClaim, now: number): void {
    if (this.#hosts.featureLevel >= UNLISTED_TIMES && claim.state === 'CONFIRMED' && claim.instance !== null) claim.unlistedAt = now
  }

  #leaveGroup({ group, host }: Claim): void {
    this.#groups.leave(group, host)
    this.#groups.forgetIfEmpty(group)
  }

  /** An ended claim is kept while its key is, and while its instance is still present. */
  #forgetUnused(claim: Claim): void {
    if (isLive(claim) || this.#hosts.get(claim.host).claims.has(claim)) return
    // the key may be bound anew by then, to other claims
    if (this.#keys.get(keyOf(claim.account, claim.key))?.claims.includes(claim.id)) return
    if (this.#ended.findClaim(claim.id) !== undefined) this.#inBoth--
    this.#claims.delete(claim.id)
  }

  #endKey(claim: Claim, now: number): void {
    const bound = this.findKey(claim.account, claim.key)
    if (bound === undefined || bound.forgottenAt !== null) return
    for (const id of bound.claims) {
      const other = this.claims.get(id)
      if (other !== undefined && isLive(other)) return
    }
    this.bind({ ...bound, forgottenAt: now + this.#keyLimits.afterlifeMs })
  }
}

/** The same in the same order, but for one that stands where another stood. */
const withInPlace = (set: ReadonlySet<Claim>, was: Claim, is: Claim): Set<Claim> =>
  new Set(Array.from(set, (claim) => (claim === was ? is : claim)))

const keyOf = (account: string, key: string): string => `${account}\u0000${key}`

/**
 * Whether every kind could hold these grants on the host now. `held`: what the same instance holds there already, with its room counted
 * as free: no more of a class than that needs no free room, however full the host is.
 */
export function grantsFit(hosts: HostTable, record: HostRecord, grants: Grants, held = heldByMover(hosts, record.index)): boolean {
  for (const kind of allKinds) {
    const grant = grants[kind.name]
    if (grant !== undefined && !kind.fits(hosts, record.index, grant, held?.[kind.name], grants)) return false
  }
  return true
}

/** Takes a new instance's grants from the host, and counts the instance. */
export function holdPart(hosts: HostTable, groups: Groups, part: ClaimPart, group: GroupBinding | null): void {
  const record = hosts.find(part) as HostRecord
  holdCounted(hosts, record, part.grants, false)
  groups.join(group?.uuid ?? null, record.index)
}

/** Undoes holdPart exactly. */
export function dropPart(hosts: HostTable, groups: Groups, part: ClaimPart, group: GroupBinding | null): void {
  const record = hosts.find(part) as HostRecord
  dropCounted(hosts, record, part.grants, false)
  groups.leave(group?.uuid ?? null, record.index)
}

/** Holds a part with plain amounts so many times, in one step: as often as `holdPart` would. Answers how to undo it exactly. */
export function holdCopies(hosts: HostTable, groups: Groups, part: ClaimPart, group: GroupBinding | null, copies: number): () => void {
  const record = hosts.find(part) as HostRecord
  const grants = plainTimes(part.grants, copies)
  const add = (by: 1 | -1): void => {
    if (by === 1) hold(hosts, record, grants, false)
    else drop(hosts, record, grants, false)
    count(hosts, record, by * copies)
    groups.add(group?.uuid ?? null, record.index, by * copies)
  }
  add(1)
  return () => add(-1)
}

function plainTimes({ classes, pools }: Grants, times: number): Grants {
  const multiplied = (amounts: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount * times]))
  return { ...(classes !== undefined && { classes: multiplied(classes) }), ...(pools !== undefined && { pools: multiplied(pools) }) }
}

/**
 * Holds what a move takes beside its source: all of it elsewhere; on the source's own host the difference where both are
 * plain amounts, else all of it too. The instance is counted once. Answers how to undo it exactly.
 */
export function holdMove(hosts: HostTable, groups: Groups, part: ClaimPart, group: GroupBinding | null, source: Claim): () => void {
  const record = hosts.find(part) as HostRecord
  if (record.index !== source.host) {
    holdPart(hosts, groups, part, group)
    return () => dropPart(hosts, groups, part, group)
  }
  const grants = growsInPlace(hosts, source, record.index, part.grants) ? surplusOf(part.grants, source.grants) : part.grants
  hold(hosts, record, grants, false)
  return () => drop(hosts, record, grants, false)
}

/** Whether a move stays on its host and takes only the difference there: other cells, CPUs and devices than it has are held twice. */
export const growsInPlace = (hosts: HostTable, source: Pick<Claim, 'host' | 'grants'>, host: number, next: Grants): boolean =>
  source.host === host && takesDifference(hosts, source.grants, next)

/** What a claim that grew in place holds beyond what its source held by the host's report: what moves before it added is among that. */
const addedBy = ({ extra, grants }: Claim, source: Claim): Grants | null =>
  extra === null || source.extra === null ? extra : surplusOf(grants, withoutExtra(source.grants, source.extra))

/** What `next` takes beyond `now`, class by class and pool by pool. */
function surplusOf(next: Grants, now: Grants): Grants {
  const classes = beyond(next.classes, now.classes)
  return next.pools === undefined ? { classes } : { classes, pools: beyond(next.pools, now.pools) }
}

const beyond = (next: Readonly<Record<string, number>> = {}, now: Readonly<Record<string, number>> = {}) =>
  Object.fromEntries(
    Object.entries(next)
      .map(([name, amount]) => [name, amount - (now[name] ?? 0)] as const)
      .filter(([, amount]) => amount > 0),
  )

/** Whether the figures of the host's report are taken to count a live claim. */
export const isCounted = ({ state }: Claim, { usedFrom }: HostRecord): boolean => state === 'MATERIALISED' && usedFrom === 'REPORT'

/** Grants less what is held beside the report's figures. */
export function withoutExtra(grants: Grants, extra: Grants): Grants {
  const less = (amounts: Readonly<Record<string, number>>, by: Readonly<Record<string, number>> = {}) =>
    Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount - (by[name] ?? 0)]))
  return {
    ...grants,
    ...(grants.classes !== undefined && { classes: less(grants.classes, extra.classes) }),
    ...(grants.pools !== undefined && { pools: less(grants.pools, extra.pools) }),
  }
}

/** The classes of these grants whose use the host's report counts; null when there are none. */
function countedBy(hosts: HostTable, { index }: HostRecord, grants: Grants | null): Grants | null {
  const counted = Object.entries(grants?.classes ?? {}).filter(
    ([resourceClass]) => hosts.classes.get(resourceClass)?.countsUse[index] === 1,
  )
  return counted.length === 0 ? null : { classes: Object.fromEntries(counted) }
}

function holdCounted(hosts: HostTable, record: HostRecord, grants: Grants, materialised: boolean): void {
  hold(hosts, record, grants, materialised)
  if (!materialised) count(hosts, record, 1)
}

function dropCounted(hosts: HostTable, record: HostRecord, grants: Grants, materialised: boolean): void {
  drop(hosts, record, grants, materialised)
  if (!materialised) count(hosts, record, -1)
}

/** Looks away from what is held on a host; answers how to see it again. */
function liftCounted(hosts: HostTable, record: HostRecord, grants: Grants, materialised: boolean): () => void {
  const putBack: (() => void)[] = []
  for (const kind of allKinds) {
    const grant = grants[kind.name]
    if (grant === undefined) continue
    if (kind.lift !== undefined) putBack.push(kind.lift(hosts, record.index, grant, materialised))
    else {
      // the report counts a materialised one, so that its amounts are owed back
      kind.drop(hosts, record.index, grant, false)
      putBack.push(() => kind.hold(hosts, record.index, grant, false))
    }
  }
  hosts.touch(record.index)
  count(hosts, record, -1)
  return () => {
    for (const back of putBack.reverse()) back()
    hosts.touch(record.index)
    count(hosts, record, 1)
  }
}

function hold(hosts: HostTable, record: HostRecord, grants: Grants, materialised: boolean): void {
  for (const kind of allKinds) {
    const grant = grants[kind.name]
    if (grant !== undefined) kind.hold(hosts, record.index, grant, materialised)
  }
  hosts.touch(record.index)
}

function drop(hosts: HostTable, record: HostRecord, grants: Grants, materialised: boolean): void {
  for (const kind of allKinds) {
    const grant = grants[kind.name]
    if (grant !== undefined) kind.drop(hosts, record.index, grant, materialised)
  }
  hosts.touch(record.index)
}

/** Instances, and as in Nova as many input/output-heavy operations, more or less than the report says. */
function count(hosts: HostTable, { index }: HostRecord, by: number): void {
  const { instances, ioOps } = hosts.columns
  instances[index] = (instances[index] as number) + by
  ioOps[index] = (ioOps[index] as number) + by
}
