import { isHeldOnly } from '../claims/held-until.ts'
import type { Void } from '../claims/judge.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { nodesMeant, nodesNamed } from '../fleet/present-names.ts'
import { COMPUTE, type HostRecord } from '../hosts/hosts.ts'
import { type AggregateState, type Change, ENTRY_FORMAT, type HostAllocationSet, type HostReported } from '../records/change.ts'
import { type Claim, isLive, lapsesAt } from '../records/claim.ts'
import type { HostStats } from '../report/stats.ts'
import { codes } from '../text/codes.ts'
import { type Problem, quote } from '../text/problem.ts'
import type { HostIndex } from '../values/host-index.ts'
import { ALLOCATION_RULES } from '../values/levels.ts'
import { atOnce, type Steps } from '../values/steps.ts'
import { addHosts } from './add-hosts.ts'
import { type Edit, isPauseDue, MADE_UP, NEW, type Step } from './edit-steps.ts'
import { aggregateFinder, type FleetEdits, presentHostsInSteps } from './edits.ts'
import { gone, withRatio, withService } from './hypothetical-stats.ts'

/** Edits are applied as hypothetical log entries with at most this many changes. The generator yields after each entry. */
const SLICE = 50

/** The status reason of hosts that a what-if query removes. */
export const REMOVED = 'removed in this what-if query'
const DRAINED = 'drained in this what-if query'
const DISABLED = 'disabled in this what-if query'
const ENABLED = 'enabled in this what-if query'

/**
 * Applies edits to a fleet. Only `apply` writes fleets, so the edits are applied as hypothetical log entries. The fleet must be a private
 * copy, because these entries are not in the log. Returns the edits that could not be made, with their paths. The log has no change that
 * deletes a host. A removed host therefore becomes DISABLED, its claims end, and its report has no capacity. No profile chooses such a
 * host, but decisions count it among the hosts that they evaluate.
 */
export function* applyEdits(fleet: Fleet, edits: FleetEdits): Steps<readonly Problem[]> {
  const problems: Problem[] = []
  // each kind of edit reads the fleet after all edits of the preceding kinds have been applied
  for (const stepsOf of kindsOfEdits) {
    const slice: Step[] = []
    for (const step of stepsOf(fleet, edits)) {
      if (step !== undefined) slice.push(step)
      if (step !== undefined && slice.length < SLICE) continue
      problems.push(...(yield* applyStep(fleet, slice.splice(0))))
      yield
    }
    problems.push(...(yield* applyStep(fleet, slice)))
    yield
  }
  return problems
}

function* applyStep(fleet: Fleet, slice: readonly Step[]): Steps<Problem[]> {
  if (slice.length === 0) return []
  const verdicts = yield* appendInSteps(
    fleet,
    slice.map(({ change }) => change),
  )
  return slice.flatMap(({ path, found }, i) => {
    const verdict = verdicts[i]
    return verdict === undefined ? [] : [refused(verdict, path, found)]
  })
}

/** Applies changes to a private copy of a fleet as a hypothetical log entry. The time of the log does not advance. */
export const append = (fleet: Fleet, changes: readonly Change[]): readonly Void[] => atOnce(appendInSteps(fleet, changes))

/** `append` as a generator that yields between entries. No other code may use the fleet until the generator ends. */
export function appendInSteps(fleet: Fleet, changes: readonly Change[]): Steps<readonly Void[]> {
  const revision = fleet.place.revision + 1
  return fleet.applyInSteps({
    format: ENTRY_FORMAT,
    id: `what-if ${revision}`,
    writer: 'what-if',
    basis: fleet.place,
    changes,
    revision,
    at: fleet.place.at,
  })
}

const kindsOfEdits: readonly Edit[] = [
  addHosts,
  removeHosts,
  setStatuses,
  enableServices,
  changeAggregates,
  setRatios,
  setReserves,
  endClaims,
]

function* removeHosts(fleet: Fleet, edits: FleetEdits): ReturnType<Edit> {
  for (const named of recordsNamed(fleet, edits.removeHosts)) {
    if (named === undefined) {
      yield undefined
      continue
    }
    const { position, name, record } = named
    const [path, found] = [['removeHosts', String(position)], name]
    const ended = [...record.claims].filter(isLive)
    yield { change: reportOf(record, gone(record.stats)), path, found }
    for (const { id } of ended) yield { change: { type: 'revoke', claim: id, reason: REMOVED }, path, found }
    yield { change: { type: 'status', host: record.host, node: record.node, status: 'DISABLED', reason: REMOVED }, path, found }
  }
}

