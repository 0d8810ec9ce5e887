import type { StoredEndedKeys } from '../claims/ended/ended-keys.ts'
import type { KeyLimits } from '../claims/idempotency-keys.ts'
import { countedStats } from '../hosts/allocation.ts'
import type { HostRecord, HostTable, Reporter } from '../hosts/hosts.ts'
import type { FormerName, Gone } from '../hosts/names.ts'
import { allKinds } from '../kinds/index.ts'
import { takeDocument } from '../namespace/facts/taken.ts'
import type { AllocationOverrides, FleetAllocation } from '../records/allocation-settings.ts'
import type { BoundKey } from '../records/bound-key.ts'
import { type GroupBinding, type HostStatus, hostStatuses, type UsedFrom } from '../records/change.ts'
import { type Claim, isLive, type StoredClaim } from '../records/claim.ts'
import type { ProfileCourse } from '../records/course.ts'
import type { NamespaceDocument } from '../records/namespace-document.ts'
import type { Place } from '../records/place.ts'
import type { Profile } from '../records/profile.ts'
import { currentStats, type PublishedStats, publishedStats } from '../report/stats-versions.ts'
import type { HostName } from '../values/host-name.ts'
import { atOnce, inSlices, SLICE } from '../values/steps.ts'
import type { Aggregate } from './aggregates.ts'
import { assertLevel, Fleet, type FleetReader } from './fleet.ts'

/**
 * The newest format of checkpoints. A release reads this format and earlier formats, and refuses other formats with an error. Format 2
 * added moves and edited groups. It is written only from feature level 2 on. Therefore, an older release can start from a checkpoint below
 * that level.
 */
export const CHECKPOINT_FORMAT = 2

/** A fleet at one position of the log as plain data. `restoreFleet` creates the same fleet from it. */
export interface Checkpoint {
  readonly format: 1 | typeof CHECKPOINT_FORMAT
  readonly place: Place
  /** The log's time at that position, in milliseconds since 1970. */
  readonly now: number
  readonly featureLevel: number
  /**
   * The log's time at which the fleet reached feature level STRICT_CLAIMS or, if that was later, PLAIN_IN_CELLS. Absent below
   * STRICT_CLAIMS.
   */
  readonly strictSince?: number
  /** The last log positions that the fleet remembers, oldest first. */
  readonly places: readonly Place[]
  /** All hosts, in the order of their first reports. */
  readonly hosts: readonly StoredHost[]
  readonly aggregates: readonly Aggregate[]
  readonly groups: readonly (GroupBinding & { readonly lastEdit: number; readonly version?: number })[]
  /**
   * The live claims, and the ended claims that are stored for their key or for an instance that can still be running. In the order of
   * creation.
   */
  readonly claims: readonly StoredClaim[]
  readonly keys: readonly BoundKey[]
  /** Written since feature level 8. Absent if operators set no key limits. */
  readonly keyLimits?: KeyLimits
  /** Written since feature level 10. Absent if operators set no allocation for the fleet. */
  readonly fleetAllocation?: FleetAllocation
  /**
   * Written since feature level 8. Keys whose claims have all ended are stored here together with their claims, not in `keys` and `claims`.
   */
  readonly endedKeys?: StoredEndedKeys
  readonly profiles: readonly Profile[]
  readonly activeProfiles: readonly { readonly name: string; readonly number: number }[]
  /**
   * Written since feature level 4. Older releases do not start from a checkpoint that contains this field. Absent if there were no
   * rollouts.
   */
  readonly profileCourses?: readonly (ProfileCourse & { readonly name: string })[]
}

/** A checkpoint without the lists that grow with the fleet. */
export type CheckpointHead = Omit<Checkpoint, 'hosts' | 'claims' | 'keys' | 'endedKeys'>

