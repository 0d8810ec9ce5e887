import { describe, expect, test } from 'vitest'
import { prepareChecks } from '../../examine/examine.ts'
import { ratioOf, reservedOf } from '../../hosts/allocation.ts'
import { builtInProfilesAt } from '../../profiles/built-in.ts'
import { type HostStats, parseHostStats } from '../../report/stats.ts'
import { aLog, aReport, aRequest } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { GROUP_HOSTS } from '../../values/levels.ts'
import { importNovaHost } from './host.ts'

/*
 * Placement's data about a host in addition to its ComputeNode. Rows are named after the case, or after Placement's own
 * test of the same situation.
 */

const compute_node = {
  'nova_object.name': 'ComputeNode',
  'nova_object.version': '1.19',
  'nova_object.data': {
    ...{ host: 'h1', vcpus: 16, vcpus_used: 4, memory_mb: 65_536, memory_mb_used: 4_608, free_ram_mb: 60_928, local_gb: 1_000 },
    ...{ local_gb_used: 0, free_disk_gb: 1_000, cpu_allocation_ratio: 1, ram_allocation_ratio: 1, disk_allocation_ratio: 1 },
  },
}

/** The ComputeNode with these ratios. */
const ratios = (cpu_allocation_ratio: number, ram_allocation_ratio: number, disk_allocation_ratio: number) => ({
  compute_node: {
    ...compute_node,
    'nova_object.data': { ...compute_node['nova_object.data'], cpu_allocation_ratio, ram_allocation_ratio, disk_allocation_ratio },
  },
})

function statsOf(more: object): HostStats {
  const imported = importNovaHost({ compute_node, ...more }, 'h1')
  if (!imported.ok) throw new Error(imported.problems.map(({ message }) => message).join('; '))
  const parsed = parseHostStats(imported.document)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}

const inventory = (resourceClass: string, total: number, more: object = {}) => ({
  ...{ resourceClass, total, reserved: 0, allocationRatio: 1, minUnit: 1, maxUnit: null, stepSize: 1, used: null },
  ...more,
})

test.each<[string, object, object]>([
  ['no data of Placement', {}, { traits: [], inventories: [] }],
  ['traits and inventories that are null', { traits: null, inventories: null }, { traits: [], inventories: [] }],
  ['A23: traits as a list', { traits: ['CUSTOM_T', 'HW_CPU_X86_AVX2', 'CUSTOM_T'] }, { traits: ['CUSTOM_T', 'HW_CPU_X86_AVX2'] }],
  [
    'the body of traits (traits.yaml: set traits for resource provider)',
    { traits: { traits: ['CUSTOM_TRAIT_1'], resource_provider_generation: 2 } },
    { traits: ['CUSTOM_TRAIT_1'] },
  ],
  ['A23: a class with its inventory', { inventories: { VGPU: { total: 4 } } }, { inventories: [inventory('VGPU', 4)] }],
  [
    'the body of inventories (inventory.yaml: put all inventory)',
    {
      inventories: {
        resource_provider_generation: 1,
        inventories: {
          IPV4_ADDRESS: { total: 253 },
          CUSTOM_FPGA: { total: 8, reserved: 1, min_unit: 2, max_unit: 4, step_size: 2, allocation_ratio: 1.5 },
        },
      },
    },
    {
      inventories: [
        inventory('IPV4_ADDRESS', 253),
        inventory('CUSTOM_FPGA', 8, { reserved: 1, minUnit: 2, maxUnit: 4, stepSize: 2, allocationRatio: 1.5 }),
      ],
    },
  ],
  [
    'one inventory with its generation, as in the answer about a single class (inventory.yaml: get that inventory)',
    { inventories: { VGPU: { total: 4, resource_provider_generation: 7 } } },
    { inventories: [inventory('VGPU', 4)] },
  ],
  [
    'a standard class: its used amount is that of the node, less the reserved amount that the node counts as used',
    { inventories: { MEMORY_MB: { total: 65_536, reserved: 512, allocation_ratio: 1.5, max_unit: 65_536 } } },
    { inventories: [inventory('MEMORY_MB', 65_536, { reserved: 512, allocationRatio: 1.5, maxUnit: 65_536, used: 4_096 })] },
  ],
  [
    'a standard class without a ratio has that of the node',
    { inventories: { VCPU: { total: 8, max_unit: 8 }, DISK_GB: { total: 500, reserved: 10, allocation_ratio: 2 } }, ...ratios(16, 1.5, 3) },
    {
      inventories: [
        inventory('VCPU', 8, { allocationRatio: 16, maxUnit: 8, used: 4 }),
        inventory('DISK_GB', 500, { reserved: 10, allocationRatio: 2, used: 0 }),
      ],
    },
  ],
  [
    'a standard class with a ratio of 1 has this ratio, whatever the node has',
    { inventories: { VCPU: { total: 8, allocation_ratio: 1 } }, ...ratios(16, 1, 1) },
    { inventories: [inventory('VCPU', 8, { used: 4 })] },
  ],
  [
    'a standard class that states only its total replaces the total of the node',
    { inventories: { MEMORY_MB: { total: 32_768 }, VGPU: { total: 4 } } },
    { memoryMb: 32_768, memoryMbUsed: 4_608, inventories: [inventory('VGPU', 4)] },
  ],
  [
    'ratios that switch a check off count as the largest ratio',
    { inventories: { VCPU: { total: 8, max_unit: 8 }, DISK_GB: { total: 500, allocation_ratio: 9_999 } }, ...ratios(9_999, 10_000, 1) },
    {
      ramAllocationRatio: 1_000,
      cpuAllocationRatio: 1_000,
      inventories: [
        inventory('VCPU', 8, { allocationRatio: 1_000, maxUnit: 8, used: 4 }),
        inventory('DISK_GB', 500, { allocationRatio: 1_000, used: 0 }),
      ],
    },
  ],
  [
    'another class without a ratio is not overcommitted',
    { inventories: { VGPU: { total: 4 } }, ...ratios(16, 1.5, 3) },
    { inventories: [inventory('VGPU', 4)] },
  ],
  [
    'the whole total is reserved (inventory.yaml: put inventory with reserved equal to total)',
    { inventories: { VCPU: { total: 16, reserved: 16 } } },
    { inventories: [inventory('VCPU', 16, { reserved: 16, used: 0 })] },
  ],
])('%s', (_what, more, typed) => {
  expect(statsOf(more)).toMatchObject({ vcpus: 16, ...typed })
})