function* setStatuses(fleet: Fleet, edits: FleetEdits): ReturnType<Edit> {
  for (const [field, status, reason] of [
    ['drainHosts', 'DRAINING', DRAINED],
    ['disableHosts', 'DISABLED', DISABLED],
    ['enableHosts', 'ENABLED', ENABLED],
  ] as const)
    for (const named of recordsNamed(fleet, edits[field])) {
      if (named === undefined) {
        yield undefined
        continue
      }
      const { position, name, record } = named
      const { host, node } = record
      const path = [field, String(position)]
      yield { change: { type: 'status', host, node, status, reason }, path, found: name }
      if (status === 'ENABLED') yield { change: { type: 'liveness', host, node, state: 'UP', reason }, path, found: name }
    }
}

/** For hosts that are enabled: if the report contains a compute service of Nova, the service is enabled too. */
function* enableServices(fleet: Fleet, edits: FleetEdits): ReturnType<Edit> {
  for (const named of recordsNamed(fleet, edits.enableHosts)) {
    if (named === undefined) {
      yield undefined
      continue
    }
    const { position, name, record } = named
    const stats = withService(record.stats, fleet.now)
    if (stats !== undefined) yield { change: reportOf(record, stats), path: ['enableHosts', String(position)], found: name }
  }
}

function* changeAggregates(fleet: Fleet, edits: FleetEdits): ReturnType<Edit> {
  if (edits.aggregateChanges.length === 0) return
  const { aggregates } = fleet
  const find = yield* aggregateFinder(fleet)
  for (const [i, edit] of edits.aggregateChanges.entries()) {
    const uuid = find(edit.aggregate)
    const known = uuid === undefined ? undefined : aggregates.byUuid.get(uuid)
    if (uuid === undefined || known === undefined) continue
    const left = new Set([...edit.removeHosts, ...(yield* presentHostsInSteps(fleet, edit.removeHosts))])
    const joining = yield* presentHostsInSteps(fleet, edit.addHosts)
    const unset = new Set(edit.unsetMetadata)
    const next: AggregateState = {
      name: known.name,
      hosts: [...new Set([...known.hosts.filter((host) => !left.has(host)), ...joining])],
      metadata: { ...Object.fromEntries(Object.entries(known.metadata).filter(([key]) => !unset.has(key))), ...edit.setMetadata },
    }
    const change: Change = { type: 'aggregate', uuid, expectedVersion: known.version, next }
    yield { change, path: ['aggregateChanges', String(i)], found: edit.aggregate }
    // makes the caller apply this change now, because the next change can be about the same aggregate
    yield undefined
  }
}

/** An allocation ratio, and the hosts for which it is set. */
interface WantedRatio {
  readonly resourceClass: string
  readonly allocationRatio: number
  isFor(record: HostRecord): boolean
}

function* wantedRatios(fleet: Fleet, { ratios }: FleetEdits): Steps<WantedRatio[]> {
  const find = yield* aggregateFinder(fleet)
  // each name is looked up once, because a host can have thousands of nodes
  const nodesOf = new Map<string, ReadonlySet<HostIndex>>()
  const wanted: WantedRatio[] = []
  for (const { host, node, aggregate, resourceClass, allocationRatio } of ratios) {
    const key = JSON.stringify([host, node])
    const known = nodesOf.get(key)
    if (known === undefined) yield
    const named = known ?? new Set(host === null ? [] : nodesNamed(fleet.hosts, { host, node }).map(({ index }) => index))
    nodesOf.set(key, named)
    const uuid = aggregate === null ? undefined : find(aggregate)
    const isFor = ({ index, aggregates }: HostRecord): boolean =>
      host !== null ? named.has(index) : aggregate === null || (uuid !== undefined && aggregates.includes(uuid))
    wanted.push({ resourceClass, allocationRatio, isFor })
  }
  return wanted
}

function* setRatios(fleet: Fleet, edits: FleetEdits): ReturnType<Edit> {
  if (edits.ratios.length === 0) return
  const wanted = yield* wantedRatios(fleet, edits)
  if (fleet.featureLevel >= ALLOCATION_RULES) {
    yield* overrideRatios(fleet, wanted)
    return
  }
  let read = 0
  for (const { index } of fleet.hosts.present) {
    const record = fleet.hosts.get(index)
    let next: HostStats | undefined
    for (const { isFor, resourceClass, allocationRatio } of wanted) {
      if (isPauseDue(read++)) yield undefined
      if (isFor(record)) next = withRatio(next ?? record.stats, resourceClass, allocationRatio) ?? next
    }
    if (next !== undefined) yield { change: reportOf(record, next), path: ['ratios'], found: record.host }
  }
}

/**
 * Sets ratios in the way in which operators set them. Such a ratio overrides the ratios in the host's report and in the metadata of the
 * host's aggregates.
 */