export interface StoredHost extends HostName {
  readonly firstSeen: number
  /** The host's report, in the oldest published version that has all fields of the report. */
  readonly stats: PublishedStats
  readonly status: HostStatus
  readonly statusReason: string
  readonly liveness: number
  /** Absent while the host is UP, and in checkpoints of releases that did not store the reason. */
  readonly livenessReason?: string
  /** `usedFrom` and its reason are absent while the host's resource usage is read from its report. */
  readonly usedFrom?: UsedFrom
  readonly usedFromReason?: string
  /** Written since feature level 10. Absent if operators set no allocation for the host. */
  readonly allocation?: AllocationOverrides
  readonly lastEdit: number
  readonly reportedAt: number
  readonly revision: number
  readonly reporters: readonly (readonly [string, Reporter])[]
  readonly namespaces: readonly (readonly [string, NamespaceDocument])[]
  readonly present: readonly string[]
  /** `gone` and `formerNames` are written since feature level 9. Absent for hosts that never left the fleet and were never renamed. */
  readonly gone?: Gone
  readonly formerNames?: readonly FormerName[]
  /**
   * The ids of ended claims whose instances can still be running on the host. For these claims, resources remain reserved that the host's
   * report does not include.
   */
  readonly lingering: readonly string[]
}

/** The fleet as plain data. Its canonical JSON is equal on all replicas at the same position. */
export const checkpointOf = (fleet: Fleet): Checkpoint => atOnce(storeFleet(fleet, SLICE))

/**
 * Restores the fleet from a checkpoint. Throws UnknownEntryError if this release does not read the feature level of the checkpoint, and
 * RangeError if it does not read the format.
 */
export const restoreFleet = (checkpoint: Checkpoint, reader?: FleetReader): Fleet => atOnce(rebuildFleet(checkpoint, reader))

/**
 * `checkpointOf` as a generator that yields after each slice of records. The fleet must not change until the generator ends. If other code
 * changes the fleet, pass a copy.
 */
export const captureFleet = (fleet: Fleet, slice = SLICE): Generator<void, Checkpoint> => storeFleet(fleet, slice)

function* storeFleet(fleet: Fleet, slice: number): Generator<void, Checkpoint> {
  const { hosts, aggregates, groups, ledger, profiles } = fleet
  const storedHosts = yield* storeEach(hosts.records, (record) => storeHost(fleet, record), slice)
  const claims = yield* storeEach(ledger.claimsInFull.values(), (claim) => storeClaim(fleet, claim), slice)
  const keys = yield* storeEach(ledger.keysInFull(), (key) => ({ ...key }), slice)
  const endedKeys = ledger.endedKeys()
  return {
    format: fleet.featureLevel >= 2 ? 2 : 1,
    place: fleet.place,
    now: fleet.now,
    featureLevel: fleet.featureLevel,
    ...(fleet.strictSince > 0 && { strictSince: fleet.strictSince }),
    places: [...fleet.places.values()].sort((a, b) => a.revision - b.revision),
    hosts: storedHosts,
    aggregates: [...aggregates.byUuid.values()],
    groups: [...groups.byUuid.values()].map(({ uuid, policy, maxServerPerHost, apartFrom, lastEdit, version }) => ({
      uuid,
      policy,
      maxServerPerHost,
      ...(apartFrom !== undefined && { apartFrom }),
      lastEdit,
      ...(version > 1 && { version }),
    })),
    claims,
    keys,
    ...(ledger.keyLimits.version > 0 && { keyLimits: ledger.keyLimits }),
    ...(hosts.fleetAllocation.version > 0 && { fleetAllocation: hosts.fleetAllocation }),
    ...(endedKeys !== undefined && { endedKeys }),
    profiles: profiles.written(),
    activeProfiles: profiles
      .names()
      .map((name) => ({ name, number: profiles.activeNumber(name) as number }))
      .filter(({ number }) => number > 0),
    ...(profiles.courses().size > 0 && { profileCourses: [...profiles.courses()].map(([name, course]) => ({ name, ...course })) }),
  }
}

/** `restoreFleet` as a generator that yields after each slice of records. */
export function* rebuildFleet(checkpoint: Checkpoint, reader?: FleetReader, slice = SLICE): Generator<void, Fleet> {
  const builder = new FleetBuilder(checkpoint, reader, slice)
  yield* builder.takeHosts(checkpoint.hosts)
  yield* builder.takeClaims(checkpoint.claims)
  builder.takeKeys(checkpoint.keys)
  return yield* builder.build(checkpoint.endedKeys)
}

/**
 * Builds the fleet of a checkpoint from pieces of its lists, so that the checkpoint is never in memory as a whole: first all hosts, then all
 * claims, then all keys, each in their order. The generators yield after each slice of records, and must be run to their end.
 */
