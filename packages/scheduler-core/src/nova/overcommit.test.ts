import { describe, expect, test } from 'vitest'
import { prepareChecks } from '../examine/examine.ts'
import { profileSchema } from '../records/profile.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { NOVA_OVERCOMMIT } from '../values/levels.ts'

/*
 * Even with overcommit, one instance cannot use more than the total of a host. These tests check that Nova's filters refuse such an
 * instance, before the filters for claims do.
 */

type Asks = Parameters<typeof aRequest>[0]
const machine: HostShape = {
  vcpus: 8,
  cpuAllocationRatio: 4,
  memoryMb: 32_768,
  ramAllocationRatio: 2,
  localGb: 100,
  diskAllocationRatio: 3,
}
const cells = { ...machine, numaCells: [{ id: 0, cpuset: [0, 1, 2, 3], memoryMb: 16_384 }] }
const guest = (count: number, memoryMb: number): Asks => ({
  flavor: { vcpus: count, memoryMb },
  image: { id: 'i' },
  numaTopology: { cells: [{ id: 0, cpus: Array.from({ length: count }, (_, i) => i), memoryMb }] },
})
const disk = (rootGb: number): Asks => ({ flavor: { vcpus: 1, memoryMb: 1, rootGb } })
const ratios = { disk_allocation_ratio: 0 }

const rows: readonly (readonly [name: string, filter: string, host: HostShape, asks: Asks, says: string])[] = [
  ['A15a nova 78645e61c6^ core_filter.py: 9 vCPUs on a host of 8 with a ratio of 4', 'CoreFilter', machine, { vcpus: 9 }, 'cpu.too_few'],
  ['all 8 vCPUs of the host', 'CoreFilter', machine, { vcpus: 8 }, 'PASS'],
  ['more than the total, with a ratio of an aggregate', 'AggregateCoreFilter', machine, { vcpus: 9 }, 'cpu.too_few'],
  [
    'B13a nova ram_filter.py: 40000 MiB on a host of 32768 with a ratio of 2',
    'RamFilter',
    machine,
    { memoryMb: 40_000 },
    'memory.too_little',
  ],
  ['all 32768 MiB of the host', 'RamFilter', machine, { memoryMb: 32_768 }, 'PASS'],
  ['more than the total, with a ratio of an aggregate', 'AggregateRamFilter', machine, { memoryMb: 40_000 }, 'memory.too_little'],
  ['nova 3cafa7f5bd disk_filter.py: 101 GiB on a host of 100', 'DiskFilter', machine, disk(101), 'disk.too_little'],
  ['all 100 GiB of the host', 'DiskFilter', machine, disk(100), 'PASS'],
  ['more than the total, with a ratio of an aggregate', 'AggregateDiskFilter', machine, disk(101), 'disk.too_little'],
]

function sayOf(level: number, filter: string, host: HostShape, asks: Asks): string | undefined {
  const log = aLog()
  const metadata = { cpu_allocation_ratio: '9', ram_allocation_ratio: '9', disk_allocation_ratio: '9' }
  log.append([
    { type: 'feature', level },
    aReport('h1', host),
    { type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next: { name: 'a', hosts: ['h1'], metadata } },
  ])
  const options = filter.endsWith('DiskFilter') ? ratios : {}
  const profile = profileSchema.parse({ name: 'p', number: 1, compat: 'nova', filters: [{ name: filter, options }], weighers: [] })
  const check = prepareChecks(log.fleet, aRequest(asks), profile)
    .checksOf(0 as HostIndex)
    .find((one) => one.filter === filter)
  for (const { required, actual } of check?.facts ?? []) expect([required, actual]).toEqual([check?.reason?.need, check?.reason?.have])
  return check?.reason?.code ?? check?.verdict
}

test.each(rows)('%s: %s', (_name, filter, host, asks, says) => expect(sayOf(NOVA_OVERCOMMIT, filter, host, asks)).toBe(says))

test('below the feature level, the filters pass an instance that is larger than the host', () => {
  for (const [, filter, host, asks] of rows) expect([filter, sayOf(NOVA_OVERCOMMIT - 1, filter, host, asks)]).toEqual([filter, 'PASS'])
})

describe('guest cells on a cell of four CPUs and 16384 MiB', () => {
  test.each<readonly [string, Asks, string]>([
    ['B08 nova hardware.py: six shared CPUs in one guest cell', guest(6, 1_024), 'numa.too_few_cpus'],
    ['B08 nova hardware.py: eight shared CPUs in one guest cell', guest(8, 1_024), 'numa.too_few_cpus'],
    ['four shared CPUs in one guest cell', guest(4, 1_024), 'PASS'],
    ['more memory than the host cell has, but less than its ratio gives', guest(2, 20_000), 'numa.too_little_memory'],
    ['all memory of the host cell', guest(2, 16_384), 'PASS'],
  ])('%s', (_name, asks, says) => expect(sayOf(NOVA_OVERCOMMIT, 'NUMATopologyFilter', cells, asks)).toBe(says))
})