function* overrideRatios(fleet: Fleet, wanted: readonly WantedRatio[]): ReturnType<Edit> {
  let read = 0
  for (const { index } of fleet.hosts.present) {
    const record = fleet.hosts.get(index)
    const { host, node } = record
    for (const { isFor, resourceClass, allocationRatio } of wanted) {
      if (isPauseDue(read++)) yield undefined
      if (!isFor(record) || fleet.hosts.classes.get(resourceClass)?.reported[index] !== 1) continue
      const edit: HostAllocationSet = { type: 'hostAllocation', host, node, resourceClass, ratio: allocationRatio, ...MADE_UP }
      yield { change: edit, path: ['ratios'], found: host }
    }
  }
}

/** Sets reserved amounts in the way in which operators set them. */
function* setReserves(fleet: Fleet, { reserves }: FleetEdits): ReturnType<Edit> {
  let read = 0
  for (const [i, { host, node, resourceClass, reserved }] of reserves.entries())
    for (const record of nodesNamed(fleet.hosts, { host, node })) {
      if (isPauseDue(read++)) yield undefined
      if (fleet.hosts.classes.get(resourceClass)?.reported[record.index] !== 1) continue
      const edit: HostAllocationSet = {
        ...{ type: 'hostAllocation', host: record.host, node: record.node, resourceClass, reserved },
        ...MADE_UP,
      }
      yield { change: edit, path: ['reserves', String(i)], found: host }
    }
}

function* endClaims({ ledger, now }: Fleet, { releaseClaims, expireBy }: FleetEdits): ReturnType<Edit> {
  const end = (claim: Claim, path: readonly string[]): Step => {
    lapseNow(ledger, claim, now)
    const { id } = claim
    const change: Change = isLive(claim)
      ? { type: 'revoke', claim: id, reason: 'ended in this what-if query' }
      : { type: 'expire', claim: id }
    return { change, path, found: id }
  }
  for (const [i, id] of releaseClaims.entries()) {
    if (isPauseDue(i)) yield undefined
    const claim = ledger.claims.get(id)
    // claims of removed hosts are not live, because `removeHosts` has ended them
    if (claim !== undefined && (isLive(claim) || isHeldOnly(claim))) yield end(claim, ['releaseClaims', String(i)])
  }
  if (expireBy === null) return
  const asked = new Set(releaseClaims)
  for (const [i, claim] of [...ledger.lapsing.values()].entries()) {
    if (isPauseDue(i)) yield undefined
    if ((lapsesAt(claim) ?? Number.POSITIVE_INFINITY) <= expireBy && !asked.has(claim.id)) yield end(claim, ['expireBy'])
  }
}

/**
 * Sets the time until which the amounts of a claim would stay held after its end (claims/held-until.ts) to the present. Otherwise they
 * would never be free in a what-if query, in which the time of the log does not advance.
 */
function lapseNow(ledger: Fleet['ledger'], claim: Claim, now: number): void {
  if (claim.untilCounted === null && claim.heldUntil === null) return
  const own = ledger.own(claim)
  if (own.expiresAt !== null) own.expiresAt = now
  if (own.heldUntil !== null) own.heldUntil = now
}

interface NamedRecord {
  readonly position: number
  readonly name: string
  readonly record: HostRecord
}

/**
 * Yields the record of each named node once, even if a node is named repeatedly or by several names. Yields undefined where the caller
 * should yield to other work.
 */
function* recordsNamed({ hosts }: Fleet, names: readonly string[]): Generator<NamedRecord | undefined> {
  const seen = new Set<HostIndex>()
  // repeated names are skipped, because a name can belong to a thousand nodes and can be listed a hundred thousand times
  const seenNames = new Set<string>()
  for (const [position, name] of names.entries()) {
    if (isPauseDue(position)) yield undefined
    if (seenNames.has(name)) continue
    seenNames.add(name)
    for (const { index } of nodesMeant(hosts, name)) {
      if (seen.has(index)) continue
      seen.add(index)
      // the record is read again, because the preceding changes have possibly replaced it
      yield { position, name, record: hosts.get(index) }
    }
  }
}

/**
 * The next report of a host, with `stats` as its contents. `stats` are in the form used in memory, and not in the published form of
 * reports, because no other program reads hypothetical entries.
 */
function reportOf({ host, node, reporters }: HostRecord, stats: HostStats): HostReported {
  const { incarnation, sequence } = reporters.get(COMPUTE) ?? { incarnation: NEW, sequence: 0 }
  return { type: 'report', host, node, incarnation, sequence: sequence + 1, full: stats }
}

const refused = (code: NonNullable<Void>, path: readonly string[], found: unknown): Problem => ({
  code,
  path,
  message: `${path.join('.')} is ${quote(found)}: ${codes[code]}`,
  expected: codes[code],
  actual: quote(found),
})
