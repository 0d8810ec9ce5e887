import { countedReservations } from '../claims/counted.ts'
import { isHeldOnly } from '../claims/held-until.ts'
import { setExtra } from '../claims/in-place.ts'
import { countedStats, isAllocation, isFleetAllocation, withOverride } from '../hosts/allocation.ts'
import { COMPUTE, type HostRecord, type HostTable, type OwnHostRecord, type Reporter } from '../hosts/hosts.ts'
import { classExcessOf } from '../kinds/classes/class-limit.ts'
import { allKinds } from '../kinds/index.ts'
import { takeDocument } from '../namespace/facts/taken.ts'
import { NO_RATIOS } from '../records/allocation-settings.ts'
import type { FleetAllocationSet, Grants, HostAllocationSet, HostReported, NamespaceReported, UsedFromSet } from '../records/change.ts'
import { type Claim, isLive } from '../records/claim.ts'
import { type HostStats, mergeDelta, type StatsDelta } from '../report/stats.ts'
import { currentStats } from '../report/stats-versions.ts'
import type { Code } from '../text/codes.ts'
import {
  BOUNDED_CLASSES,
  COUNTED_RESERVATIONS,
  ENDED_AS_HELD,
  ENDED_CLAIMS,
  NEWLY_LISTED,
  STRICT_CLAIMS,
  UNLISTED_TIMES,
} from '../values/levels.ts'
import { inSlices, SLICE, type Steps } from '../values/steps.ts'
import type { FleetState } from './fleet-state.ts'

/** Reports from this many earlier incarnations of a reporter are recognised as stale. */
export const PAST_INCARNATIONS = 8

/** Applies a host's report, unless a newer report is in the log. Materialises the claims of instances that the report lists. */
export function takeReport(fleet: FleetState, change: HostReported): Code | undefined {
  const { hosts, place, now } = fleet
  const known = hosts.find(change)
  const refusal = hosts.refusesName(change)
  if (refusal !== undefined) return refusal
  // a forgotten host returns like a new host, but reports from the time before it was forgotten are stale
  const returning = hosts.findForgotten(change)
  const reporter = (known ?? returning)?.reporters.get(COMPUTE)
  const order = judgeOrder(reporter, change)
  if (order !== undefined) return order
  if (change.delta !== undefined) {
    if (known === undefined) return 'report.unknown_host'
    if (reporter?.incarnation !== change.incarnation || reporter.sequence !== change.delta.baseSequence) return 'report.gap'
    if (!namesMovedAmounts(hosts, known, change.delta)) return 'report.gap'
  }
  if (hosts.featureLevel >= BOUNDED_CLASSES && change.full !== undefined && classExcessOf(hosts, change, change.full))
    return 'report.too_many_classes'
  const stats =
    change.full === undefined ? mergeDelta((known as HostRecord).stats, change.delta ?? { baseSequence: 0 }) : currentStats(change.full)
  if (known !== undefined) hosts.keepBefore(known.index)
  const record =
    returning !== undefined
      ? hosts.own(returning.index)
      : known === undefined
        ? hosts.add(change, stats, place.revision)
        : hosts.own(known.index)
  if (known === undefined) {
    if (returning !== undefined) hosts.rename(record, { gone: null })
    hosts.before.set(record.index, null)
    fleet.aggregates.attach(record)
  }
  record.reporters = new Map(record.reporters).set(COMPUTE, nextReporter(reporter, change))
  record.reportedAt = now
  record.revision = place.revision
  takeStats(fleet, record, stats, change.delta === undefined ? undefined : renewedBy(change.delta))
  return undefined
}

/**
 * Returns true if a delta contains the new used amounts for every instance that it adds or removes. Without these amounts, the use of the
 * instance would be included twice or not at all. A delta has no used amounts of cells, devices and custom classes, so instances with these
 * resources need a full report.
 */
function namesMovedAmounts(hosts: HostTable, record: HostRecord, delta: StatsDelta): boolean {
  // a report in Nova's form contains a whole document, which a delta cannot update
  if (record.stats.nova !== null) return false
  const renewed = renewedBy(delta)
  const moved = new Set([...(delta.addInstances ?? []), ...(delta.removeInstances ?? [])])
  for (const { instance, grants } of record.claims) {
    if (instance === null || !moved.has(instance)) continue
    if (!countsUse(hosts, record, grants, renewed)) return false
  }
  return true
}

/**
 * Returns true if a report has the new used amounts for all resources in these grants whose use the host reports. `renewed` are the
 * resource classes with a used amount in a delta. Undefined for a full report.
 */
function countsUse(hosts: HostTable, record: HostRecord, grants: Grants, renewed: ReadonlySet<string> | undefined): boolean {
  return (
    renewed === undefined ||
    allKinds.every((kind) => {
      const grant = grants[kind.name]
      return grant === undefined || !kind.countsUse(hosts, record.index, grant, renewed)
    })
  )
}

