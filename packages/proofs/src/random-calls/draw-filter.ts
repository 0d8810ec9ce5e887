import type { Random } from '@gantt/scheduler-core'
import type { LargeFleet } from './large-fleet.ts'

const FIELDS = [
  ...['host', 'name', 'node', 'az', 'zone', 'agg', 'state', 'status', 'trait', 'cpu.free', 'cpu.total', 'cpu.used', 'mem.free', 'mem.used'],
  ...[
    'disk.free',
    'gpu.count',
    'gpu.free',
    'claims',
    'instances',
    'age',
    'hypervisor',
    'cpu.model',
    'id',
    'account',
    'group',
    'ended',
    'at',
  ],
  ...['ends', 'left', 'key', 'outcome', 'flavor', 'last', 'project', 'no.such'],
]
const OPERATORS = [':', ':', ':', '>=', '<=', '>', '<', '=', '!=', '!:', '~']
const VALUES = [
  ...['z1', 'z1,z2', 'UP', 'DOWN', 'DISABLED', 'CONFIRMED', '64GiB', '0', '1', '12%', '1h', '5m', '"two words"', '"open', '\\', ''],
  ...['*', '*a*', '*a*a*a*a*a*a*a*b', '*r*1*0*', '?', 'z*', '2026-01-01T00:00:00Z', 'PLACED', '-', ',', 'NaN', '1e999', '\u202e'],
]

/** A random line of the filter grammar. It is valid or nearly valid. */
export function drawFilter(random: Random, { hosts, claims }: Pick<LargeFleet, 'hosts' | 'claims'>): string {
  const one = (items: readonly string[]): string => items[random.below(items.length)] as string
  const term = (): string => {
    const value = random.below(4) === 0 ? one([one(hosts), one(claims)]) : one(VALUES)
    const named = random.below(6) === 0 ? value : `${one(FIELDS)}${one(OPERATORS)}${value}`
    return random.below(5) === 0 ? `-${named}` : named
  }
  const length = random.below(50) === 0 ? 200 : 1 + random.below(6)
  return Array.from({ length }, term).join(random.below(20) === 0 ? '\n\t' : ' ')
}
