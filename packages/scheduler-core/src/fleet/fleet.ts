import {
  judgeAbandon,
  judgeClaims,
  judgeConfirm,
  judgeExtend,
  judgeGroup,
  judgeMembership,
  judgeMove,
  judgeRelease,
  judgeRevoke,
  type Void,
} from '../claims/judge.ts'
import { judgeExpiry } from '../claims/judge-expiry.ts'
import { judgeAbandonByLimits, judgeAttempt, judgeInstances, judgeKeyLimits, judgeMoveOfInstance } from '../claims/judge-instances.ts'
import { judgeListed } from '../claims/judge-listed.ts'
import { Ledger } from '../claims/ledger.ts'
import { Groups } from '../hosts/groups.ts'
import { type HostRecord, HostTable } from '../hosts/hosts.ts'
import { allKinds } from '../kinds/index.ts'
import { Profiles } from '../profiles/profiles.ts'
import {
  type AggregateChanged,
  type Change,
  ENTRY_FORMAT,
  FEATURE_LEVEL,
  hostStatuses,
  isProposal,
  type LivenessChanged,
  type LogEntry,
  livenessStates,
  type StatusSet,
} from '../records/change.ts'
import { claimChanges, knownTypes } from '../records/change-types.ts'
import { firstFenceOf } from '../records/claim.ts'
import { type LoadedParts, NO_PARTS } from '../records/loaded-parts.ts'
import { ORIGIN, type Place } from '../records/place.ts'
import { ALLOCATION_RULES, ENDED_CLAIMS, KEPT_DEVICES, PLAIN_IN_CELLS, STRICT_CLAIMS, UNLISTED_TIMES } from '../values/levels.ts'
import { atOnce, inSlices, SLICE, type Steps } from '../values/steps.ts'
import { Aggregates } from './aggregates.ts'
import { takeForget, takeReadmit, takeReplace } from './leave.ts'
import {
  countAllocations,
  countAnew,
  removeUnlisted,
  takeFleetAllocation,
  takeHostAllocation,
  takeNamespace,
  takeReport,
  takeUsedFrom,
} from './report.ts'

/** Changes that can affect every host. They are applied in steps, and the generator yields between steps. */
type LongChange = Extract<Change, { readonly type: 'aggregate' | 'fleetAllocation' | 'forget' | 'replace' }>

/** A fleet remembers this many of the last log positions. All changes of an entry whose basis is older are void. */
export const PLACE_WINDOW = 1_024

/** Thrown for an entry or a checkpoint that a newer release wrote. The replica must stop writing until it is upgraded. */
export class UnknownEntryError extends Error {
  override readonly name = 'UnknownEntryError'
}

/**
 * Settings for applying a log to a fleet. They are not part of the fleet's state. A fleet has these properties too. A fleet can therefore
 * be passed as the settings for a new fleet.
 */
export interface FleetReader {
  /** The plug-ins whose filters, weighers and schedulers profiles can name, in addition to those of the release. None by default. */
  readonly plugins?: LoadedParts | undefined
  /**
   * The highest feature level that is read, 1 to FEATURE_LEVEL. The default is FEATURE_LEVEL. With a lower level, the fleet reads the log
   * like an older release.
   */
  readonly readsUpTo?: number | undefined
}

/**
 * All data that decisions read: hosts, aggregates, groups, profiles, claims, keys. The data are computed from the log up to `place` and are
 * therefore the same on every replica. Only `apply` and overlays write the data, and an overlay undoes all its writes.
 */