/** The resource classes for which a delta has a used amount. */
function renewedBy({ vcpusUsed, memoryMbUsed, localGbUsed }: StatsDelta): ReadonlySet<string> {
  const used = { VCPU: vcpusUsed, MEMORY_MB: memoryMbUsed, DISK_GB: localGbUsed }
  return new Set(Object.entries(used).flatMap(([resourceClass, amount]) => (amount === undefined ? [] : [resourceClass])))
}

/**
 * Stores the host's report and recounts its claims. `renewed` are the resource classes with a used amount in a delta, and undefined for a
 * full report. `earlier` is set if the report was received earlier under another name of the same machine. It is then the store time (the
 * database's clock) of that report.
 */
export function takeStats(
  fleet: FleetState,
  record: OwnHostRecord,
  stats: HostStats,
  renewed: ReadonlySet<string> | undefined,
  earlier?: number,
): void {
  const { hosts, ledger, place, now } = fleet
  const counted =
    hosts.featureLevel >= COUNTED_RESERVATIONS && stats.instances === null && earlier === undefined
      ? countedReservations(hosts, record, stats)
      : []
  const keepsUncounted = hosts.featureLevel >= ENDED_AS_HELD
  const isCountedAnew = (grants: Grants): boolean =>
    keepsUncounted
      ? countsUse(hosts, record, grants, renewed)
      : renewed === undefined || Object.keys(grants.classes ?? {}).every((name) => renewed.has(name))
  const listed = stats.instances === null ? undefined : new Set(stats.instances)
  const isShown = listed && materialising(fleet, record, listed)
  const settles = (claim: Claim): boolean =>
    claim.extra !== null && !isHeldOnly(claim) && (!keepsUncounted || earlier === undefined) && isCountedAnew(claim.extra)
  record.stats = stats
  record.traits = hosts.traitsOf(stats)
  hosts.setReportColumns(record.index, stats)
  if (listed !== undefined && isShown !== undefined) {
    record.present = listed
    for (const claim of record.claims) {
      // until a move within the host is confirmed, the instance belongs to the source claim
      if (ledger.isInPlace(claim)) continue
      // from now on the list shows which instances run
      if (isHeldOnly(claim)) ledger.endHold(claim, place.revision)
      if (settles(claim)) setExtra(ledger.own(claim), null)
      if (claim.instance === null) continue
      if (isShown(claim)) {
        ledger.move(claim, 'MATERIALISED', place.revision)
        // the report lists the instance, but its used amounts possibly do not include the instance yet
        const isCounted = isCountedAnew(claim.grants) && (earlier === undefined || claim.createdAt < earlier)
        if (keepsUncounted && !isCounted) setExtra(ledger.own(claim), claim.grants)
      }
      if (!listed.has(claim.instance)) unlist(fleet, claim)
    }
    if (hosts.featureLevel >= ENDED_CLAIMS) ledger.dropReplaced(record)
  }
  // a report without an instance list does not show which instances its used amounts include, so no claim is materialised
  else if (hosts.featureLevel >= STRICT_CLAIMS)
    for (const claim of record.claims) {
      if (keepsUncounted && !ledger.isInPlace(claim) && settles(claim)) setExtra(ledger.own(claim), null)
      unlist(fleet, claim)
    }
  for (const claim of counted) ledger.endCounted(claim, place.revision, now)
  countAnew(fleet, record)
}

/**
 * Returns a function that returns true if a report that lists these instances materialises a claim on its host. A RESERVED claim or the
 * destination of a move is not materialised if the preceding report already listed the instance, because the instance can still have its
 * former size. Until a move within the host is confirmed, the instance belongs to the source claim.
 */
export function materialising(
  { featureLevel, ledger }: Pick<FleetState, 'featureLevel' | 'ledger'>,
  { present }: HostRecord,
  listed: ReadonlySet<string>,
): (claim: Claim) => boolean {
  return (claim) => {
    const { instance, state, source } = claim
    if (instance === null || !listed.has(instance) || state === 'MATERIALISED' || !isLive(claim) || ledger.isInPlace(claim)) return false
    return featureLevel < NEWLY_LISTED || (state !== 'RESERVED' && source === null) || !present.has(instance)
  }
}

/**
 * Frees the resources of ended claims on hosts that do not list their instances. Called when the log reaches feature level ENDED_CLAIMS.
 */
export function* removeUnlisted(fleet: FleetState): Steps<void> {
  for (const host of inSlices(fleet.hosts.records, SLICE)) {
    if (host === undefined) yield
    if (host === undefined || host.stats.instances !== null || host.present.size === 0) continue
    const record = fleet.hosts.own(host.index)
    record.revision = fleet.place.revision
    countAnew(fleet, record)
  }
}

/** Sets a materialised claim back to CONFIRMED, because the report does not list its instance. */
function unlist({ ledger, place, now, featureLevel }: FleetState, claim: Claim): void {
  if (claim.state !== 'MATERIALISED') return
  ledger.move(claim, 'CONFIRMED', place.revision)
  if (featureLevel >= UNLISTED_TIMES) ledger.own(claim).unlistedAt = now
}

/** Sets a host's inventory from its report, and recounts all claims on the host. */
export function countAnew({ hosts, ledger }: FleetState, record: OwnHostRecord): void {
  const stats = countedStats(hosts, record)
  for (const kind of allKinds) kind.takeInventory(hosts, record.index, stats)
  ledger.holdAll(record)
  hosts.touch(record.index)
}

