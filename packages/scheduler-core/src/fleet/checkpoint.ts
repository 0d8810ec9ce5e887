import type { BoundKey } from '../claims/bound-key.ts'
import { type Claim, isLive, type StoredClaim } from '../claims/claim.ts'
import type { StoredEndedKeys } from '../claims/ended-keys.ts'
import type { KeyLimits } from '../claims/ledger.ts'
import type { HostIndex } from '../host-index.ts'
import { allKinds } from '../kinds/index.ts'
import type { NamespaceDocument } from '../namespace/contract.ts'
import { takeDocument } from '../namespace/taken.ts'
import type { ProfileCourse } from '../profiles/course.ts'
import type { Profile } from '../profiles/profile.ts'
import type { Aggregate } from './aggregates.ts'
import { countedStats } from './allocation.ts'
import type { AllocationOverrides, FleetAllocation } from './allocation-settings.ts'
import { type GroupBinding, type HostStatus, hostStatuses, type Place, type UsedFrom } from './change.ts'
import { assertLevel, Fleet, type FleetReader } from './fleet.ts'
import type { HostName } from './host-name.ts'
import type { HostRecord, HostTable, Reporter } from './hosts.ts'
import type { FormerName, Gone } from './names.ts'
import { currentStats, type PublishedStats, publishedStats } from './stats-versions.ts'
import { atOnce, inSlices, SLICE } from './steps.ts'

/**
 * Format of checkpoints; a release reads this one and those before it, and says so when it meets another. Format 2 has
 * moves and edited groups; it is written once the log holds changes of feature level 2, so that until then an older
 * release can start from every checkpoint.
 */
export const CHECKPOINT_FORMAT = 2

/** A fleet at one place of the log as plain data: what `restoreFleet` makes the same fleet from. */
export interface Checkpoint {
  readonly format: 1 | typeof CHECKPOINT_FORMAT
  readonly place: Place
  /** Time of the log at that place. */
  readonly now: number
  readonly featureLevel: number
  /** Time of the log at which level STRICT_CLAIMS was reached, or PLAIN_IN_CELLS by now; left out before. */
  readonly strictSince?: number
  /** The last places up to this one, oldest first. */
  readonly places: readonly Place[]
  /** In the order of first sight. */
  readonly hosts: readonly StoredHost[]
  readonly aggregates: readonly Aggregate[]
  readonly groups: readonly (GroupBinding & { readonly lastEdit: number; readonly version?: number })[]
  /** Live ones, and ended ones that a key or a present instance still needs, in the order in which they were made. */
  readonly claims: readonly StoredClaim[]
  readonly keys: readonly BoundKey[]
  /** Since feature level 8; left out until they are set. */
  readonly keyLimits?: KeyLimits
  /** Since feature level 10; left out until it is set. */
  readonly fleetAllocation?: FleetAllocation
  /** Since feature level 8; keys whose claims have all ended, with those claims, are there and not among `keys` and `claims`. */
  readonly endedKeys?: StoredEndedKeys
  readonly profiles: readonly Profile[]
  readonly activeProfiles: readonly { readonly name: string; readonly number: number }[]
  /** Since feature level 4, which older releases do not start from; left out while there is none. */
  readonly profileCourses?: readonly (ProfileCourse & { readonly name: string })[]
}

export interface StoredHost extends HostName {
  readonly firstSeen: number
  /** In the oldest version that says all of it. */
  readonly stats: PublishedStats
  readonly status: HostStatus
  readonly statusReason: string
  readonly liveness: number
  /** Left out while the host is UP, and by releases that did not keep it. */
  readonly livenessReason?: string
  /** Both left out while its used amounts come from its report. */
  readonly usedFrom?: UsedFrom
  readonly usedFromReason?: string
  /** Since feature level 10; left out where operators set nothing. */
  readonly allocation?: AllocationOverrides
  readonly lastEdit: number
  readonly reportedAt: number
  readonly revision: number
  readonly reporters: readonly (readonly [string, Reporter])[]
  readonly namespaces: readonly (readonly [string, NamespaceDocument])[]
  readonly present: readonly string[]
  /** Since feature level 9; left out of hosts that are there, and of those that always had their name. */
  readonly gone?: Gone
  readonly formerNames?: readonly FormerName[]
  /** Ids of ended claims whose instance has been there ever since: what the host does not count itself stays taken. */
  readonly lingering: readonly string[]
}

/** The fleet as plain data. Its canonical JSON is equal on all replicas at the same place. */
export const checkpointOf = (fleet: Fleet): Checkpoint => atOnce(storeFleet(fleet, SLICE))

/**
 * The fleet that a checkpoint was taken of. Throws UnknownEntryError for one of a log whose feature level is not read,
 * RangeError for a format of another release.
 */
export const restoreFleet = (checkpoint: Checkpoint, reader?: FleetReader): Fleet => atOnce(rebuildFleet(checkpoint, reader))

/** The same with pauses. Nobody moves the fleet in them: of one that moves on, give a copy. */
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

