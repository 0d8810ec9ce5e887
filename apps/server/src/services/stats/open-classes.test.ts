import { type Fleet, parseHostStats } from '@gantt/scheduler-core'
import { aLog } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { readReport } from './read-report.ts'

const { fleet }: { readonly fleet: Fleet } = aLog()
const machine = { vcpus: 8, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 100, localGbUsed: 0 }
const inventory = (resourceClass: string, more: object = {}) => ({ resourceClass, total: 8, ...more })

interface Given {
  readonly openRatios?: readonly string[]
  readonly openReserves?: readonly string[]
  readonly computeNode?: object
  readonly inventories?: readonly object[]
}
const reportOf = ({ openRatios = [], openReserves = [], computeNode = {}, inventories = [inventory('VCPU')] }: Given) => ({
  ...machine,
  inventories,
  nova: { computeNode, openRatios, openReserves },
})

const messages = (given: Given): readonly string[] => {
  const input = { name: { host: 'h1' }, incarnation: 'i', sequence: 1, full: reportOf(given) }
  const read = readReport(input, ['input'], fleet)
  return 'issues' in read ? read.issues.map(({ message }) => message) : []
}

test.each<[name: string, given: Given, expected: readonly string[]]>([
  ['the classes of the fleet’s settings', { openRatios: ['VCPU'], openReserves: ['VCPU'] }, []],
  [
    'a ratio of 0 in the ComputeNode is none',
    { openRatios: ['DISK_GB'], computeNode: { disk_allocation_ratio: 0 }, inventories: [inventory('DISK_GB')] },
    [],
  ],
  [
    'a class of which the fleet has no settings',
    {
      openRatios: ['VCPU', 'CUSTOM_FPGA'],
      openReserves: ['PCPU'],
      inventories: ['VCPU', 'CUSTOM_FPGA', 'PCPU'].map((one) => inventory(one)),
    },
    [
      'input.report.full.nova.openRatios.1 is "CUSTOM_FPGA"; it must be VCPU, MEMORY_MB or DISK_GB: the settings of the fleet contain no other class',
      'input.report.full.nova.openReserves.0 is "PCPU"; it must be VCPU, MEMORY_MB or DISK_GB: the settings of the fleet contain no other class',
    ],
  ],
  [
    'a class without an inventory',
    { openRatios: ['MEMORY_MB'], openReserves: ['DISK_GB'] },
    [
      'input.report.full.nova.openRatios.0 is "MEMORY_MB"; it must be a class of `inventories`: a class without an inventory needs no entry here',
      'input.report.full.nova.openReserves.0 is "DISK_GB"; it must be a class of `inventories`: a class without an inventory needs no entry here',
    ],
  ],
  [
    'a ratio in the ComputeNode',
    { openRatios: ['VCPU'], computeNode: { cpu_allocation_ratio: 4 } },
    ['input.report.full.nova.openRatios.0 is "VCPU"; it must be left out: the ComputeNode states cpu_allocation_ratio'],
  ],
  [
    'a ratio and a reserved amount in the inventory',
    { openRatios: ['VCPU'], openReserves: ['VCPU'], inventories: [inventory('VCPU', { allocationRatio: 2, reserved: 1 })] },
    [
      'input.report.full.nova.openRatios.0 is "VCPU"; it must be left out: inventories.0.allocationRatio states the ratio 2',
      'input.report.full.nova.openReserves.0 is "VCPU"; it must be left out: inventories.0.reserved states the reserved amount 1',
    ],
  ],
])('an entry of openRatios or openReserves without effect is refused: %s', (_name, given, expected) => {
  expect(messages(given)).toEqual(expected)
  // stored reports are read as before
  expect(parseHostStats(reportOf(given)).ok).toBe(true)
})

test('what an import of Nova’s form leaves open is accepted, whatever its inventories state', () => {
  const compute_node = {
    ...{ host: 'h1', vcpus: 8, vcpus_used: 0, memory_mb: 65_536, memory_mb_used: 0, free_ram_mb: 65_536, local_gb: 100, local_gb_used: 0 },
    ...{ free_disk_gb: 100, cpu_allocation_ratio: 0, ram_allocation_ratio: 1.5, disk_allocation_ratio: 0 },
  }
  const inventories = {
    VCPU: { total: 8, max_unit: 4 },
    MEMORY_MB: { total: 65_536, max_unit: 1_024 },
    DISK_GB: { total: 100, allocation_ratio: 2, reserved: 10 },
    CUSTOM_FPGA: { total: 2 },
  }
  const read = readReport({ name: { host: 'h1' }, incarnation: 'i', sequence: 1, nova: { compute_node, inventories } }, ['input'], fleet)
  expect(read).toMatchObject({ report: { type: 'report' } })
})
