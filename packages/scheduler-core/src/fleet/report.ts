import type { Claim } from '../claims/claim.ts'
import type { Code } from '../codes.ts'
import { allKinds } from '../kinds/index.ts'
import { takeDocument } from '../namespace/taken.ts'
import { countedStats, isAllocation, isFleetAllocation, withOverride } from './allocation.ts'
import { NO_RATIOS } from './allocation-settings.ts'
import type { FleetAllocationSet, HostAllocationSet, HostReported, NamespaceReported, UsedFromSet } from './change.ts'
import type { FleetState } from './fleet-state.ts'
import { COMPUTE, type HostRecord, type HostTable, type OwnHostRecord, type Reporter } from './hosts.ts'
import { ENDED_CLAIMS, STRICT_CLAIMS, UNLISTED_TIMES } from './levels.ts'
import { type HostStats, mergeDelta, type StatsDelta } from './stats.ts'
import { currentStats } from './stats-versions.ts'
import { inSlices, SLICE, type Steps } from './steps.ts'

/** How many earlier incarnations of a reporter are recognised as stale. */
export const PAST_INCARNATIONS = 8

/** Takes a host's report over, unless a newer one is in the log; the same change materialises what the report lists. */
export function takeReport(fleet: FleetState, change: HostReported): Code | undefined {
  const { hosts, place, now } = fleet
  const known = hosts.find(change)
  const refusal = hosts.refusesName(change)
  if (refusal !== undefined) return refusal
  // a host that was forgotten comes back as it would come new, but what it sent before is as old as ever
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
  takeStats(fleet, record, stats, change.delta === undefined ? undefined : toldBy(change.delta))
  return undefined
}

/**
 * An instance that comes or goes takes its claim's use into the report's figures, or out of them: where the report counts
 * use itself, the delta must give the new figure. Cells, devices and classes of their own have none in a delta: they need a full report.
 */
function saysWhatItMoves(hosts: HostTable, record: HostRecord, delta: StatsDelta): boolean {
  // what Nova wrote is told anew as a whole, or would no longer be what the host is
  if (record.stats.nova !== null) return false
  const told = toldBy(delta)
  const moved = new Set([...(delta.addInstances ?? []), ...(delta.removeInstances ?? [])])
  for (const { instance, grants } of record.claims) {
    if (instance === null || !moved.has(instance)) continue
    for (const kind of allKinds) {
      const grant = grants[kind.name]
      if (grant !== undefined && kind.countsUse(hosts, record.index, grant, told)) return false
    }
  }
  return true
}

/** The classes whose use a delta says anew. */
function toldBy({ vcpusUsed, memoryMbUsed, localGbUsed }: StatsDelta): ReadonlySet<string> {
  const used = { VCPU: vcpusUsed, MEMORY_MB: memoryMbUsed, DISK_GB: localGbUsed }
  return new Set(Object.entries(used).flatMap(([resourceClass, amount]) => (amount === undefined ? [] : [resourceClass])))
}

/**
 * Replaces what is known about a host and counts its claims anew: materialised ones are in the report. `told` are the
 * classes whose use is new in it, if not all are.
 */
export function takeStats(fleet: FleetState, record: OwnHostRecord, stats: HostStats, told: ReadonlySet<string> | undefined): void {
  const { hosts, ledger, place } = fleet
  record.stats = stats
  record.traits = hosts.traitsOf(stats)
  hosts.setTold(record.index, stats)
  if (stats.instances !== null) {
    record.present = new Set(stats.instances)
    for (const claim of record.claims) {
      // an instance that grows in place is its source's until the move is confirmed
      if (ledger.isInPlace(claim)) continue
      if (claim.extra !== null && (told === undefined || Object.keys(claim.extra.classes ?? {}).every((name) => told.has(name))))
        ledger.own(claim).extra = null
      if (claim.instance === null) continue
      const listed = record.present.has(claim.instance)
      if (listed && (claim.state === 'RESERVED' || claim.state === 'CONFIRMED')) ledger.move(claim, 'MATERIALISED', place.revision)
      if (!listed) unlist(fleet, claim)
    }
    if (hosts.featureLevel >= ENDED_CLAIMS) ledger.dropReplaced(record)
  }
  // a report that lists nothing shows nobody's instance: its figures may be of others
  else if (hosts.featureLevel >= STRICT_CLAIMS) for (const claim of record.claims) unlist(fleet, claim)
  countAnew(fleet, record)
}

/** Lets go of what ended claims hold on hosts that list nothing, once the log has reached the level of that rule. */
export function* letGoUnlisted(fleet: FleetState): Steps<void> {
  for (const host of inSlices(fleet.hosts.records, SLICE)) {
    if (host === undefined) yield
    if (host === undefined || host.stats.instances !== null || host.present.size === 0) continue
    const record = fleet.hosts.own(host.index)
    record.revision = fleet.place.revision
    countAnew(fleet, record)
  }
}

/** The report of its host does not show the instance of a claim any more. */
function unlist({ ledger, place, now, featureLevel }: FleetState, claim: Claim): void {
  if (claim.state !== 'MATERIALISED') return
  ledger.move(claim, 'CONFIRMED', place.revision)
  if (featureLevel >= UNLISTED_TIMES) ledger.own(claim).unlistedAt = now
}

/** Takes a host's inventory over from its report, and counts all of its claims again. */
export function countAnew({ hosts, ledger }: FleetState, record: OwnHostRecord): void {
  const stats = countedStats(hosts, record)
  for (const kind of allKinds) kind.takeInventory(hosts, record.index, stats)
  ledger.holdAll(record)
  hosts.touch(record.index)
}

/** An operator says where the used amounts of a host come from. */
export function takeUsedFrom(fleet: FleetState, { usedFrom, reason, ...name }: UsedFromSet): Code | undefined {
  const { hosts, place } = fleet
  const known = hosts.find(name)
  if (known === undefined) return 'report.unknown_host'
  const record = hosts.own(known.index)
  record.usedFrom = usedFrom
  record.usedFromReason = usedFrom === 'REPORT' ? '' : reason
  record.revision = place.revision
  // what was decided on the other figures does not count
  hosts.columns.lastEdit[record.index] = place.revision
  countAnew(fleet, record)
  return undefined
}

/** An operator sets how much of a class counts on a host, whatever it reports. */
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

/** What counts where documents in Nova's form say nothing is replaced as a whole. Pauses, during which nobody may use the fleet. */
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

/** Hosts whose ratios others than their report may say are counted again once the log has reached the level of that rule. */
export function* countAllocations(fleet: FleetState): Steps<void> {
  for (const record of inSlices(fleet.hosts.present, SLICE))
    if (record === undefined) yield
    else if (record.aggregateRatios !== NO_RATIOS) countEdited(fleet, fleet.hosts.own(record.index), fleet.place.revision)
    // what its document leaves open says the fleet from now on; the judge asks whether there is room, whatever was decided before
    else if (record.stats.nova !== null) countAnew(fleet, fleet.hosts.own(record.index))
}

/** What was decided on the host's other figures does not count. */
function countEdited(fleet: FleetState, record: OwnHostRecord, revision: number): void {
  record.revision = revision
  fleet.hosts.columns.lastEdit[record.index] = revision
  countAnew(fleet, record)
}

/** Keeps another service's document; its shape is that service's own. */
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
  // its time only once all replicas keep it, or they would differ
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
