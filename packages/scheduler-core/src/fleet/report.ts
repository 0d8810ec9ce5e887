import { setExtra } from '../claims/in-place.ts'
import { countedStats, isAllocation, isFleetAllocation, withOverride } from '../hosts/allocation.ts'
import { COMPUTE, type HostRecord, type HostTable, type OwnHostRecord, type Reporter } from '../hosts/hosts.ts'
import { allKinds } from '../kinds/index.ts'
import { takeDocument } from '../namespace/facts/taken.ts'
import { NO_RATIOS } from '../records/allocation-settings.ts'
import type { FleetAllocationSet, Grants, HostAllocationSet, HostReported, NamespaceReported, UsedFromSet } from '../records/change.ts'
import { type Claim, isLive } from '../records/claim.ts'
import { type HostStats, mergeDelta, type StatsDelta } from '../report/stats.ts'
import { currentStats } from '../report/stats-versions.ts'
import type { Code } from '../text/codes.ts'
import { ENDED_AS_HELD, ENDED_CLAIMS, NEWLY_LISTED, STRICT_CLAIMS, UNLISTED_TIMES } from '../values/levels.ts'
import { inSlices, SLICE, type Steps } from '../values/steps.ts'
import type { FleetState } from './fleet-state.ts'

/** The number of earlier incarnations of a reporter that are recognised as stale. */
export const PAST_INCARNATIONS = 8

