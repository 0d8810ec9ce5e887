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

/** How many earlier incarnations of a reporter are recognised as stale. */
export const PAST_INCARNATIONS = 8

/** Takes over a host's report, unless a newer one is in the log; it also materialises the claims of the instances that the report lists. */
export function takeReport(fleet: FleetState, change: HostReported): Code | undefined {
  const { hosts, place, now } = fleet
  const known = hosts.find(change)
  const refusal = hosts.refusesName(change)
  if (refusal !== undefined) return refusal
  // A forgotten host comes back like a new one, but what it sent before stays stale.
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
 * An instance that comes or goes moves its claim's use into the report's figures, or out of them: where the report counts use itself, the
 * delta must state the new figure. Cells, devices and custom classes have no figures in a delta, so they need a full report.
 */
function saysWhatItMoves(hosts: HostTable, record: HostRecord, delta: StatsDelta): boolean {
  // A document in Nova's form has to be reported as a whole, or it would no longer match the host.
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
 * Whether a report contains new use of these grants, as far as the reports of the host count it. `renewed`: the classes
 * whose use it contains; undefined: all.
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

/** The classes whose use a delta contains. */
function renewedBy({ vcpusUsed, memoryMbUsed, localGbUsed }: StatsDelta): ReadonlySet<string> {
  const used = { VCPU: vcpusUsed, MEMORY_MB: memoryMbUsed, DISK_GB: localGbUsed }
  return new Set(Object.entries(used).flatMap(([resourceClass, amount]) => (amount === undefined ? [] : [resourceClass])))
}

/**
 * Replaces the host's report and counts its claims again: materialised ones are in the report. `renewed` are the
 * classes whose use is new in it, if not all are. `earlier`: the store time of an earlier report, under another name of
 * the machine.
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
        // The instance is there, and its use is not in the figures yet.
        const isCounted = isCountedAnew(claim.grants) && (earlier === undefined || claim.createdAt < earlier)
        if (keepsUncounted && !isCounted) setExtra(ledger.own(claim), claim.grants)
      }
      if (!listed) unlist(fleet, claim)
    }
    if (hosts.featureLevel >= ENDED_CLAIMS) ledger.dropReplaced(record)
  }
  // A report without a list shows no instances: its figures may be those of others.
  else if (hosts.featureLevel >= STRICT_CLAIMS)
    for (const claim of record.claims) {
      if (keepsUncounted && !ledger.isInPlace(claim) && settles(claim)) setExtra(ledger.own(claim), null)
      unlist(fleet, claim)
    }
  countAnew(fleet, record)
}

/**
 * Whether a host that lists the instance of a claim shows by it that the instance runs at the size of the claim: not if the last list before had the instance
 * already. Then its size is another one until the claim is confirmed, and its move, if it is part of one.
 */
function listingOf({ featureLevel }: FleetState, { present }: HostRecord): (claim: Claim) => boolean {
  return ({ instance, state, source }) =>
    featureLevel < NEWLY_LISTED || (state !== 'RESERVED' && source === null) || (instance !== null && !present.has(instance))
}

/** Releases what ended claims hold on hosts without a list, once the log has reached the level of that rule. */
export function* removeUnlisted(fleet: FleetState): Steps<void> {
  for (const host of inSlices(fleet.hosts.records, SLICE)) {
    if (host === undefined) yield
    if (host === undefined || host.stats.instances !== null || host.present.size === 0) continue
    const record = fleet.hosts.own(host.index)
    record.revision = fleet.place.revision
    countAnew(fleet, record)
  }
}

/** The report of its host no longer shows the instance of a claim. */
function unlist({ ledger, place, now, featureLevel }: FleetState, claim: Claim): void {
  if (claim.state !== 'MATERIALISED') return
  ledger.move(claim, 'CONFIRMED', place.revision)
  if (featureLevel >= UNLISTED_TIMES) ledger.own(claim).unlistedAt = now
}

/** Takes over a host's inventory from its report, and recounts all of its claims. */
export function countAnew({ hosts, ledger }: FleetState, record: OwnHostRecord): void {
  const stats = countedStats(hosts, record)
  for (const kind of allKinds) kind.takeInventory(hosts, record.index, stats)
  ledger.holdAll(record)
  hosts.touch(record.index)
}

/** An operator sets where the used amounts of a host come from. */
export function takeUsedFrom(fleet: FleetState, { usedFrom, reason, ...name }: UsedFromSet): Code | undefined {
  const { hosts, place } = fleet
  const known = hosts.find(name)
  if (known === undefined) return 'report.unknown_host'
  const record = hosts.own(known.index)
  record.usedFrom = usedFrom
  record.usedFromReason = usedFrom === 'REPORT' ? '' : reason
  record.revision = place.revision
  // decisions on the former used amounts are void
  hosts.columns.lastEdit[record.index] = place.revision
  countAnew(fleet, record)
  return undefined
}

/** An operator sets how much of a class can be allocated on a host, whatever it reports. */
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
 * Replaces the values for hosts whose documents in Nova's form have none. A generator that pauses; nobody may use the
 * fleet until it ends.
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

/** Recounts hosts whose ratios may be set outside of their reports, once the log has reached the level of that rule. */
export function* countAllocations(fleet: FleetState): Steps<void> {
  for (const record of inSlices(fleet.hosts.present, SLICE))
    if (record === undefined) yield
    else if (record.aggregateRatios !== NO_RATIOS) countEdited(fleet, fleet.hosts.own(record.index), fleet.place.revision)
    // What its document leaves open now comes from the fleet's values; the judge checks for room, whatever was decided before.
    else if (record.stats.nova !== null) countAnew(fleet, fleet.hosts.own(record.index))
}

/** decisions on the host's former amounts are void */
function countEdited(fleet: FleetState, record: OwnHostRecord, revision: number): void {
  record.revision = revision
  fleet.hosts.columns.lastEdit[record.index] = revision
  countAnew(fleet, record)
}

/** Stores another service's document; its form is that service's own. */
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
  // The time is only kept once all replicas keep it, or they would differ.
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
