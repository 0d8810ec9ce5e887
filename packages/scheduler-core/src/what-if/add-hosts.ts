import type { Fleet } from '../fleet/fleet.ts'
import { nodesNamed } from '../fleet/present-names.ts'
import { DEFAULT_ZONE, type HostRecord } from '../hosts/hosts.ts'
import type { AggregateState, HostAllocationSet, HostReported } from '../records/change.ts'
import { ZONE_KEY } from '../values/aggregate-keys.ts'
import { inSlices, type Steps } from '../values/steps.ts'
import { type Edit, isPauseDue, MADE_UP, NEW, PAUSED_AFTER, type Step } from './edit-steps.ts'
import { addedNames, aggregateFinder, type FleetEdits } from './edits.ts'
import { emptied } from './hypothetical-stats.ts'

/** Adds hypothetical hosts, and makes them members of aggregates. */
export function* addHosts(fleet: Fleet, edits: FleetEdits): ReturnType<Edit> {
  if (edits.addHosts.length === 0) return
  const joining = new Map<string, string[]>()
  const newZones = new Map<string, string[]>()
  const added = yield* addedNames(fleet, edits)
  const find = yield* aggregateFinder(fleet)
  const ofZone = yield* firstOfZones(fleet)
  for (const [i, made] of added.entries()) {
    const { likeHost, availabilityZone, aggregates } = edits.addHosts[i] as FleetEdits['addHosts'][number]
    const like = nodesNamed(fleet.hosts, { host: likeHost })[0]
    if (like === undefined) continue
    const path = ['addHosts', String(i)]
    const full = emptied(like.stats)
    for (const host of made) {
      const change: HostReported = { type: 'report', host, node: host, incarnation: NEW, sequence: 1, full }
      yield { change, path, found: likeHost }
      for (const edit of overridesOf(like, host)) yield { change: edit, path, found: likeHost }
    }
    const asked = [...new Set((aggregates ?? like.aggregates).flatMap((ref) => find(ref) ?? []))]
    const zone = availabilityZone ?? zoneAmong(fleet, asked)
    for (const uuid of asked.filter((one) => isOfZone(fleet, one, zone))) yield* push(joining, uuid, made)
    if (availabilityZone === null || availabilityZone === DEFAULT_ZONE || zoneAmong(fleet, asked) === availabilityZone) continue
    const known = ofZone.get(availabilityZone)
    yield* push(known === undefined ? newZones : joining, known ?? availabilityZone, made)
  }
  for (const [uuid, made] of joining) {
    yield memberStep(fleet, uuid, made)
    yield undefined
  }
  for (const [zone, hosts] of newZones) {
    const next: AggregateState = { name: `zone ${zone} in this what-if query`, metadata: { [ZONE_KEY]: zone }, hosts }
    yield { change: { type: 'aggregate', uuid: `what-if zone ${zone}`, expectedVersion: 0, next }, path: ['addHosts'], found: zone }
    yield undefined
  }
}

/** The changes that give `host` the ratios and reserved amounts that operators set for another host. */
const overridesOf = ({ allocation }: HostRecord, host: string): readonly HostAllocationSet[] =>
  Object.entries(allocation).map(([resourceClass, { ratio, reserved }]) => ({
    ...{ type: 'hostAllocation', host, node: host, resourceClass },
    ...(ratio && { ratio: ratio.value }),
    ...(reserved && { reserved: reserved.value }),
    ...MADE_UP,
  }))

/** Appends items to the list of a key. The list is not copied, because it can get thousands of items from each of many edits. */
function* push(lists: Map<string, string[]>, key: string, items: readonly string[]): Generator<undefined, void> {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  for (const item of inSlices(items, PAUSED_AFTER)) {
    if (item === undefined) yield
    else list.push(item)
  }
}

/** For each availability zone, the uuid of the first aggregate that has it. */
function* firstOfZones({ aggregates }: Fleet): Steps<ReadonlyMap<string, string>> {
  const first = new Map<string, string>()
  let read = 0
  for (const { uuid, metadata } of aggregates.byUuid.values()) {
    if (isPauseDue(read++)) yield
    const zone = metadata[ZONE_KEY]
    if (zone !== undefined && !first.has(zone)) first.set(zone, uuid)
  }
  return first
}

const zoneAmong = ({ aggregates }: Fleet, uuids: readonly string[]): string | undefined =>
  uuids.map((uuid) => aggregates.byUuid.get(uuid)?.metadata[ZONE_KEY]).find((zone) => zone !== undefined)

/** True if an aggregate has the zone `zone`, or has no zone. */
function isOfZone({ aggregates }: Fleet, uuid: string, zone: string | undefined): boolean {
  const own = aggregates.byUuid.get(uuid)?.metadata[ZONE_KEY]
  return own === undefined || own === zone
}

function memberStep({ aggregates }: Fleet, uuid: string, hosts: readonly string[]): Step {
  const { version, name, metadata, hosts: members } = aggregates.byUuid.get(uuid) as NonNullable<ReturnType<typeof aggregates.byUuid.get>>
  const next: AggregateState = { name, metadata, hosts: [...members, ...hosts] }
  return { change: { type: 'aggregate', uuid, expectedVersion: version, next }, path: ['addHosts'], found: name }
}