export class Fleet {
  readonly hosts = new HostTable((from, to) => {
    for (const kind of allKinds) kind.copy?.(from, to)
  })
  readonly groups = new Groups()
  readonly aggregates = new Aggregates(this.hosts, (record) => countAnew(this, record))
  readonly profiles = new Profiles()
  readonly ledger = new Ledger(this.hosts, this.groups)
  /** The position of the last applied entry. */
  place: Place = ORIGIN
  /** The log's time in milliseconds since 1970: the latest time stamp of the applied entries. Never decreases. */
  now = 0
  /**
   * The log's time at which the fleet reached feature level STRICT_CLAIMS or, if that was later, PLAIN_IN_CELLS. 0 below STRICT_CLAIMS.
   * Claims that were created before this time were accepted by the rules of lower levels.
   */
  strictSince = 0
  /** Increases with every entry that changes more than claims. What decisions keep for kinds of requests is then prepared again. */
  changesBeyondClaims = 0
  /** The remembered log positions by revision. Each has the id of its entry. */
  readonly places = new Map<number, Place>([[0, ORIGIN]])
  readonly #ids = new Map<string, number>([['', 0]])
  #locked = false

  readonly plugins: LoadedParts
  readonly readsUpTo: number

  constructor({ plugins = NO_PARTS, readsUpTo = FEATURE_LEVEL }: FleetReader = {}) {
    this.plugins = plugins
    this.readsUpTo = readsUpTo
  }

  /**
   * Applies the next entry. Its changes are judged in order. For each change, the result has undefined if the change is valid, or an error
   * code if the change is void. Throws RangeError if the entry is not the next one, and UnknownEntryError if a newer release wrote it. If
   * `apply` throws, the fleet is unchanged.
   */
  apply(entry: LogEntry): readonly Void[] {
    return atOnce(this.applyInSteps(entry))
  }

