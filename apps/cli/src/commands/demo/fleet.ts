import { type DemoHost, hostAt, kinds, zones } from './host.ts'

export interface DemoAggregate {
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
  /** The names of the aggregate's members. */
  readonly hosts: readonly string[]
}

/** Hosts that accept no new instances, because operators gave them this status. All of them have the same reason. */
export interface ClosedHosts {
  readonly status: 'DISABLED' | 'DRAINING' | 'MAINTENANCE'
  readonly reason: string
  readonly hosts: readonly string[]
}

export interface DemoFleet {
  readonly hosts: readonly DemoHost[]
  readonly aggregates: readonly DemoAggregate[]
  readonly closed: readonly ClosedHosts[]
  /** Members of the aggregate `licensed`. */
  readonly licensed: readonly string[]
}

export interface FleetOptions {
  readonly hosts: number
  readonly seed: string
}

/** The indexes of the first and the last licensed host. A request for more licensed hosts than these finds no host. */
const LICENSED_PLACES = { from: 9, to: 14 }

/** The demo's fleet. It depends only on the options, and a fleet contains every smaller fleet with the same seed. */
export function demoFleet({ hosts: count, seed }: FleetOptions): DemoFleet {
  const hosts = Array.from({ length: count }, (_, index) => hostAt(index, seed))
  const named = (isMember: (host: DemoHost, index: number) => boolean): string[] => hosts.filter(isMember).map(({ name }) => name)
  const licensed = named((_, index) => index >= LICENSED_PLACES.from && index <= LICENSED_PLACES.to)
  return {
    hosts,
    licensed,
    aggregates: [
      ...zones.map((zone) => ({
        name: `zone-${zone}`,
        metadata: { availability_zone: zone },
        hosts: named((host) => host.zone === zone),
      })),
      ...kinds.map((kind) => ({ name: kind, metadata: { class: kind }, hosts: named((host) => host.kind === kind) })),
      { name: 'ssd', metadata: { disk_type: 'nvme' }, hosts: named(({ kind, rack }) => kind !== 'memory' && rack % 3 === 1) },
      { name: 'licensed', metadata: { license: 'dbms' }, hosts: licensed },
    ],
    closed: closedHosts(hosts).filter((group) => group.hosts.length > 0),
  }
}

/**
 * The closed hosts: single disabled hosts, single hosts in maintenance, and draining hosts (every tenth rack of one zone, from the second
 * rack on).
 */
function closedHosts(hosts: readonly DemoHost[]): readonly ClosedHosts[] {
  const draining = new Set(hosts.filter(({ zone, rack }) => zone === 'z3' && rack % 10 === 2).map(({ name }) => name))
  const every = (distance: number, first: number): string[] =>
    hosts.filter(({ name }, index) => index % distance === first && !draining.has(name)).map(({ name }) => name)
  return [
    { status: 'DISABLED', reason: 'Uncorrectable memory errors; board ordered', hosts: every(83, 17) },
    { status: 'MAINTENANCE', reason: 'Firmware update until 18:00', hosts: every(97, 25) },
    { status: 'DRAINING', reason: 'The rack moves to hall B on Friday', hosts: [...draining] },
  ]
}
