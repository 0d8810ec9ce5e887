import { parseHostStats } from '@gantt/scheduler-core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { demoFleet } from './fleet.ts'
import { hostAt, kinds, zones } from './host.ts'

const seeds = fc.string({ maxLength: 8 })
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

test('the service accepts the report of every demo host', () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 0, max: 99_999 }), (seed, index) => {
      expect(parseHostStats(hostAt(index, seed).stats)).toMatchObject({ ok: true })
    }),
  )
})

test('no host reports more usage than its capacity, and the amounts of its cells add up to those of the host', () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 0, max: 99_999 }), (seed, index) => {
      const { stats } = hostAt(index, seed)
      expect(stats.vcpusUsed).toBeLessThanOrEqual(stats.vcpus * stats.cpuAllocationRatio)
      expect(stats.memoryMbUsed).toBeLessThanOrEqual(stats.memoryMb * stats.ramAllocationRatio)
      expect(stats.localGbUsed).toBeLessThanOrEqual(stats.localGb)
      expect(sum(stats.numaCells.map(({ memoryMb }) => memoryMb))).toBe(stats.memoryMb)
      expect(stats.numaCells.flatMap(({ cpuset }) => cpuset)).toEqual(Array.from({ length: stats.vcpus }, (_, cpu) => cpu))
      expect(sum(stats.numaCells.map(({ cpuUsage }) => cpuUsage ?? 0))).toBeLessThanOrEqual(stats.vcpusUsed)
    }),
  )
})

test('the same seed gives the same fleet, and another seed gives a different one', () => {
  expect(demoFleet({ hosts: 60, seed: 'a' })).toEqual(demoFleet({ hosts: 60, seed: 'a' }))
  expect(demoFleet({ hosts: 60, seed: 'a' }).hosts).not.toEqual(demoFleet({ hosts: 60, seed: 'b' }).hosts)
})

test('a larger fleet with the same seed contains the smaller one', () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 1, max: 80 }), fc.integer({ min: 0, max: 80 }), (seed, hosts, more) => {
      const larger = demoFleet({ hosts: hosts + more, seed })
      expect(larger.hosts.slice(0, hosts)).toEqual(demoFleet({ hosts, seed }).hosts)
    }),
    { numRuns: 30 },
  )
})

describe.each([30, 200, 1_000])('a demo fleet of %i hosts', (count) => {
  const fleet = demoFleet({ hosts: count, seed: '1' })
  const membersOf = (names: readonly string[]): string[] =>
    fleet.aggregates.filter(({ name }) => names.includes(name)).flatMap(({ hosts }) => hosts)
  const all = fleet.hosts.map(({ name }) => name).sort()

  test('names are unique and contain zone, rack, kind and position in the rack', () => {
    expect(new Set(all).size).toBe(count)
    for (const name of all) expect(name).toMatch(/^z[123]-r\d\d+-(cmp|mem|gpu)-(0[1-9]|1[0-2])$/)
  })

  test('each of the three zones has all three kinds of hosts', () => {
    for (const zone of zones)
      expect(new Set(fleet.hosts.filter((host) => host.zone === zone).map(({ kind }) => kind))).toEqual(new Set(kinds))
  })

  test('every host is in one zone, and in the aggregate of its kind', () => {
    expect(membersOf(zones.map((zone) => `zone-${zone}`)).sort()).toEqual(all)
    expect(membersOf(kinds).sort()).toEqual(all)
  })

  test('no host is in two groups of closed hosts, and no licensed host is closed', () => {
    const closed = fleet.closed.flatMap(({ hosts }) => hosts)
    expect(new Set(closed).size).toBe(closed.length)
    expect(fleet.licensed.filter((host) => closed.includes(host))).toEqual([])
    expect(fleet.licensed).toHaveLength(6)
  })
})

test('of 200 hosts some are disabled, some in maintenance, and one rack is draining', () => {
  const { closed } = demoFleet({ hosts: 200, seed: '1' })
  expect(closed.map(({ status }) => status)).toEqual(['DISABLED', 'MAINTENANCE', 'DRAINING'])
  expect(new Set(closed[2]?.hosts.map((host) => host.slice(0, 6)))).toEqual(new Set(['z3-r02']))
})