  /**
   * `apply` as a generator, for a fleet that no other code uses. The fleet is locked until the whole entry is applied. If the generator is
   * ended early, the fleet cannot be used.
   */
  *applyInSteps(entry: LogEntry): Steps<readonly Void[]> {
    if (this.#locked) throw new Error('the fleet cannot change while an overlay is open, or another entry is being applied')
    if (entry.revision !== this.place.revision + 1)
      throw new RangeError(`entry ${entry.revision} does not follow revision ${this.place.revision}`)
    assertReadable(entry, this.readsUpTo)
    const refusal: Void = this.#ids.has(entry.id) ? 'entry.repeated' : this.knows(entry.basis) ? undefined : 'entry.basis'
    this.#locked = true
    if (!entry.changes.every(({ type }) => claimChanges.has(type))) this.changesBeyondClaims++
    this.#moveTo({ revision: entry.revision, id: entry.id, at: entry.at })
    this.ledger.forgetChanged()
    this.hosts.before.clear()
    this.aggregates.before.clear()
    if (refusal === undefined) yield* this.#raiseLevel(entry.changes)
    let fence = firstFenceOf(entry.revision)
    const verdicts: Void[] = []
    for (const change of inSlices(entry.changes, SLICE)) {
      if (change === undefined) {
        yield
        continue
      }
      if (refusal !== undefined) verdicts.push(refusal)
      else if (change.type === 'aggregate') verdicts.push(yield* this.#takeAggregate(change))
      else if (change.type === 'fleetAllocation') verdicts.push(yield* takeFleetAllocation(this, change))
      else if (change.type === 'forget') verdicts.push(yield* takeForget(this, change))
      else if (change.type === 'replace') verdicts.push(yield* takeReplace(this, change))
      else verdicts.push(this.#judge(change, entry.basis.revision, fence))
      if (refusal === undefined && isProposal(change)) fence += change.parts.length
    }
    this.ledger.forgetEnded(this.now)
    this.#locked = false
    return verdicts
  }

  /** Returns true if the fleet remembers this position of the log. It remembers only the last positions. */
  knows({ revision, id, at }: Place): boolean {
    const place = this.places.get(revision)
    return place !== undefined && place.id === id && place.at === at
  }

  /** The latest remembered revision of an entry with this id. Undefined if no such entry is remembered. */
  revisionOf(entryId: string): number | undefined {
    return this.#ids.get(entryId)
  }

  /** Restores the log positions from a checkpoint, oldest first. The fleet then remembers exactly these positions. */
  restorePlaces(places: readonly Place[], now: number): void {
    this.places.clear()
    this.#ids.clear()
    for (const place of places) this.#moveTo(place)
    this.now = now
  }

  /** Copies the position and the remembered positions of another fleet. */
  takePlaces(from: Fleet): void {
    this.places.clear()
    this.#ids.clear()
    for (const [revision, place] of from.places) this.places.set(revision, place)
    for (const [id, revision] of from.#ids) this.#ids.set(id, revision)
    this.place = from.place
    this.now = from.now
  }

  get featureLevel(): number {
    return this.hosts.featureLevel
  }

  /** Restores the feature level from a checkpoint. Must be called before the claims are restored. */
  restoreLevel(level: number): void {
    this.changesBeyondClaims++
    this.hosts.featureLevel = level
    this.profiles.reach(level)
  }

  get isLocked(): boolean {
    return this.#locked
  }

  /** Locks the fleet for an overlay. While it is locked, `apply` throws. */
  lock(): void {
    if (this.#locked) throw new Error('the fleet has an open overlay already, or an entry is being applied to it')
    this.#locked = true
  }

  unlock(): void {
    this.#locked = false
  }

  #moveTo(place: Place): void {
    this.place = place
    this.now = Math.max(this.now, place.at)
    this.places.set(place.revision, place)
    // an entry id that occurs twice is remembered until its later position is forgotten
    this.#ids.set(place.id, place.revision)
    const old = this.places.get(place.revision - PLACE_WINDOW)
    if (old === undefined) return
    this.places.delete(old.revision)
    if (this.#ids.get(old.id) === old.revision) this.#ids.delete(old.id)
  }

  /**
   * Raises the feature level before the other changes of the entry are applied, at whatever position in the entry the `feature` change is.
   */
  *#raiseLevel(changes: readonly Change[]): Steps<void> {
    const before = this.featureLevel
    for (const change of changes) if (change.type === 'feature') this.hosts.featureLevel = Math.max(this.featureLevel, change.level)
    this.profiles.reach(this.featureLevel)
    for (const level of [STRICT_CLAIMS, PLAIN_IN_CELLS]) if (before < level && this.featureLevel >= level) this.strictSince = this.now
    if (before < STRICT_CLAIMS && this.featureLevel >= STRICT_CLAIMS) {
      yield* this.#holdAnew(() => true)
    } else if (before < KEPT_DEVICES && this.featureLevel >= KEPT_DEVICES) yield* this.#holdAnew(({ stats }) => stats.pciPools.length > 0)
    if (before < ENDED_CLAIMS && this.featureLevel >= ENDED_CLAIMS) yield* removeUnlisted(this)
    if (before < ALLOCATION_RULES && this.featureLevel >= ALLOCATION_RULES) yield* countAllocations(this)
    if (before < UNLISTED_TIMES && this.featureLevel >= UNLISTED_TIMES) yield* this.#countUnlisted()
  }

  /** Stores the present time as `unlistedAt` in claims of unlisted instances, because lower levels do not store the actual time. */
  *#countUnlisted(): Steps<void> {
    for (const claim of inSlices(this.ledger.claimsInFull.values(), SLICE))
      if (claim === undefined) yield
      else if (claim.state === 'CONFIRMED' && claim.instance !== null) this.ledger.own(claim).unlistedAt = this.now
  }

  /** Recounts the claims of the affected hosts by the rules of the new feature level. */
  *#holdAnew(isAffected: (host: HostRecord) => boolean): Steps<void> {
    for (const host of inSlices(this.hosts.records, SLICE)) {
      if (host === undefined) {
        yield
        continue
      }
      if (!isAffected(host)) continue
      const record = this.hosts.own(host.index)
      countAnew(this, record)
      record.revision = this.place.revision
    }
  }

  *#takeAggregate(change: AggregateChanged): Steps<Void> {
    const refusal = yield* this.aggregates.refusesInSteps(change)
    if (refusal === undefined) yield* this.aggregates.takeInSteps(change, this.place.revision, this.now)
    return refusal
  }

  #judge(change: Exclude<Change, LongChange>, basis: number, fence: number): Void {
    const isStrict = this.featureLevel >= STRICT_CLAIMS
    switch (change.type) {
      case 'claims':
        return isStrict ? judgeInstances(this, basis, change, fence) : judgeClaims(this, basis, change, fence)
      case 'move':
        return isStrict ? judgeMoveOfInstance(this, basis, change, fence) : judgeMove(this, basis, change, fence)
      case 'instances':
        return change.isListed === true ? judgeListed(this, basis, change, fence) : judgeInstances(this, basis, change, fence)
      case 'attempt':
        return judgeAttempt(this, basis, change, fence)
      case 'confirm':
        return judgeConfirm(this, change)
      case 'extend':
        return judgeExtend(this, change)
      case 'release':
        return judgeRelease(this, change)
      case 'revoke':
        return judgeRevoke(this, change)
      case 'expire':
        return judgeExpiry(this, change)
      case 'abandon':
        return isStrict ? judgeAbandonByLimits(this, change) : judgeAbandon(this, change)
      case 'key-limits':
        return judgeKeyLimits(this, change)
      case 'report':
        return takeReport(this, change)
      case 'namespace':
        return takeNamespace(this, change)
      case 'status':
        return this.#setStatus(change)
      case 'liveness':
        return this.#setLiveness(change)
      case 'usedFrom':
        return takeUsedFrom(this, change)
      case 'hostAllocation':
        return takeHostAllocation(this, change)
      case 'readmit':
        return takeReadmit(this, change)
      case 'group':
        return judgeGroup(this, change)
      case 'membership':
        return judgeMembership(this, change)
      case 'profile':
        return this.profiles.take(change.profile)
      case 'activate':
        return this.profiles.activate(change)
      case 'rollout':
        return this.profiles.rollOut(change, this.now)
      case 'feature':
        // `#raiseLevel` raised the level before the changes of the entry
        return undefined
    }
  }

