import { isLive } from '../claims/claim.ts'
import type { Void } from '../claims/judge.ts'
import { codes } from '../codes.ts'
import { ZONE_KEY } from '../fleet/aggregates.ts'
import { type AggregateState, type Change, ENTRY_FORMAT, type HostReported } from '../fleet/change.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { COMPUTE, DEFAULT_ZONE, type HostRecord } from '../fleet/hosts.ts'
import type { HostStats } from '../fleet/stats.ts'
import { publishedStats } from '../fleet/stats-versions.ts'
import type { Steps } from '../fleet/steps.ts'
import { type Problem, quote } from '../problem.ts'
import { addedNames, type FleetEdits, findAggregate } from './edits.ts'
import { emptied, gone, withRatio, withService } from './made-up-stats.ts'

/** Changes of one made-up entry: a pause is due after it. */
const SLICE = 50

/** What a removed host says as the reason of its status. */
export const REMOVED = 'removed, in this what-if'
const DISABLED = 'disabled, in this what-if'
const ENABLED = 'enabled, in this what-if'

/** A change, and what the caller said that it comes of. */
interface Step {
  readonly change: Change
  readonly path: readonly string[]
  readonly found: unknown
}

/**
 * Makes a fleet what the edits say, by made-up entries of its log: `apply` stays its only writer. The fleet must be the
 * caller's own: its revisions beyond this are in no log. Answers what could not be done, with paths into the edits.
 *
 * A host is never deleted from a log. One that is removed is DISABLED and reports a machine of nothing, so that no filter
 * of any profile has anything to give there and its capacity is gone from every sum; its claims end with it. It still counts
 * among the hosts that a decision looks at.
 */
export function* applyEdits(fleet: Fleet, edits: FleetEdits): Steps<readonly Problem[]> {
  const problems: Problem[] = []
  // each kind of edit reads the fleet as those before it have left it
  for (const stepsOf of kindsOfEdits) {
    const slice: Step[] = []
    for (const step of stepsOf(fleet, edits)) {
      slice.push(step)
      if (slice.length < SLICE) continue
      problems.push(...applyStep(fleet, slice.splice(0)))
      yield
    }
    problems.push(...applyStep(fleet, slice))
    yield
  }
  return problems
}

function applyStep(fleet: Fleet, slice: readonly Step[]): Problem[] {
  if (slice.length === 0) return []
  const verdicts = append(
    fleet,
    slice.map(({ change }) => change),
  )
  return slice.flatMap(({ path, found }, i) => {
    const verdict = verdicts[i]
    return verdict === undefined ? [] : [refused(verdict, path, found)]
  })
}

/** Appends made-up changes to a private fleet; the time of the log stands still. */
export function append(fleet: Fleet, changes: readonly Change[]): readonly Void[] {
  const revision = fleet.place.revision + 1
  return fleet.apply({
    format: ENTRY_FORMAT,
    id: `what-if ${revision}`,
    writer: 'what-if',
    basis: fleet.place,
    changes,
    revision,
    at: fleet.place.at,
  })
}

const kindsOfEdits: readonly ((fleet: Fleet, edits: FleetEdits) => Iterable<Step>)[] = [
  addHosts,
  removeHosts,
  setStatuses,
  enableServices,
  changeAggregates,
  setRatios,
  endClaims,
]