export class FleetBuilder {
  readonly #fleet: Fleet
  readonly #head: CheckpointHead
  readonly #slice: number
  /** The ids of ended claims that stay on their hosts. */
  readonly #lingering = new Set<string>()
  readonly #keys: BoundKey[] = []
  #hasAllHosts = false

  /**
   * Throws UnknownEntryError if this release does not read the feature level of the checkpoint, and RangeError if it does not read the
   * format.
   */
  constructor(head: CheckpointHead, reader?: FleetReader, slice = SLICE) {
    const fleet = new Fleet(reader)
    const { format, place, featureLevel } = head
    assertLevel(featureLevel, fleet.readsUpTo, (level) => `the checkpoint at revision ${place.revision} has feature level ${level}`)
    if (format !== 1 && format !== CHECKPOINT_FORMAT)
      throw new RangeError(
        `the checkpoint at revision ${place.revision} has format ${format}; this release reads formats 1 to ${CHECKPOINT_FORMAT}`,
      )
    fleet.restoreLevel(featureLevel)
    fleet.strictSince = head.strictSince ?? 0
    if (head.fleetAllocation !== undefined) fleet.hosts.fleetAllocation = head.fleetAllocation
    this.#fleet = fleet
    this.#head = head
    this.#slice = slice
  }

