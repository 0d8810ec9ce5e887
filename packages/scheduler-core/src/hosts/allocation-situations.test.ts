import { describe, expect, test } from 'vitest'
import type { FleetAmounts } from '../records/allocation-settings.ts'
import type { Change, HostAllocationSet } from '../records/change.ts'
import { aClaim, aReport, aUuid } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { aggregate, capacity, expectSound, fleetSet, H, logWith, MACHINE, novaReport, ours, saysRatio, set } from './testing/allocation.ts'

describe('one machine under two names', () => {
  const replaced: Change = {
    type: 'replace',
    hosts: [{ from: { host: 'h1', node: 'h1' }, to: { host: 'h2', node: 'h2' } }],
    reason: 'renamed',
  }
  const of2 = (edit: Partial<HostAllocationSet>) => set({ host: 'h2', node: 'h2', ...edit })

  test('if two hosts are merged and operators had set a value for each, the value that was set later applies', () => {
    const log = logWith(ours(), aReport('h2', MACHINE), of2({ ratio: 2 }))
    log.append([set({ ratio: 3 }), set({ resourceClass: 'DISK_GB', reserved: 5 })], { at: 2_000 })
    log.append([of2({ reserved: 1 }), of2({ resourceClass: 'DISK_GB', reserved: 7 })], { at: 3_000 })
    expect(log.append([replaced])).toEqual([undefined])
    const { VCPU, DISK_GB } = log.fleet.hosts.get(H).allocation
    expect([VCPU?.ratio?.value, VCPU?.reserved?.value, DISK_GB?.reserved?.value]).toEqual([3, 1, 7])
    expect([capacity(log.fleet), capacity(log.fleet, 'DISK_GB')]).toEqual([21, 93])
    expect(log.fleet.hosts.get(1 as HostIndex).allocation).toEqual({})
    expectSound(log.fleet)
  })

  test('a host that replaces a host gets the lowest ratio of the aggregates that list its new name', () => {
    const log = logWith(ours(), aReport('h2', MACHINE), aggregate(1, '3'), aggregate(2, '2', 0, ['h2']))
    log.append([replaced])
    expect(saysRatio(log.fleet)).toEqual([3, 'AGGREGATE'])
    expectSound(log.fleet)
  })
})

