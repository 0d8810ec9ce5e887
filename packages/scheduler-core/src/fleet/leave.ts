import { isOverdue } from '../claims/instances.ts'
import type { Void } from '../claims/judge.ts'
import { mergedOverrides } from '../hosts/allocation.ts'
import { at } from '../hosts/columns.ts'
import type { HostRecord, OwnHostRecord, Reporter } from '../hosts/hosts.ts'
import type { FormerName, Gone } from '../hosts/names.ts'
import { takeDocument } from '../namespace/facts/taken.ts'
import type { HostForgotten, HostReadmitted, HostReplaced } from '../records/change.ts'
import { isLive } from '../records/claim.ts'
import { currentStats } from '../report/stats-versions.ts'
import { hostStatsV1_0 } from '../report/versions/v1-0.ts'
import { ZONE_KEY } from '../values/aggregate-keys.ts'
import type { HostName } from '../values/host-name.ts'
import type { Steps } from '../values/steps.ts'
import type { FleetState } from './fleet-state.ts'
import { PAST_INCARNATIONS, takeStats } from './report.ts'

/**
 * Applies the changes by which hosts leave a fleet, return, and are renamed (feature level HOSTS_LEAVE). The record of a host that left the
 * fleet stays as a tombstone with the same index. A tombstone has no capacity, instances, documents, aggregates or live claims. Reports
 * under its name are refused until the host is readmitted. A host that is replaced gets another name, and all its other data stay
 * unchanged.
 */

/** An empty report, for a host that left. */
const NOTHING = currentStats(
  hostStatsV1_0.parse({ vcpus: 0, vcpusUsed: 0, memoryMb: 0, memoryMbUsed: 0, localGb: 0, localGbUsed: 0, instances: [] }),
)

/** The live claims that prevent a host from being forgotten: all live claims except overdue reservations. */
export const claimsKeeping = ({ claims }: HostRecord, now: number) => [...claims].filter((claim) => isLive(claim) && !isOverdue(claim, now))

/**
 * The name of a host after a rename. If the rename specifies no node, a node with the same name as its host gets the new host name, and any
 * other node keeps its name.
 */
export const nameAfter = (
  { host, node }: HostName,
  by: { readonly host: string; readonly node?: string | null | undefined },
): HostName => ({ host: by.host, node: by.node ?? (node === host ? by.host : node) })

/**
 * Forgets the named hosts. If one host cannot be forgotten, the whole change is void. With `isForced`, live claims are ended. Without
 * `isForced`, the change is void if a host has live claims other than overdue reservations. It is also void if the count of these claims is
 * not `expectedClaims`. A generator that yields between hosts. No other code may use the fleet until the generator ends.
 */
export function* takeForget(fleet: FleetState, { hosts: names, isForced, expectedClaims, reason }: HostForgotten): Steps<Void> {
  const { hosts, now } = fleet
  const found = names.map((name) => hosts.find(name) ?? readmitted(hosts.findForgotten(name)))
  const records = found.filter((record) => record !== undefined)
  if (records.length < names.length) return 'leave.not_there'
  const claims = [...new Set(records)].reduce((sum, record) => sum + claimsKeeping(record, now).length, 0)
  if (!isForced && claims > 0) return 'leave.has_claims'
  if (expectedClaims !== undefined && claims !== expectedClaims) return 'leave.claims_changed'
  for (const { index, gone } of records) {
    if (gone !== null) {
      // the host was readmitted but has not reported yet, so only its permission to report is withdrawn
      const record = hosts.own(index)
      hosts.rename(record, { gone: { ...gone, reason, isReadmitted: false } })
      record.revision = fleet.place.revision
      continue
    }
    endClaims(fleet, hosts.get(index), reason)
    yield* makeTombstone(fleet, hosts.own(index), { reason, mergedInto: null })
  }
  return undefined
}

const readmitted = (record: HostRecord | undefined): HostRecord | undefined => (record?.gone?.isReadmitted === true ? record : undefined)

/** Ends the claims of a host in the order of their creation, which is the same on every replica. */
function endClaims({ ledger, place, now }: FleetState, { claims }: HostRecord, reason: string): void {
  const ids = [...claims].sort((a, b) => a.fence - b.fence).map(({ id }) => id)
  for (const id of ids) {
    const claim = ledger.claims.get(id)
    // the claim was the destination of a move within the host, and ended together with its source
    if (claim === undefined || !isLive(claim)) continue
    if (isOverdue(claim, now)) ledger.end(claim, 'EXPIRED', null, place.revision, now)
    else ledger.end(claim, 'REVOKED', reason, place.revision, now)
  }
}

/**
 * Allows reports to use a name again. A forgotten host returns with its next full report. A former name of a replaced host becomes
 * available to another machine.
 */