/** Applies a host's report unless a newer one is in the log. Materialises the claims of the instances that the report lists. */
export function takeReport(fleet: FleetState, change: HostReported): Code | undefined {
  const { hosts, place, now } = fleet
  const known = hosts.find(change)
  const refusal = hosts.refusesName(change)
  if (refusal !== undefined) return refusal
  // a forgotten host returns like a new one, but reports from before it was forgotten stay stale
  const returning = hosts.findForgotten(change)
  const reporter = (known ?? returning)?.reporters.get(COMPUTE)
  const order = judgeOrder(reporter, change)
  if (order !== undefined) return order
  if (change.delta !== undefined) {
    if (known === undefined) return 'report.unknown_host'
    if (reporter?.incarnation !== change.incarnation || reporter.sequence !== change.delta.baseSequence) return 'report.gap'
    if (!saysWhatItMoves(hosts, known, change.delta)) return 'report.gap'
  }
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
 * Whether a delta contains new usage for every instance that it adds or removes. When an instance is added or removed, the usage of its
 * claim moves into or out of the reported usage. If the report counts usage, the delta must therefore contain the new amount. A delta has
 * no amounts of cells, devices and custom classes, so these need a full report.
 */
function saysWhatItMoves(hosts: HostTable, record: HostRecord, delta: StatsDelta): boolean {
  // a document in Nova's form must be reported as a whole, or it would no longer match the host
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
 * Whether a report contains new usage of these grants, if the reports of the host count their usage at all. `renewed` are the resource
 * classes with new usage in the report. Undefined means all classes.
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

/** The resource classes for which a delta contains usage. */
function renewedBy({ vcpusUsed, memoryMbUsed, localGbUsed }: StatsDelta): ReadonlySet<string> {
  const used = { VCPU: vcpusUsed, MEMORY_MB: memoryMbUsed, DISK_GB: localGbUsed }
  return new Set(Object.entries(used).flatMap(([resourceClass, amount]) => (amount === undefined ? [] : [resourceClass])))
}

/**
 * Replaces the host's report and counts its claims again. `renewed` are the resource classes with new usage in the report; undefined means
 * all. `earlier` is the store time (the database's clock) of a report that arrived earlier, under a different name of the same machine.
 */
export function takeStats(
  fleet: FleetState,
  record: OwnHostRecord,
  stats: HostStats,
  renewed: ReadonlySet<string> | undefined,
  earlier?: number,
): void {
  const { hosts, ledger, place } = fleet
  const keepsUncounted = hosts.featureLevel >= ENDED_AS_HELD
  const isCountedAnew = (grants: Grants): boolean =>
    keepsUncounted
      ? countsUse(hosts, record, grants, renewed)
      : renewed === undefined || Object.keys(grants.classes ?? {}).every((name) => renewed.has(name))
  const mayShow = listingOf(fleet, record)
  const settles = ({ extra }: Claim): boolean => extra !== null && (!keepsUncounted || earlier === undefined) && isCountedAnew(extra)
  record.stats = stats
  record.traits = hosts.traitsOf(stats)
  hosts.setReportColumns(record.index, stats)
  if (stats.instances !== null) {
    record.present = new Set(stats.instances)
    for (const claim of record.claims) {
      // an instance that grows in place belongs to the source until the move is confirmed
      if (ledger.isInPlace(claim)) continue
      if (settles(claim)) setExtra(ledger.own(claim), null)
      if (claim.instance === null) continue
      const listed = record.present.has(claim.instance)
      if (listed && claim.state !== 'MATERIALISED' && isLive(claim) && mayShow(claim)) {
        ledger.move(claim, 'MATERIALISED', place.revision)
        // the instance is listed, but the reported amounts may not include its usage yet
        const isCounted = isCountedAnew(claim.grants) && (earlier === undefined || claim.createdAt < earlier)
        if (keepsUncounted && !isCounted) setExtra(ledger.own(claim), claim.grants)
      }
      if (!listed) unlist(fleet, claim)
    }
    if (hosts.featureLevel >= ENDED_CLAIMS) ledger.dropReplaced(record)
  }
  // a report without a list shows no instances, so its amounts may belong to other instances
  else if (hosts.featureLevel >= STRICT_CLAIMS)
    for (const claim of record.claims) {
      if (keepsUncounted && !ledger.isInPlace(claim) && settles(claim)) setExtra(ledger.own(claim), null)
      unlist(fleet, claim)
    }
  countAnew(fleet, record)
}

/**
 * Whether a report that lists the instance of a claim proves that the instance has the size of the claim. If the preceding report already
 * listed the instance, the instance may still have a different size until the claim or its move is confirmed.
 */
function listingOf({ featureLevel }: FleetState, { present }: HostRecord): (claim: Claim) => boolean {
  return ({ instance, state, source }) =>
    featureLevel < NEWLY_LISTED || (state !== 'RESERVED' && source === null) || (instance !== null && !present.has(instance))
}

/**
 * When the log reaches the feature level of this rule: releases the resources of ended claims on hosts that do not list their instances.
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

/** Returns a materialised claim to CONFIRMED, because the report of its host no longer lists its instance. */
function unlist({ ledger, place, now, featureLevel }: FleetState, claim: Claim): void {
  if (claim.state !== 'MATERIALISED') return
  ledger.move(claim, 'CONFIRMED', place.revision)
  if (featureLevel >= UNLISTED_TIMES) ledger.own(claim).unlistedAt = now
}

/** Sets a host's inventory from its report, and recounts all of its claims. */
export function countAnew({ hosts, ledger }: FleetState, record: OwnHostRecord): void {
  const stats = countedStats(hosts, record)
  for (const kind of allKinds) kind.takeInventory(hosts, record.index, stats)
  ledger.holdAll(record)
  hosts.touch(record.index)
}

/** Sets where a host's resource usage is read from, as an operator chose. */
export function takeUsedFrom(fleet: FleetState, { usedFrom, reason, ...name }: UsedFromSet): Code | undefined {
  const { hosts, place } = fleet
  const known = hosts.find(name)
  if (known === undefined) return 'report.unknown_host'
  const record = hosts.own(known.index)
  record.usedFrom = usedFrom
  record.usedFromReason = usedFrom === 'REPORT' ? '' : reason
  record.revision = place.revision
  // decisions that were based on the former usage are void
  hosts.columns.lastEdit[record.index] = place.revision
  countAnew(fleet, record)
  return undefined
}

/** Sets how much of a class can be allocated on a host. This setting of an operator overrides the report. */
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
 * Sets the fleet's values, which apply to hosts with documents in Nova's form that do not contain these values. This is a generator that
 * yields in between. No other code may use the fleet until it ends.
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

/** Recounts hosts with ratios that may be set outside of their reports, when the log reaches the feature level of this rule. */
export function* countAllocations(fleet: FleetState): Steps<void> {
  for (const record of inSlices(fleet.hosts.present, SLICE))
    if (record === undefined) yield
    else if (record.aggregateRatios !== NO_RATIOS) countEdited(fleet, fleet.hosts.own(record.index), fleet.place.revision)
    // The fleet's values now replace missing values in the host's document. No claim becomes void here, because the judge checks free
    // capacity in any case.
    else if (record.stats.nova !== null) countAnew(fleet, fleet.hosts.own(record.index))
}

/** Marks a host as edited, so that decisions based on its former amounts are void. */
function countEdited(fleet: FleetState, record: OwnHostRecord, revision: number): void {
  record.revision = revision
  fleet.hosts.columns.lastEdit[record.index] = revision
  countAnew(fleet, record)
}

/** Stores another service's document. That service defines its form. */
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
  // the time is stored only from level 5 on, when all replicas store it, because replicas would differ otherwise
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
