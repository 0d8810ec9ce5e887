import { expect, test } from 'vitest'
import { findOverLimits, type HeldClaim } from './claims.ts'
import { pictureOf, plainOffer } from './testing/machine.ts'
import { twoSockets, withoutCells } from './testing/tree.ts'

const claim = (id: string, but: Partial<HeldClaim>): HeldClaim => ({
  id,
  instanceUuid: null,
  resources: [],
  cells: [],
  gpus: [],
  pciDevices: [],
  ...but,
})
const cell = (but: Partial<HeldClaim['cells'][number]>) => ({
  cell: 0,
  cpus: 0,
  pinned: [],
  siblings: [],
  memoryMb: 0,
  pageSizeKib: null,
  ...but,
})

test.each([
  ['claims that use every CPU of the machine fit', [claim('a', { resources: [{ resourceClass: 'VCPU', amount: 8 }] })], []],
  [
    'if claims hold more CPUs than the machine has, the resource is reported with these claims, the newest first',
    [claim('a', { resources: [{ resourceClass: 'VCPU', amount: 8 }] }), claim('b', { resources: [{ resourceClass: 'VCPU', amount: 1 }] })],
    [{ what: 'VCPU', unit: 'CPUs', held: 9, limit: 8, claims: ['b', 'a'] }],
  ],
  [
    'memory that is reserved for the machine does not count as free',
    [claim('a', { resources: [{ resourceClass: 'MEMORY_MB', amount: 16_384 }] })],
    [{ what: 'MEMORY_MB', unit: 'MiB', held: 16_384, limit: 15_872, claims: ['a'] }],
  ],
  [
    'two claims that name the same CPU are reported',
    [claim('a', { cells: [cell({ pinned: [2] })] }), claim('b', { cells: [cell({ pinned: [2, 6] })] })],
    [{ what: 'CPU 2 of cell 0', unit: 'owners', held: 2, limit: 1, claims: ['b', 'a'] }],
  ],
  [
    'a CPU that is not in the cell is reported',
    [claim('a', { cells: [cell({ pinned: [1] })] })],
    [{ what: 'CPU 1 of cell 0', unit: 'owners', held: 1, limit: 0, claims: ['a'] }],
  ],
  [
    'huge pages are counted for each size',
    [claim('a', { cells: [cell({ cell: 1, memoryMb: 3_072, pageSizeKib: 1_048_576 })] })],
    [{ what: 'pages of 1048576 KiB of cell 1', unit: 'pages', held: 3, limit: 2, claims: ['a'] }],
  ],
  [
    'a claimed GPU that no longer exists is reported',
    [claim('a', { gpus: [{ index: 5, milli: 500 }] })],
    [{ what: 'GPU 5', unit: 'thousandths', held: 500, limit: 0, claims: ['a'] }],
  ],
  [
    'PCI devices are counted by pool, and only devices for instances belong to a pool',
    [
      claim('a', { pciDevices: [{ pool: '144d:a808:type-PCI@1', count: 1 }] }),
      claim('b', { pciDevices: [{ pool: '144d:a808:type-PCI@1', count: 1 }] }),
    ],
    [{ what: 'PCI devices 144d:a808:type-PCI@1', unit: 'devices', held: 2, limit: 1, claims: ['b', 'a'] }],
  ],
  [
    'a claimed PCI device of a pool that no longer exists is reported',
    [claim('a', { pciDevices: [{ pool: '8086:154c:type-VF@0?physical_network=physnet1', count: 1 }] })],
    [{ what: 'PCI devices 8086:154c:type-VF@0?physical_network=physnet1', unit: 'devices', held: 1, limit: 0, claims: ['a'] }],
  ],
  ['classes that the agent does not count have no limit', [claim('a', { resources: [{ resourceClass: 'CUSTOM_FPGA', amount: 9 }] })], []],
])('%s', (_, claims, expected) => {
  expect(findOverLimits(claims, pictureOf(twoSockets), plainOffer)).toEqual(expected)
})

test('claims of devices with tags are compared with the offered devices by the name of their pool', () => {
  const tags = { physical_network: 'physnet1', a: 'b c' }
  const pci = [{ vendor: '8086', product: '154c', tags }]
  const claims = [claim('a', { pciDevices: [{ pool: '8086:154c:type-VF@0?a=b%20c&physical_network=physnet1', count: 2 }] })]
  expect(findOverLimits(claims, pictureOf(twoSockets), { ...plainOffer, pci })).toEqual([])
})

test('if the size of a resource cannot be read, claims of the resource are not limited', () => {
  const claims = [
    claim('a', { cells: [cell({ pinned: [99] })], gpus: [{ index: 0, milli: 1_000 }], pciDevices: [{ pool: '8086:154c', count: 1 }] }),
  ]
  expect(findOverLimits(claims, pictureOf(withoutCells), plainOffer)).toEqual([])
})