export function takeReadmit({ hosts, place }: FleetState, name: HostReadmitted): Void {
  const forgotten = hosts.findForgotten(name)
  if (forgotten?.gone) {
    hosts.keepBefore(forgotten.index)
    const record = hosts.own(forgotten.index)
    hosts.rename(record, { gone: { ...forgotten.gone, isReadmitted: true } })
    record.revision = place.revision
    return undefined
  }
  const renamed = hosts.findRenamed(name)
  if (renamed === undefined) return 'leave.not_gone'
  const record = hosts.own(renamed.index)
  const isMeant = (former: FormerName): boolean => former.host === name.host && former.node === name.node
  hosts.rename(record, { formerNames: record.formerNames.map((former) => (isMeant(former) ? { ...former, isFree: true } : former)) })
  record.revision = place.revision
  return undefined
}

/**
 * Renames hosts. Claims and all data that refers to a host by its index are unchanged. If another host already reports under the new name,
 * that other host is merged into the renamed host: its report becomes the report of the renamed host. The merged host must have no live
 * claims other than overdue reservations. A generator that yields between steps. No other code may use the fleet until the generator ends.
 */
export function* takeReplace(fleet: FleetState, change: HostReplaced): Steps<Void> {
  const refusal = refusesReplace(fleet, change)
  if (refusal !== undefined) return refusal
  const { hosts } = fleet
  const { hosts: pairs, reason } = change
  // merged hosts leave before the renames, because a name is removed from aggregates when its last node leaves
  const reports: (Reported | undefined)[] = []
  for (const { from, to } of pairs) reports.push(yield* makeWay(fleet, hosts.find(from) as HostRecord, to, reason))
  for (const [i, { from, to }] of pairs.entries()) yield* replace(fleet, hosts.find(from) as HostRecord, to, reason, reports[i])
  return undefined
}

/** Returns the code of the refusal if the hosts cannot be renamed. Otherwise returns undefined. */
export function refusesReplace(fleet: FleetState, { hosts: pairs }: HostReplaced): Void {
  const keys = new Set(pairs.flatMap(({ from, to }) => [JSON.stringify([from.host, from.node]), JSON.stringify([to.host, to.node])]))
  if (keys.size < 2 * pairs.length) return 'leave.name_taken'
  const replaced = new Set(pairs.map(({ from }) => fleet.hosts.find(from)?.index))
  const refusal = pairs.map((pair) => refusesPair(fleet, pair, replaced)).find((code) => code !== undefined)
  return refusal ?? (wouldMixZones(fleet, pairs) ? 'aggregate.zone_conflict' : undefined)
}

function refusesPair(
  { hosts, now }: FleetState,
  { from, to }: HostReplaced['hosts'][number],
  replaced: ReadonlySet<HostRecord['index'] | undefined>,
): Void {
  const old = hosts.find(from)
  if (old === undefined) return 'leave.not_there'
  const renamed = hosts.findRenamed(to)
  if (renamed !== undefined && renamed.index !== old.index) return 'leave.name_taken'
  // a former name of a host is reserved, unless that host is renamed in the same change
  const isBack = hosts.renamedNodesOf(to.host).some((index) => replaced.has(index))
  if (!isBack && hosts.refusesName(to) === 'report.host_replaced') return 'leave.name_taken'
  const next = hosts.find(to)
  if (next === undefined) return undefined
  if (next.index === old.index) return 'leave.name_taken'
  return claimsKeeping(next, now).length > 0 ? 'leave.has_claims' : undefined
}

/**
 * Returns true if a host would be in two availability zones after the change. This happens if an aggregate of another zone already lists
 * the new name. The function simulates the changes that `takeReplace` makes to the member lists of aggregates.
 */
function wouldMixZones({ aggregates, hosts }: FleetState, pairs: HostReplaced['hosts']): boolean {
  const zonesIn = (host: string) => new Set(aggregates.of(host).flatMap(({ metadata }) => metadata[ZONE_KEY] ?? []))
  const names = new Set(pairs.flatMap(({ from, to }) => [from.host, to.host]))
  const after = new Map(Array.from(names, (host) => [host, { nodes: hosts.nodesOf(host).length, zones: zonesIn(host) }]))
  const named = (host: string) => after.get(host) ?? { nodes: 0, zones: new Set<string>() }
  const leave = (host: string): void => {
    const { nodes, zones } = named(host)
    after.set(host, { nodes: nodes - 1, zones: nodes > 1 ? zones : new Set() })
  }
  for (const { to } of pairs) if (hosts.find(to) !== undefined) leave(to.host)
  for (const { from, to } of pairs) {
    const { zones } = named(from.host)
    if (from.host === to.host) continue
    leave(from.host)
    const joined = named(to.host)
    after.set(to.host, { nodes: joined.nodes + 1, zones: new Set([...joined.zones, ...zones]) })
  }
  return [...after.values()].some(({ zones }) => zones.size > 1)
}

/** The record and the liveness of a host that is merged into a renamed host, as they were before the merge. */
type Reported = HostRecord & { readonly state: number }

/** Removes the host that has the name `to`, so that the renamed host can get this name. */
function* makeWay(fleet: FleetState, old: HostRecord, to: HostName, reason: string): Steps<Reported | undefined> {
  const { hosts } = fleet
  const next = hosts.find(to) ?? hosts.findForgotten(to)
  if (next === undefined) return undefined
  const reported = next.gone === null ? { ...next, state: at(hosts.columns.liveness, next.index) } : undefined
  endClaims(fleet, next, reason)
  yield* makeTombstone(fleet, hosts.own(next.index), { reason, mergedInto: old.index })
  return reported
}

