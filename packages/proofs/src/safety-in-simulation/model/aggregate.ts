import type { ModelChange } from './entry.ts'
import type { ModelFleet } from './fleet.ts'
import type { ModelAggregate } from './state.ts'

export function judgeAggregate(fleet: ModelFleet, { uuid, expectedVersion, next }: ModelChange): string | undefined {
  const before = fleet.aggregates.find((one) => one.uuid === uuid)
  const others = fleet.aggregates.filter((one) => one.uuid !== uuid)
  if ((before?.version ?? 0) !== expectedVersion) return 'aggregate.version'
  const zone: string | null = next?.metadata.availability_zone ?? null
  const hosts: string[] = next?.hosts ?? []
  if (next !== null && others.some(({ name }) => name === next.name)) return 'aggregate.name_taken'
  const shares = (other: ModelAggregate) => other.hosts.some((host) => hosts.includes(host))
  if (zone !== null && others.some((other) => other.zone !== null && other.zone !== zone && shares(other))) return 'aggregate.zone_conflict'
  markEdited(fleet, before?.hosts ?? [], hosts, isSameButHosts(before, next))
  fleet.aggregates = others
  if (next !== null) fleet.aggregates.push({ uuid, name: next.name, zone, metadata: next.metadata, hosts, version: expectedVersion + 1 })
  return undefined
}

/** From this feature level on, an edit that changes only the list of hosts affects only the hosts that join or leave. */
const EDITED_MEMBERS = 10

/** Marks the hosts that an edit of an aggregate affects. Claims on these hosts that were decided before the edit are then void. */
export function markEdited(fleet: ModelFleet, before: readonly string[], after: readonly string[], isListAlone: boolean): void {
  for (const host of fleet.hosts) {
    if (host.gone !== null) continue
    const [was, is] = [before.includes(host.name), after.includes(host.name)]
    const isConcerned = isListAlone && fleet.level >= EDITED_MEMBERS ? was !== is : was || is
    if (isConcerned) host.edited = fleet.revision
  }
}

function isSameButHosts(before: ModelAggregate | undefined, next: ModelChange): boolean {
  if (before === undefined || next === null) return false
  const sorted = (metadata: object) => JSON.stringify(Object.entries(metadata).sort())
  return before.name === next.name && sorted(before.metadata) === sorted(next.metadata)
}

/**
 * The availability zone of a host according to its aggregates. If no aggregate of the host sets a zone, the host is in Nova's default zone.
 */
export function zoneOf(fleet: ModelFleet, host: string): string {
  return fleet.aggregates.find(({ zone, hosts }) => zone !== null && hosts.includes(host))?.zone ?? 'nova'
}