  *takeHosts(hosts: readonly StoredHost[]): Generator<void, void> {
    for (const stored of inSlices(hosts, this.#slice)) {
      if (stored === undefined) {
        yield
        continue
      }
      restoreHost(this.#fleet.hosts, stored)
      for (const id of stored.lingering) this.#lingering.add(id)
    }
  }

  *takeClaims(claims: readonly StoredClaim[]): Generator<void, void> {
    const { hosts, ledger } = this.#fleet
    yield* this.#endHosts()
    for (const stored of inSlices(claims, this.#slice)) {
      if (stored === undefined) {
        yield
        continue
      }
      const { host, node, index } = stored
      const record = index === undefined ? hosts.find({ host, node }) : hosts.records[index]
      if (record === undefined) throw new RangeError(`the checkpoint has a claim on the host ${host}, but not the host`)
      const restored = ledger.restore(stored, record.index)
      if (!isLive(restored) && !this.#lingering.has(stored.id)) hosts.own(record.index).claims.delete(restored)
    }
  }

  takeKeys(keys: readonly BoundKey[]): void {
    for (const key of keys) this.#keys.push({ ...key })
  }

  /** The fleet, after all hosts, claims and keys were taken. */
  *build(endedKeys?: StoredEndedKeys): Generator<void, Fleet> {
    const fleet = this.#fleet
    const { hosts, groups, ledger, profiles } = fleet
    const { keyLimits, places, now, profiles: written, activeProfiles, profileCourses = [] } = this.#head
    yield* this.#endHosts()
    for (const claim of ledger.claimsInFull.values()) if (isLive(claim) && !ledger.isInPlace(claim)) groups.join(claim.group, claim.host)
    yield
    if (keyLimits !== undefined) ledger.restoreKeyLimits(keyLimits)
    ledger.restoreKeys(this.#keys)
    yield
    if (endedKeys !== undefined) yield* ledger.restoreEndedKeys(endedKeys)
    for (const record of inSlices(hosts.records, this.#slice)) {
      if (record === undefined) yield
      else ledger.holdAll(hosts.own(record.index))
    }
    for (const profile of written) profiles.take(profile)
    for (const active of activeProfiles) profiles.activate(active)
    for (const { name, ...course } of profileCourses) profiles.restoreCourse(name, course)
    fleet.restorePlaces(places, now)
    return fleet
  }

  /** Restores what needs all hosts, and what claims need. */
  *#endHosts(): Generator<void, void> {
    if (this.#hasAllHosts) return
    this.#hasAllHosts = true
    const { aggregates, groups } = this.#fleet
    yield* aggregates.restoreInSteps(this.#head.aggregates)
    for (const { lastEdit, version = 1, ...binding } of this.#head.groups) {
      groups.bind(binding)
      const group = groups.own(binding.uuid)
      if (group !== undefined) Object.assign(group, { lastEdit, version })
    }
  }
}

function* storeEach<Item, Stored>(items: Iterable<Item>, store: (item: Item) => Stored, slice: number): Generator<void, Stored[]> {
  const stored: Stored[] = []
  for (const item of inSlices(items, slice)) {
    if (item === undefined) yield
    else stored.push(store(item))
  }
  return stored
}

function storeHost({ hosts: { columns } }: Fleet, record: HostRecord): StoredHost {
  return {
    host: record.host,
    node: record.node,
    firstSeen: record.firstSeen,
    stats: publishedStats(record.stats),
    status: hostStatuses[columns.status[record.index] as number] as HostStatus,
    statusReason: record.statusReason,
    liveness: columns.liveness[record.index] as number,
    ...(record.livenessReason !== '' && { livenessReason: record.livenessReason }),
    ...(record.usedFrom !== 'REPORT' && { usedFrom: record.usedFrom, usedFromReason: record.usedFromReason }),
    ...(Object.keys(record.allocation).length > 0 && { allocation: record.allocation }),
    lastEdit: columns.lastEdit[record.index] as number,
    reportedAt: record.reportedAt,
    revision: record.revision,
    reporters: [...record.reporters],
    namespaces: [...record.namespaces],
    present: [...record.present],
    ...(record.gone !== null && { gone: record.gone }),
    ...(record.formerNames.length > 0 && { formerNames: record.formerNames }),
    lingering: [...record.claims].filter((claim) => !isLive(claim)).map(({ id }) => id),
  }
}

function restoreHost(hosts: HostTable, stored: StoredHost): void {
  const stats = currentStats(stored.stats)
  const { gone, formerNames } = stored
  const record = hosts.add(stored, stats, stored.firstSeen, { ...(gone && { gone }), ...(formerNames && { formerNames }) })
  const { index } = record
  hosts.columns.status[index] = hostStatuses.indexOf(stored.status)
  hosts.columns.liveness[index] = stored.liveness
  hosts.columns.lastEdit[index] = stored.lastEdit
  record.revision = stored.revision
  record.statusReason = stored.statusReason
  record.livenessReason = stored.livenessReason ?? ''
  record.reportedAt = stored.reportedAt
  record.traits = hosts.traitsOf(stats)
  if (stored.present.length > 0) record.present = new Set(stored.present)
  record.reporters = new Map(stored.reporters)
  if (stored.namespaces.length > 0) record.namespaces = new Map(stored.namespaces)
  for (const [namespace] of stored.namespaces) takeDocument(hosts, index, namespace, undefined)
  hosts.setReportColumns(index, stats)
  record.usedFrom = stored.usedFrom ?? 'REPORT'
  record.usedFromReason = stored.usedFromReason ?? ''
  if (stored.allocation !== undefined) record.allocation = stored.allocation
  const counted = countedStats(hosts, record)
  for (const kind of allKinds) kind.takeInventory(hosts, index, counted)
}

/** The fields are listed, because an object that begins with a copy and adds fields gets hidden classes of its own. */
function storeClaim({ hosts }: Fleet, claim: Claim): StoredClaim {
  const { host, untilCounted, heldUntil, project, instanceAccount, source, target, extra, extraSince, unlistedAt } = claim
  const { host: name, node, gone } = hosts.get(host)
  return {
    id: claim.id,
    instance: claim.instance,
    account: claim.account,
    key: claim.key,
    grants: claim.grants,
    group: claim.group,
    decision: claim.decision,
    fence: claim.fence,
    createdAt: claim.createdAt,
    state: claim.state,
    expiresAt: claim.expiresAt,
    confirmedAt: claim.confirmedAt,
    endedAt: claim.endedAt,
    reason: claim.reason,
    revision: claim.revision,
    host: name,
    node,
    // another host can have this name now, so the index is stored for a host that left
    ...(gone !== null && { index: host }),
    ...(untilCounted !== null && { untilCounted }),
    ...(heldUntil !== null && { heldUntil }),
    ...(project !== null && { project }),
    ...(instanceAccount !== null && { instanceAccount }),
    ...(source !== null && { source }),
    ...(target !== null && { target }),
    ...(extra !== null && { extra }),
    ...(extraSince !== null && { extraSince }),
    ...(unlistedAt !== null && { unlistedAt }),
  }
}