function* replace(fleet: FleetState, old: HostRecord, to: HostName, reason: string, reported: Reported | undefined): Steps<void> {
  const { hosts, ledger, place, now } = fleet
  hosts.keepBefore(old.index)
  const record = hosts.own(old.index)
  const from = { host: record.host, node: record.node }
  const isMeant = (former: FormerName): boolean => former.host === to.host && former.node === to.node
  const formerNames = record.formerNames.map((former) => (isMeant(former) ? { ...former, isFree: true } : former))
  hosts.rename(record, {
    host: to.host,
    node: to.node,
    formerNames: [...formerNames, { ...from, until: place.revision, at: now, reason, isFree: false }],
  })
  yield* renameInAggregates(fleet, from.host, to.host)
  fleet.aggregates.attach(record)
  if (reported !== undefined) takeOver(fleet, record, reported)
  record.revision = place.revision
  hosts.columns.lastEdit[record.index] = place.revision
  for (const claim of record.claims) if (isLive(claim)) ledger.touch(ledger.own(claim), place.revision)
  hosts.touch(record.index)
}

/**
 * Copies the report, documents, liveness and allocation settings of the merged host to the renamed host, because the two hosts are the same
 * machine. Reports that arrive later from the renamed host's earlier reporter are then stale.
 */
function takeOver(fleet: FleetState, record: OwnHostRecord, from: Reported): void {
  const { hosts } = fleet
  record.reporters = new Map([
    ...record.reporters,
    ...Array.from(from.reporters, ([name, reporter]) => [name, following(reporter, record.reporters.get(name))] as const),
  ])
  record.reportedAt = from.reportedAt
  hosts.columns.liveness[record.index] = from.state
  record.livenessReason = from.livenessReason
  for (const [name, document] of from.namespaces) {
    const before = record.namespaces.get(name)
    record.namespaces = new Map(record.namespaces).set(name, document)
    takeDocument(hosts, record.index, name, before)
  }
  record.allocation = mergedOverrides(record.allocation, from.allocation)
  // the report was made before this entry, so it does not include claims that were made or grew after the report
  takeStats(fleet, record, from.stats, undefined, from.reportedAt)
}

function following(reporter: Reporter, before: Reporter | undefined): Reporter {
  if (before === undefined) return reporter
  const past = [...reporter.past, before.incarnation, ...before.past].filter((incarnation) => incarnation !== reporter.incarnation)
  return { ...reporter, past: [...new Set(past)].slice(0, PAST_INCARNATIONS) }
}

/**
 * Turns the record of a host without live claims into a tombstone. The tombstone has only the host's history and the last sequences of its
 * reporters. With these sequences, old reports are recognised as stale.
 */
function* makeTombstone(fleet: FleetState, record: OwnHostRecord, why: Pick<Gone, 'reason' | 'mergedInto'>): Steps<void> {
  const { hosts, place, now } = fleet
  const { index, host } = record
  const { columns } = hosts
  hosts.keepBefore(index)
  if (record.gone === null && hosts.nodesOf(host).length === 1) yield* leaveAggregates(fleet, host)
  for (const [name, document] of record.namespaces) {
    record.namespaces = new Map([...record.namespaces].filter(([other]) => other !== name))
    takeDocument(hosts, index, name, document)
  }
  record.usedFrom = 'REPORT'
  record.usedFromReason = ''
  record.allocation = {}
  takeStats(fleet, record, NOTHING, undefined)
  columns.status[index] = 0
  record.statusReason = ''
  columns.liveness[index] = 0
  record.livenessReason = ''
  record.revision = place.revision
  columns.lastEdit[index] = place.revision
  hosts.rename(record, { gone: { revision: place.revision, at: now, isReadmitted: false, ...why } })
  fleet.aggregates.attach(record)
  hosts.touch(index)
}

/** Removes a host name from all aggregates. Called when the last node with this host name leaves. */
function* leaveAggregates({ aggregates, place, now }: FleetState, host: string): Steps<void> {
  for (const { uuid, version, name, metadata, hosts } of aggregates.of(host)) {
    const next = { name, metadata, hosts: hosts.filter((other) => other !== host) }
    yield* aggregates.takeInSteps({ type: 'aggregate', uuid, expectedVersion: version, next }, place.revision, now)
    yield
  }
}

/** Adds the new name of a host to all aggregates that list the old name. Removes the old name unless other nodes have it. */
function* renameInAggregates({ aggregates, hosts, place, now }: FleetState, from: string, to: string): Steps<void> {
  if (from === to) return
  const stays = hosts.nodesOf(from).length > 0
  for (const { uuid, version, name, metadata, hosts: names } of aggregates.of(from)) {
    const listed = names.flatMap((other) => (other !== from ? [other] : stays ? [from, to] : [to]))
    const next = { name, metadata, hosts: [...new Set(listed)] }
    yield* aggregates.takeInSteps({ type: 'aggregate', uuid, expectedVersion: version, next }, place.revision, now)
    yield
  }
}