describe("situations from Nova's and Placement's code", () => {
  const takes = (VCPU: number, key: string) => aClaim({ key, hosts: ['h1'], grants: { classes: { VCPU } } })

  test('placement inventory.py: after a ratio lowers the capacity below the use, nothing more is allocated, and claims stay', () => {
    const log = logWith(ours({ vcpusUsed: 6 }), takes(2, 'k1'), set({ ratio: 0.5 }))
    expect([capacity(log.fleet), log.fleet.hosts.classColumns('VCPU').free[H]]).toEqual([4, -4])
    expect(log.append([takes(1, 'k2')])).toEqual(['claim.no_room'])
    expect(log.fleet.ledger.lapsing.size).toBe(1)
    log.append([set({ ratio: 2 })])
    expect(log.append([takes(1, 'k3')])).toEqual([undefined])
    expectSound(log.fleet)
  })

  test('placement inventory.py: a reserved amount above the total, which Placement refuses, leaves a capacity of 0', () => {
    const log = logWith(ours(), set({ reserved: 9, ratio: 4 }))
    expect(capacity(log.fleet)).toBe(0)
    expect(log.append([takes(1, 'k1')])).toEqual(['claim.no_room'])
    log.append([ours({ vcpus: 10 }, 2)])
    expect(capacity(log.fleet)).toBe(4)
    // since microversion 1.26, Placement allows the entire total to be reserved
    log.append([set({ reserved: 10 })])
    expect(capacity(log.fleet)).toBe(0)
    expectSound(log.fleet)
  })

  test('nova compute_node.py _from_db_object: without an override, the configured ratio replaces a reported ratio of 0.0 or null', () => {
    const log = logWith(novaReport('h1'), fleetSet({ classes: { VCPU: { ratio: 3 } } }), set({ ratio: 5 }))
    log.append([novaReport('h1', { cpu_allocation_ratio: null }, 2)])
    expect(saysRatio(log.fleet)).toEqual([5, 'HOST'])
    log.append([set({ ratio: null })])
    expect(saysRatio(log.fleet)).toEqual([3, 'FLEET'])
    log.append([novaReport('h1', { cpu_allocation_ratio: 2 }, 3)])
    expect(saysRatio(log.fleet)).toEqual([2, 'REPORT'])
    expectSound(log.fleet)
  })

  test('after an aggregate is removed, or a host leaves it, the ratio of the aggregate does not apply to the host', () => {
    const log = logWith(ours(), aggregate(1, '2'), aggregate(2, '5'))
    log.append([aggregate(1, '2', 1, [])])
    expect(saysRatio(log.fleet)).toEqual([5, 'AGGREGATE'])
    log.append([{ type: 'aggregate', uuid: aUuid(2), expectedVersion: 1, next: null }])
    expect(saysRatio(log.fleet)).toEqual([1, 'REPORT'])
    expect(log.append([takes(9, 'k1')])).toEqual(['claim.no_room'])
    expectSound(log.fleet)
  })

  test('a ratio that is set while the host is disabled applies after the host is enabled', () => {
    const status = (value: 'DISABLED' | 'ENABLED'): Change => ({ type: 'status', host: 'h1', node: 'h1', status: value, reason: 'works' })
    const log = logWith(ours(), status('DISABLED'), set({ ratio: 2 }), status('ENABLED'))
    expect(capacity(log.fleet)).toBe(16)
    expectSound(log.fleet)
  })

  test.each([
    [100, 0.29, 29],
    [3, 1.1, 3],
    [10, 1.15, 11],
    [1_000_000, 0.001, 1_000],
    [7, 2.0004, 14],
    [2 ** 30, 1_000, 2 ** 30 * 1_000],
  ])(
    'capacity is exact where placement int((total - reserved) * ratio) gives 28 for 100 x 0.29: %i x %d is %i',
    (total, ratio, expected) => {
      const { fleet } = logWith(ours({ localGb: total }), set({ resourceClass: 'DISK_GB', ratio }))
      expect(capacity(fleet, 'DISK_GB')).toBe(expected)
      expectSound(fleet)
    },
  )

  test.each([
    ['the configuration', [fleetSet({ classes: { MEMORY_MB: { reserved: 1_024 } } })], 8_192 - 1_024 - 1_000],
    ["Nova's default", [fleetSet({ release: 27 })], 8_192 - 512 - 1_512],
    [
      'an operator’s value',
      [fleetSet({ classes: { MEMORY_MB: { reserved: 1_024 } } }), set({ resourceClass: 'MEMORY_MB', reserved: 2_048 })],
      8_192 - 2_048 - 1_000,
    ],
    ['nobody', [], 8_192 - 2_024],
  ])('nova resource_tracker.py counts the reserved amount as used, so it is subtracted only once: reserved by %s', (_who, edits, free) => {
    const { fleet } = logWith(novaReport('h1', { memory_mb_used: 2_024, free_ram_mb: 6_168 }), ...edits)
    expect(fleet.hosts.classColumns('MEMORY_MB').free[H]).toBe(free)
    expectSound(fleet)
  })

  test.each<readonly [string, FleetAmounts, number, number]>([
    ['2048: both are 2 GiB', { reserved: 2 }, 12, 88],
    ['1500: 2 GiB are reserved, of which 1 GiB is in the used disk', { reserved: 2, reservedInUse: 1 }, 11, 88],
    ['500: 1 GiB is reserved, of which none is in the used disk', { reserved: 1, reservedInUse: 0 }, 10, 89],
  ])('nova resource_tracker.py rounds down what is reserved in the used disk, reserved_host_disk_mb = %s', (_what, DISK_GB, used, free) => {
    const { fleet } = logWith(novaReport('h1', { local_gb_used: used }), fleetSet({ classes: { DISK_GB } }))
    expect(fleet.hosts.classColumns('DISK_GB').free[H]).toBe(free)
    expectSound(fleet)
  })

  test('a part of the reserved amount in use that is larger than the reserved amount is refused', () => {
    const log = logWith(novaReport('h1', {}))
    for (const disk of [{ reserved: 1, reservedInUse: 2 }, { reservedInUse: 1 }, { reserved: 1, reservedInUse: 0.5 }])
      expect(log.append([fleetSet({ classes: { DISK_GB: disk } })])).toEqual(['allocation.range'])
  })

  test('a VCPU inventory has its own ratio, and setting a ratio for memory does not apply the VCPU ratio to the NUMA cells', () => {
    const shape = { cpuAllocationRatio: 2, numaCells: [{ id: 0, cpuset: [0, 1, 2, 3], memoryMb: 4_096 }] }
    const log = logWith(ours({ ...shape, inventories: [{ resourceClass: 'VCPU', total: 8, allocationRatio: 4 }] }))
    const both = () => [capacity(log.fleet), log.fleet.hosts.get(H).cells[0]?.cpuFree]
    expect(both()).toEqual([32, 8])
    log.append([set({ resourceClass: 'MEMORY_MB', ratio: 2 })])
    expect(both()).toEqual([32, 8])
    log.append([set({ ratio: 3 })])
    expect(both()).toEqual([24, 12])
    expectSound(log.fleet)
  })
})