function addHosts(fleet: Fleet, edits: FleetEdits): Step[] {
  const steps: Step[] = []
  const joining = new Map<string, string[]>()
  const newZones = new Map<string, string[]>()
  for (const [i, made] of addedNames(fleet, edits).entries()) {
    const { likeHost, availabilityZone, aggregates } = edits.addHosts[i] as FleetEdits['addHosts'][number]
    const like = recordsOf(fleet, likeHost)[0]
    if (like === undefined) continue
    const path = ['addHosts', String(i)]
    const full = publishedStats(emptied(like.stats))
    for (const host of made) {
      const change: HostReported = { type: 'report', host, node: host, incarnation: NEW, sequence: 1, full }
      steps.push({ change, path, found: likeHost })
    }
    const asked = (aggregates ?? like.aggregates).flatMap((ref) => findAggregate(fleet, ref) ?? [])
    const zone = availabilityZone ?? zoneAmong(fleet, asked)
    for (const uuid of asked.filter((one) => isOfZone(fleet, one, zone))) push(joining, uuid, made)
    if (availabilityZone === null || availabilityZone === DEFAULT_ZONE || zoneAmong(fleet, asked) === availabilityZone) continue
    const known = [...fleet.aggregates.byUuid.values()].find(({ metadata }) => metadata[ZONE_KEY] === availabilityZone)
    push(known === undefined ? newZones : joining, known?.uuid ?? availabilityZone, made)
  }
  return [
    ...steps,
    ...[...joining].map(([uuid, made]) => memberStep(fleet, uuid, made)),
    ...[...newZones].map(([zone, hosts]): Step => {
      const next: AggregateState = { name: `zone ${zone}, in this what-if`, metadata: { [ZONE_KEY]: zone }, hosts }
      return { change: { type: 'aggregate', uuid: `what-if zone ${zone}`, expectedVersion: 0, next }, path: ['addHosts'], found: zone }
    }),
  ]
}

/** The incarnation of made-up hosts. */
const NEW = '00000000-0000-4000-8000-000000000000'

function push(lists: Map<string, string[]>, key: string, items: readonly string[]): void {
  lists.set(key, [...(lists.get(key) ?? []), ...items])
}

const zoneAmong = ({ aggregates }: Fleet, uuids: readonly string[]): string | undefined =>
  uuids.map((uuid) => aggregates.byUuid.get(uuid)?.metadata[ZONE_KEY]).find((zone) => zone !== undefined)

/** An aggregate that makes no zone, or this one. */
function isOfZone({ aggregates }: Fleet, uuid: string, zone: string | undefined): boolean {
  const own = aggregates.byUuid.get(uuid)?.metadata[ZONE_KEY]
  return own === undefined || own === zone
}

function memberStep({ aggregates }: Fleet, uuid: string, hosts: readonly string[]): Step {
  const { version, name, metadata, hosts: members } = aggregates.byUuid.get(uuid) as NonNullable<ReturnType<typeof aggregates.byUuid.get>>
  const next: AggregateState = { name, metadata, hosts: [...members, ...hosts] }
  return { change: { type: 'aggregate', uuid, expectedVersion: version, next }, path: ['addHosts'], found: name }
}

/** Host by host: what of each is reported is worked out as its turn comes. */
function* removeHosts(fleet: Fleet, edits: FleetEdits): Generator<Step, void> {
  // named twice it is gone once
  const positions = new Map(edits.removeHosts.map((host, i) => [host, i] as const).reverse())
  for (const [i, host] of edits.removeHosts.entries()) {
    if (positions.get(host) !== i) continue
    const path = ['removeHosts', String(i)]
    for (const record of recordsOf(fleet, host)) {
      const ended = [...record.claims].filter(isLive)
      yield { change: reportOf(record, gone(record.stats)), path, found: host }
      for (const { id } of ended) yield { change: { type: 'revoke', claim: id, reason: REMOVED }, path, found: host }
      yield { change: { type: 'status', host: record.host, node: record.node, status: 'DISABLED', reason: REMOVED }, path, found: host }
    }
  }
}

function setStatuses(fleet: Fleet, edits: FleetEdits): Step[] {
  const stepsOf = (field: 'disableHosts' | 'enableHosts', status: 'DISABLED' | 'ENABLED', reason: string): Step[] =>
    edits[field].flatMap((name, i) =>
      recordsOf(fleet, name).flatMap(({ host, node }) => {
        const path = [field, String(i)]
        const set: Step = { change: { type: 'status', host, node, status, reason }, path, found: name }
        if (status === 'DISABLED') return [set]
        return [set, { change: { type: 'liveness', host, node, state: 'UP', reason }, path, found: name } satisfies Step]
      }),
    )
  return [...stepsOf('disableHosts', 'DISABLED', DISABLED), ...stepsOf('enableHosts', 'ENABLED', ENABLED)]
}