/** Sets where the used amounts of a host come from, as an operator chose: from its report or from its claims. */
export function takeUsedFrom(fleet: FleetState, { usedFrom, reason, ...name }: UsedFromSet): Code | undefined {
  const { hosts, place } = fleet
  const known = hosts.find(name)
  if (known === undefined) return 'report.unknown_host'
  const record = hosts.own(known.index)
  record.usedFrom = usedFrom
  record.usedFromReason = usedFrom === 'REPORT' ? '' : reason
  record.revision = place.revision
  // the host is marked as edited: claims that were decided with the former used amounts are then void
  hosts.columns.lastEdit[record.index] = place.revision
  countAnew(fleet, record)
  return undefined
}

/** Sets the allocation ratio and the reserved amount of a resource class on a host. The setting of the operator overrides the report. */
export function takeHostAllocation(fleet: FleetState, change: HostAllocationSet): Code | undefined {
  const { hosts, place, now } = fleet
  const known = hosts.find(change)
  if (known === undefined) return 'report.unknown_host'
  if (!isAllocation(change)) return 'allocation.range'
  const record = hosts.own(known.index)
  record.allocation = withOverride(record.allocation, change, now)
  countEdited(fleet, record, place.revision)
  return undefined
}

/**
 * Sets the fleet's default allocation ratios and reserved amounts. They apply to hosts that report in Nova's form and leave these values
 * out. A generator that yields after each slice of hosts. No other code may use the fleet until the generator ends.
 */
export function* takeFleetAllocation(fleet: FleetState, change: FleetAllocationSet): Steps<Code | undefined> {
  const { hosts, place, now } = fleet
  const { expectedVersion, release, classes, by, reason } = change
  if (hosts.fleetAllocation.version !== expectedVersion) return 'allocation.version'
  if (!isFleetAllocation(change)) return 'allocation.range'
  hosts.fleetAllocation = { version: expectedVersion + 1, release, classes, by, at: now, reason }
  for (const record of inSlices(hosts.present, SLICE))
    if (record === undefined) yield
    else if (record.stats.nova !== null) countEdited(fleet, hosts.own(record.index), place.revision)
  return undefined
}

/**
 * Recounts hosts whose allocation ratios can be set outside of their reports. Called when the log reaches feature level ALLOCATION_RULES.
 */
export function* countAllocations(fleet: FleetState): Steps<void> {
  for (const record of inSlices(fleet.hosts.present, SLICE))
    if (record === undefined) yield
    else if (record.aggregateRatios !== NO_RATIOS) countEdited(fleet, fleet.hosts.own(record.index), fleet.place.revision)
    // The fleet's values now replace missing values in the host's report. The host is not marked as edited, because the judge checks the
    // free capacity for every claim.
    else if (record.stats.nova !== null) countAnew(fleet, fleet.hosts.own(record.index))
}

/** Recounts a host and marks it as edited. Claims that were decided with its former capacity are then void. */
function countEdited(fleet: FleetState, record: OwnHostRecord, revision: number): void {
  record.revision = revision
  fleet.hosts.columns.lastEdit[record.index] = revision
  countAnew(fleet, record)
}

/** Stores a document that another service reports about a host. That service defines the form of the document. */
export function takeNamespace({ hosts, place, now, featureLevel }: FleetState, change: NamespaceReported): Code | undefined {
  const refusal = hosts.refusesName(change)
  if (refusal !== undefined) return refusal
  const known = hosts.find(change)
  if (known === undefined) return 'report.unknown_host'
  const reporter = known.reporters.get(change.namespace)
  const order = judgeOrder(reporter, change)
  if (order !== undefined) return order
  const record = hosts.own(known.index)
  record.reporters = new Map(record.reporters).set(change.namespace, nextReporter(reporter, change))
  const { version, document } = change
  // the time is stored only from feature level 5 on, because replicas of older releases do not store it, and their state must be equal
  const held = { version, document, ...(featureLevel >= 5 && { reportedAt: now }) }
  const before = record.namespaces.get(change.namespace)
  record.namespaces = new Map(record.namespaces).set(change.namespace, held)
  takeDocument(hosts, record.index, change.namespace, before)
  record.revision = place.revision
  hosts.touch(record.index)
  return undefined
}

function judgeOrder(
  reporter: Reporter | undefined,
  { incarnation, sequence }: { incarnation: string; sequence: number },
): Code | undefined {
  if (reporter === undefined) return undefined
  if (reporter.incarnation === incarnation ? sequence <= reporter.sequence : reporter.past.includes(incarnation)) return 'report.stale'
  return undefined
}

function nextReporter(reporter: Reporter | undefined, { incarnation, sequence }: { incarnation: string; sequence: number }): Reporter {
  const past =
    reporter === undefined || reporter.incarnation === incarnation ? (reporter?.past ?? []) : [reporter.incarnation, ...reporter.past]
  return { incarnation, sequence, past: past.slice(0, PAST_INCARNATIONS) }
}