  #setStatus(change: StatusSet): Void {
    const known = this.hosts.find(change)
    if (known === undefined) return 'report.unknown_host'
    this.hosts.keepBefore(known.index)
    const record = this.hosts.own(known.index)
    const { columns } = this.hosts
    columns.status[record.index] = hostStatuses.indexOf(change.status)
    columns.lastEdit[record.index] = this.place.revision
    record.statusReason = change.reason
    record.revision = this.place.revision
    this.hosts.touch(record.index)
    return undefined
  }

  /**
   * Sets the liveness of a host. Existing claims stay. If the host becomes DOWN, claims are void if they were decided before this change.
   */
  #setLiveness(change: LivenessChanged): Void {
    const known = this.hosts.find(change)
    if (known === undefined) return 'report.unknown_host'
    this.hosts.keepBefore(known.index)
    const record = this.hosts.own(known.index)
    const { columns } = this.hosts
    columns.liveness[record.index] = livenessStates.indexOf(change.state)
    record.livenessReason = change.state === 'UP' ? '' : change.reason
    if (change.state === 'DOWN') columns.lastEdit[record.index] = this.place.revision
    record.revision = this.place.revision
    this.hosts.touch(record.index)
    return undefined
  }
}

function assertReadable(entry: LogEntry, readsUpTo: number): void {
  if (entry.format !== ENTRY_FORMAT)
    throw new UnknownEntryError(`entry ${entry.revision} has format ${entry.format}; this release reads format ${ENTRY_FORMAT}`)
  for (const change of entry.changes) {
    if (!knownTypes.has(change.type))
      throw new UnknownEntryError(`entry ${entry.revision} holds a change of type ${change.type}, which this release does not know`)
    if (change.type === 'feature')
      assertLevel(change.level, readsUpTo, (level) => `entry ${entry.revision} raises the feature level to ${level}`)
  }
}

/** Throws UnknownEntryError for a feature level above `readsUpTo`. `what` returns the first half of the error message. */
export function assertLevel(level: number, readsUpTo: number, what: (level: number) => string): void {
  if (level <= readsUpTo) return
  const isHeld = readsUpTo < FEATURE_LEVEL
  const allowed = isHeld
    ? `this replica is held at level ${readsUpTo}, and its release reads ${FEATURE_LEVEL}`
    : `this release reads ${readsUpTo}`
  throw new UnknownEntryError(`${what(level)}; ${allowed}`)
}