/** Hosts that Nova reported say there too whether they are enabled. */
function enableServices(fleet: Fleet, edits: FleetEdits): Step[] {
  return edits.enableHosts.flatMap((host, i) =>
    recordsOf(fleet, host).flatMap((record) => {
      const stats = withService(record.stats, fleet.now)
      return stats === undefined ? [] : [{ change: reportOf(record, stats), path: ['enableHosts', String(i)], found: host }]
    }),
  )
}

function changeAggregates({ aggregates }: Fleet, edits: FleetEdits): Step[] {
  // several changes of one aggregate follow each other
  const states = new Map<string, { state: AggregateState; version: number }>()
  return edits.aggregateChanges.flatMap((edit, i) => {
    const uuid = findIn(aggregates.byUuid, edit.aggregate)
    if (uuid === undefined) return []
    const known = aggregates.byUuid.get(uuid)
    const { state, version } = states.get(uuid) ?? { state: known as AggregateState, version: known?.version ?? 0 }
    const left = new Set(edit.removeHosts)
    const unset = new Set(edit.unsetMetadata)
    const next: AggregateState = {
      name: state.name,
      hosts: [...new Set([...state.hosts.filter((host) => !left.has(host)), ...edit.addHosts])],
      metadata: { ...Object.fromEntries(Object.entries(state.metadata).filter(([key]) => !unset.has(key))), ...edit.setMetadata },
    }
    states.set(uuid, { state: next, version: version + 1 })
    const change: Change = { type: 'aggregate', uuid, expectedVersion: version, next }
    return [{ change, path: ['aggregateChanges', String(i)], found: edit.aggregate }]
  })
}

function findIn(byUuid: Fleet['aggregates']['byUuid'], ref: string): string | undefined {
  return byUuid.has(ref) ? ref : [...byUuid.values()].find(({ name }) => name === ref)?.uuid
}

/** One host at a time: its change is made when it is its turn, since a report of a whole fleet takes long to make. */
function* setRatios(fleet: Fleet, { ratios }: FleetEdits): Iterable<Step> {
  const wanted = ratios.map((ratio) => ({ ...ratio, uuid: ratio.aggregate === null ? null : findAggregate(fleet, ratio.aggregate) }))
  for (const { index } of fleet.hosts.present) {
    const record = fleet.hosts.get(index)
    let next: HostStats | undefined
    for (const { uuid, resourceClass, allocationRatio } of wanted) {
      if (uuid !== null && (uuid === undefined || !record.aggregates.includes(uuid))) continue
      next = withRatio(next ?? record.stats, resourceClass, allocationRatio) ?? next
    }
    if (next !== undefined) yield { change: reportOf(record, next), path: ['ratios'], found: record.host }
  }
}

function endClaims({ ledger }: Fleet, { releaseClaims, expireBy }: FleetEdits): Step[] {
  const asked = new Set(releaseClaims)
  const expired =
    expireBy === null
      ? []
      : [...ledger.reserved.values()].filter(({ id, expiresAt }) => expiresAt !== null && expiresAt <= expireBy && !asked.has(id))
  const end = (claim: string, path: readonly string[]): Step => ({
    change: { type: 'revoke', claim, reason: 'ended, in this what-if' },
    path,
    found: claim,
  })
  return [
    // a host that was removed took its claims along
    ...releaseClaims.flatMap((id, i) => {
      const claim = ledger.claims.get(id)
      return claim !== undefined && isLive(claim) ? [end(id, ['releaseClaims', String(i)])] : []
    }),
    ...expired.map(({ id }) => end(id, ['expireBy'])),
  ]
}

/** All nodes of a host. */
const recordsOf = ({ hosts }: Fleet, host: string): readonly HostRecord[] => hosts.nodesOf(host).map((index) => hosts.get(index))

/** The next report of a host, with this in it. */
function reportOf({ host, node, reporters }: HostRecord, stats: HostStats): HostReported {
  const { incarnation, sequence } = reporters.get(COMPUTE) ?? { incarnation: NEW, sequence: 0 }
  return { type: 'report', host, node, incarnation, sequence: sequence + 1, full: publishedStats(stats) }
}

const refused = (code: NonNullable<Void>, path: readonly string[], found: unknown): Problem => ({
  code,
  path,
  message: `${path.join('.')} is ${quote(found)}: ${codes[code]}`,
  expected: codes[code],
  actual: quote(found),
})