/** Applied values of a host on a fleet: the ratio of its vCPUs, the reserved vCPUs and the used vCPUs, each with its source. */
function appliedTo(inventory: object | undefined, cpuRatio: number, settings: object): object {
  const log = aLog()
  const said = { ...ratios(cpuRatio, 1, 1), ...(inventory !== undefined && { inventories: { VCPU: inventory } }) }
  log.append([
    { type: 'feature', level: GROUP_HOSTS },
    aReport('h1', statsOf(said)),
    { type: 'fleetAllocation', expectedVersion: 0, by: 'ops', reason: 'nova.conf', release: null, classes: {}, ...settings },
  ])
  const { hosts } = log.fleet
  const host = 0 as HostIndex
  const [ratio, reserved] = [ratioOf(hosts, hosts.get(host), 'VCPU'), reservedOf(hosts, hosts.get(host), 'VCPU')]
  const { used, capacity } = hosts.classColumns('VCPU')
  return { ratio: [ratio.value, ratio.source], reserved: [reserved.value, reserved.source], used: used[host], capacity: capacity[host] }
}

const FLEET = { classes: { VCPU: { ratio: 4, reserved: 2 } } }
test.each<[string, object | undefined, number, object, [number, string], [number, string], number]>([
  ['no inventory', undefined, 0, FLEET, [4, 'FLEET'], [2, 'FLEET'], 2],
  ['an inventory with only its total', { total: 16 }, 0, FLEET, [4, 'FLEET'], [2, 'FLEET'], 2],
  ['neither a ratio nor a reserved amount', { total: 16, max_unit: 16 }, 0, FLEET, [4, 'FLEET'], [2, 'FLEET'], 2],
  ['a ratio that is null', { total: 16, allocation_ratio: null, step_size: 1 }, 0, FLEET, [4, 'FLEET'], [2, 'FLEET'], 2],
  ['a ratio of the ComputeNode', { total: 16, max_unit: 16 }, 3, FLEET, [3, 'REPORT'], [2, 'FLEET'], 2],
  ['a reserved amount without a ratio', { total: 16, reserved: 1 }, 0, FLEET, [4, 'FLEET'], [1, 'REPORT'], 3],
  ['a ratio without a reserved amount', { total: 16, allocation_ratio: 1 }, 0, FLEET, [1, 'REPORT'], [2, 'FLEET'], 2],
  ['a ratio and a reserved amount', { total: 16, allocation_ratio: 1, reserved: 0 }, 0, FLEET, [1, 'REPORT'], [0, 'REPORT'], 4],
  ['a release of Nova and no settings', { total: 16, step_size: 1 }, 0, { release: 26 }, [16, 'NOVA_DEFAULT'], [0, 'NOVA_DEFAULT'], 4],
  ['no settings at all', { total: 16, step_size: 1 }, 0, {}, [1, 'NONE'], [0, 'NONE'], 4],
])(
  'what an inventory leaves open has the source that it has without the inventory: %s',
  (_, inventory, node, settings, ratio, reserved, used) => {
    const capacity = Math.floor((16 - reserved[0]) * ratio[0])
    expect(appliedTo(inventory, node, settings)).toEqual({ ratio, reserved, used, capacity })
  },
)