/** The same with pauses. */
export function* rebuildFleet(checkpoint: Checkpoint, reader?: FleetReader, slice = SLICE): Generator<void, Fleet> {
  const fleet = new Fleet(reader)
  assertLevel(
    checkpoint.featureLevel,
    fleet.readsUpTo,
    (level) => `the checkpoint at revision ${checkpoint.place.revision} has feature level ${level}`,
  )
  if (checkpoint.format !== 1 && checkpoint.format !== CHECKPOINT_FORMAT)
    throw new RangeError(
      `the checkpoint at revision ${checkpoint.place.revision} has format ${checkpoint.format}; this release reads formats 1 to ${CHECKPOINT_FORMAT}`,
    )
  const { hosts, aggregates, groups, ledger, profiles } = fleet
  fleet.restoreLevel(checkpoint.featureLevel)
  fleet.strictSince = checkpoint.strictSince ?? 0
  if (checkpoint.fleetAllocation !== undefined) hosts.fleetAllocation = checkpoint.fleetAllocation
  for (const stored of inSlices(checkpoint.hosts, slice)) {
    if (stored === undefined) yield
    else restoreHost(hosts, stored)
  }
  for (const { uuid, version, updatedAt, revision, ratiosSet = {}, ...next } of checkpoint.aggregates)
    yield* aggregates.takeInSteps({ type: 'aggregate', uuid, expectedVersion: version - 1, next }, revision, updatedAt, ratiosSet)
  for (const { lastEdit, version = 1, ...binding } of checkpoint.groups) {
    groups.bind(binding)
    const group = groups.own(binding.uuid)
    if (group !== undefined) Object.assign(group, { lastEdit, version })
  }
  const lingering = new Set(checkpoint.hosts.flatMap((stored) => stored.lingering))
  for (const stored of inSlices(checkpoint.claims, slice)) {
    if (stored === undefined) {
      yield
      continue
    }
    const { host, node, index, ...claim } = stored
    const record = index === undefined ? hosts.find({ host, node }) : hosts.records[index]
    if (record === undefined) throw new RangeError(`the checkpoint holds a claim on ${host}, which it does not hold`)
    const restored = ledger.restore({
      project: null,
      instanceAccount: null,
      source: null,
      target: null,
      extra: null,
      unlistedAt: null,
      ...claim,
      host: record.index,
    })
    if (!isLive(restored) && !lingering.has(claim.id)) hosts.own(record.index).claims.delete(restored)
  }
  for (const claim of ledger.claimsInFull.values()) if (isLive(claim) && !ledger.isInPlace(claim)) groups.join(claim.group, claim.host)
  yield
  if (checkpoint.keyLimits !== undefined) ledger.restoreKeyLimits(checkpoint.keyLimits)
  ledger.restoreKeys(checkpoint.keys.map((key) => ({ ...key })))
  yield
  if (checkpoint.endedKeys !== undefined) yield* ledger.restoreEndedKeys(checkpoint.endedKeys)
  let restored = 0
  for (const stored of inSlices(checkpoint.hosts, slice)) {
    if (stored === undefined) {
      yield
      continue
    }
    const record = hosts.own(hosts.get(restored++ as HostIndex).index)
    ledger.holdAll(record)
    // after the aggregates, which mark hosts as edited
    record.revision = stored.revision
    hosts.columns.lastEdit[record.index] = stored.lastEdit
  }
  for (const profile of checkpoint.profiles) profiles.take(profile)
  for (const active of checkpoint.activeProfiles) profiles.activate(active)
  for (const { name, ...course } of checkpoint.profileCourses ?? []) profiles.restoreCourse(name, course)
  fleet.restorePlaces(checkpoint.places, checkpoint.now)
  return fleet
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
  record.statusReason = stored.statusReason
  record.livenessReason = stored.livenessReason ?? ''
  record.reportedAt = stored.reportedAt
  record.traits = hosts.traitsOf(stats)
  record.present = new Set(stored.present)
  record.reporters = new Map(stored.reporters)
  record.namespaces = new Map(stored.namespaces)
  for (const [namespace] of stored.namespaces) takeDocument(hosts, index, namespace, undefined)
  hosts.setTold(index, stats)
  record.usedFrom = stored.usedFrom ?? 'REPORT'
  record.usedFromReason = stored.usedFromReason ?? ''
  record.allocation = stored.allocation ?? {}
  const counted = countedStats(hosts, record)
  for (const kind of allKinds) kind.takeInventory(hosts, index, counted)
}

function storeClaim({ hosts }: Fleet, { host, project, instanceAccount, source, target, extra, unlistedAt, ...claim }: Claim): StoredClaim {
  const { host: name, node, gone } = hosts.get(host)
  return {
    ...claim,
    host: name,
    node,
    // another host may have that name now
    ...(gone !== null && { index: host }),
    ...(project !== null && { project }),
    ...(instanceAccount !== null && { instanceAccount }),
    ...(source !== null && { source }),
    ...(target !== null && { target }),
    ...(extra !== null && { extra }),
    ...(unlistedAt !== null && { unlistedAt }),
  }
}