test.each<[string, object, string, string]>([
  ['traits that are text instead of a list', { traits: 'CUSTOM_T' }, 'traits', 'a list of names'],
  ['a trait that is not text', { traits: [1] }, 'traits', 'a list of names'],
  ['inventories that are a list', { inventories: [{ resource_class: 'VGPU', total: 1 }] }, 'inventories', 'an object by resource class'],
  [
    'no total (inventory.yaml: post an inventory with no total specified)',
    { inventories: { VGPU: {} } },
    'inventories.VGPU.total',
    'a number',
  ],
  [
    'a field that Placement does not have (inventory.yaml: put inventory bad form)',
    { inventories: { VGPU: { total: 1, house: 'red' } } },
    'inventories.VGPU.house',
    'left out',
  ],
  ['an unknown field next to the traits', { traits: { traits: [], colour: 'red' } }, 'traits.colour', 'left out'],
  ['an unknown field next to the node', { usages: {} }, 'usages', 'traits and inventories'],
])('%s is refused with its path', (_what, more, path, allowed) => {
  const imported = importNovaHost({ compute_node, ...more }, 'h1')
  expect(imported.ok ? [] : [imported.problems[0]?.path.join('.'), imported.problems[0]?.expected]).toEqual([
    path,
    expect.stringContaining(allowed),
  ])
})

test.each<[string, object]>([
  ['an invalid total (inventory.yaml: post an inventory with invalid total)', { VGPU: { total: 1.5 } }],
  ['a min_unit of 0 (inventory.yaml: post an inventory invalid min_unit)', { VGPU: { total: 4, min_unit: 0 } }],
  ['a step_size of 0 (inventory.yaml: post an inventory invalid step_size)', { VGPU: { total: 4, step_size: 0 } }],
  ['more reserved than the total (inventory.yaml: put all inventory bad capacity)', { VGPU: { total: 4, reserved: 5 } }],
  ['an invalid name of a class (inventory.yaml: post an inventory bad resource class)', { 'no such class': { total: 4 } }],
])('%s makes the report invalid', (_what, inventories) => {
  const imported = importNovaHost({ compute_node, inventories }, 'h1')
  expect(imported.ok && parseHostStats(imported.document).ok).toBe(false)
})

describe('A23: nova-compat and default refuse a host that lacks a required trait or class, or that has a forbidden trait', () => {
  const verdicts = (more: object, extraSpecs: Record<string, string>) => {
    const log = aLog()
    log.append([{ type: 'feature', level: GROUP_HOSTS }, aReport('h1', statsOf(more))])
    const request = aRequest({ flavor: { vcpus: 1, memoryMb: 64, extraSpecs } })
    return ['nova-compat', 'default'].map((name) => {
      const profile = builtInProfilesAt(GROUP_HOSTS).find((one) => one.name === name) as never
      const { checksOf } = prepareChecks(log.fleet, request, profile)
      const [host] = log.fleet.hosts.presentIndexes
      return checksOf(host as never).find(({ reason }) => reason !== undefined)?.reason?.code
    })
  }
  const both = (code: string | undefined) => [code, code]

  test.each<[string, object, Record<string, string>, string | undefined]>([
    ['the host has the trait', { traits: ['CUSTOM_T'] }, { 'trait:CUSTOM_T': 'required' }, undefined],
    ['the host does not have the trait', { traits: ['CUSTOM_U'] }, { 'trait:CUSTOM_T': 'required' }, 'trait.missing'],
    ['the host has the trait, which is forbidden', { traits: ['CUSTOM_T'] }, { 'trait:CUSTOM_T': 'forbidden' }, 'trait.forbidden'],
    ['the host has the class', { inventories: { VGPU: { total: 1 } } }, { 'resources:VGPU': '1' }, undefined],
    ['the host has a custom class', { inventories: { CUSTOM_BAREMETAL: { total: 1 } } }, { 'resources:CUSTOM_BAREMETAL': '1' }, undefined],
  ])('%s', (_what, more, extraSpecs, code) => {
    expect(verdicts(more, extraSpecs)).toEqual(both(code))
  })

  test('a request for a resource class that the host lacks is refused', () => {
    for (const code of verdicts({}, { 'resources:VGPU': '1' })) expect(code).toMatch(/^class\.|^resource/)
  })
})
