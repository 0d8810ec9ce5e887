import { expect, test } from 'vitest'
import { readImageProperties } from '../text/image-properties.ts'
import { checkHost } from './check-host.ts'
import { networksShort } from './networks.ts'
import { migrateGuestTopology, readGuestTopology, readHostTopology } from './read-topology.ts'
import { fitGuest } from './search/fit-guest.ts'
import { orderCells } from './search/order-cells.ts'
import { aGuest, aGuestCell, aHost, aHostCell, numbers } from './testing.ts'
import { guestTopologyFor } from './wishes/guest-topology.ts'

const idle = { packing: false, pools: undefined, wantsDevices: false }
const order = (more: Partial<Parameters<typeof orderCells>[2]>, guest = aGuest([aGuestCell(0)])) => {
  const host = aHost(
    aHostCell(0, { memoryUsage: 9, cpuUsage: 1, pinnedCpus: [0] }),
    aHostCell(1, { memoryUsage: 5, cpuUsage: 1, pinnedCpus: [8, 9] }),
    aHostCell(2, { memoryUsage: 0, cpuUsage: 2, pinnedCpus: [] }),
  )
  return orderCells(host, guest, { ...idle, ...more }).map((cell) => cell.id)
}
const pools = [0, 1, 1].map((cell) => ({ keys: { numa_node: cell }, count: 1 }))
const pinned = aGuest([aGuestCell(0, { cpuPolicy: 'dedicated' })])

test.each([
  ['cells with the least used CPUs come first, then those with the most memory', order({}), [1, 0, 2]],
  ['packing reverses the order', order({ packing: true }), [2, 0, 1]],
  ['for a pinned guest cells are ordered by their free pinnable CPUs', order({}, pinned), [2, 0, 1]],
  ['packing reverses the order for a pinned guest', order({ packing: true }, pinned), [1, 0, 2]],
  ['for a guest that needs devices the cells with the most devices come first', order({ pools, wantsDevices: true }), [1, 0, 2]],
  ['for a guest without devices the cells with devices come last', order({ pools }), [2, 0, 1]],
  ['with packing too, the cells with devices come last', order({ pools, packing: true }), [2, 0, 1]],
  [
    'for a guest with as many cells as the host the given order is kept',
    order({}, aGuest(numbers(3).map((id) => aGuestCell(id)))),
    [0, 1, 2],
  ],
])('%s', (_name, ids, expected) => {
  expect(ids).toEqual(expected)
})

test('a device pool without numa_node is an error, as in Nova', () => {
  expect(() => order({ pools: [{ keys: {}, count: 1 }] })).toThrow(expect.objectContaining({ kind: 'KeyError' }))
})

const netHost = aHost(
  aHostCell(0, { networkMetadata: { physnets: ['a'], tunneled: false } }),
  aHostCell(1, { networkMetadata: { physnets: ['b'], tunneled: true } }),
  aHostCell(2),
)
const short = (physnets: readonly string[], tunneled: boolean, ...chosen: readonly number[]) =>
  networksShort(
    netHost,
    netHost.cells.filter((cell) => chosen.includes(cell.id)),
    { physnets, tunneled },
  )

test('a network must be near a chosen cell, unless no cell of the host reports it', () => {
  expect(short(['a'], false, 0)).toBeUndefined()
  expect(short(['elsewhere'], false, 2)).toBeUndefined()
  expect(short(['a', 'b'], false, 0, 1)).toBeUndefined()
  expect(short(['a', 'b'], false, 0)).toEqual({ code: 'numa.networks', subject: 'cells 0', need: 'b', have: 'a' })
  expect(short([], true, 1)).toBeUndefined()
  expect(short([], true, 2)).toMatchObject({ code: 'numa.networks', need: 'tunneled networks', have: 'no physical network' })
  expect(networksShort(netHost, [], undefined)).toBeUndefined()
})

const single = aHost(aHostCell(0, { siblings: numbers(8).map((cpu) => [cpu]) }))
const check = (more: Partial<Parameters<typeof checkHost>[0]>) =>
  checkHost({ host: single, guest: null, extraSpecs: {}, imageProperties: {}, ...more })

test('checkHost refuses a host without required threads or without a required topology', () => {
  expect(check({})).toEqual({ answer: 'pass' })
  expect(check({ guest: aGuest([aGuestCell(0)]) })).toEqual({ answer: 'fit' })
  expect(check({ guest: aGuest([aGuestCell(0)]), host: null })).toMatchObject({
    answer: 'refuse',
    why: { code: 'numa.not_reported', need: 1, have: 0 },
  })
  expect(check({ guest: aGuest([aGuestCell(0)]), host: aHost() })).toMatchObject({ answer: 'refuse' })
  const required = { extraSpecs: { 'hw:cpu_policy': 'dedicated' }, imageProperties: { hw_cpu_thread_policy: 'require' } }
  expect(check(required)).toMatchObject({ answer: 'refuse', why: { code: 'numa.no_threads' } })
  expect(check({ ...required, host: aHost(aHostCell(0)) })).toEqual({ answer: 'pass' })
  expect(check({ ...required, host: null })).toEqual({ answer: 'pass' })
})

test('checkHost throws an error if the image or the extra specs are missing', () => {
  expect(() => check({ imageProperties: null })).toThrow(expect.objectContaining({ kind: 'AttributeError' }))
  expect(() => check({ extraSpecs: undefined })).toThrow(expect.objectContaining({ kind: 'ObjectActionError' }))
})

test('fitGuest refuses a guest with more cells than the host, and a host without cells', () => {
  const options = { limits: null }
  const result = fitGuest(aHost(aHostCell(0)), aGuest([aGuestCell(0), aGuestCell(1)]), options)
  expect(!result.ok && result.why()).toEqual({ code: 'numa.cells', need: 2, have: 1, unit: 'cells' })
  const none = fitGuest(aHost(), aGuest([aGuestCell(0)]), options)
  expect(!none.ok && none.why()).toMatchObject({ code: 'numa.not_reported', need: 1, have: 0 })
})

const wire = (version: string, data: object) => ({ 'nova_object.name': 'X', 'nova_object.version': version, 'nova_object.data': data })

test('a host topology is read from a versioned object or its JSON text, and fields that old versions lack stay unset', () => {
  const cell = wire('1.5', {
    id: 0,
    cpuset: [1, 0],
    pcpuset: [2],
    memory: 9,
    siblings: [[1, 0]],
    mempages: [wire('1.0', { size_kb: 4, total: 2 })],
    socket: null,
  })
  const host = readHostTopology(JSON.stringify(wire('1.2', { cells: [cell] })))
  expect(host?.cells[0]).toMatchObject({
    cpuset: [0, 1],
    pcpuset: [2],
    siblings: [[0, 1]],
    mempages: [{ sizeKib: 4, total: 2, used: 0, reserved: 0 }],
    socket: null,
  })
  expect(readHostTopology(wire('1.2', { cells: [wire('1.0', { id: 0, cpuset: [0], memory: 9 })] }))?.cells[0]).toMatchObject({
    pcpuset: undefined,
    socket: undefined,
    siblings: [],
  })
  expect([readHostTopology(null), readHostTopology('')]).toEqual([null, null])
})

test('a host topology is read from plain dictionaries', () => {
  const host = readHostTopology('{"cells": [{"id": 1, "cpus": "0-2,^1", "mem": {"total": 512, "used": 100}, "cpu_usage": 3}]}')
  expect(host?.cells[0]).toMatchObject({ id: 1, cpuset: [0, 2], pcpuset: undefined, memory: 512, memoryUsage: 100, cpuUsage: 3 })
})

test.each<[string, () => unknown]>([
  [
    '1,000 cells of a host in plain dictionaries',
    () => readHostTopology({ cells: Array.from({ length: 1_000 }, (_, id) => ({ id, cpus: '0-65535' })) }),
  ],
  ['128 nodes of an image', () => readImageProperties(nodes('hw_numa_cpus'))],
  ['128 nodes of a flavor', () => guestTopologyFor(flavor({ 'hw:numa_nodes': '128', ...nodes('hw:numa_cpus') }), {})],
])('the CPU lists of %s can have 65,536 CPUs together', (_what, read) => {
  expect(read).toThrow(expect.objectContaining({ kind: 'Invalid', message: expect.stringContaining('name more than 65536 CPUs') }))
})

/** A CPU list of 65,536 CPUs for each of 128 NUMA nodes. */
function nodes(key: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 128 }, (_, node) => [`${key}.${node}`, '0-65535']))
}

test('a guest topology is read from a versioned object, and migrateGuestTopology converts one without pcpuset', () => {
  const old = readGuestTopology(
    wire('1.3', { cells: [wire('1.4', { id: 0, cpuset: [0, 1], memory: 512, cpu_policy: 'dedicated', cpu_pinning_raw: { 0: 7 } })] }),
  )
  expect(old?.cells[0]).toMatchObject({ cpuset: [0, 1], pcpuset: undefined, cpuPinning: { 0: 7 }, pagesize: null })
  expect(migrateGuestTopology(old ?? aGuest([])).cells[0]).toMatchObject({ cpuset: [], pcpuset: [0, 1] })
})

test.each([
  ['{"cells": 1', 'JSONDecodeError'],
  ['{"cells": 1}', 'ValueError'],
  [{ cells: [{ id: 'x' }] }, 'ValueError'],
  [7, 'ValueError'],
])('%j is not a topology of a host', (value, kind) => {
  expect(() => readHostTopology(value)).toThrow(expect.objectContaining({ kind }))
})

const flavor = (extraSpecs: Readonly<Record<string, string>>, vcpus = 4) => ({ vcpus, memoryMib: 1024, extraSpecs })

test.each([
  [
    'NUMA nodes of equal size',
    { 'hw:numa_nodes': '2' },
    {},
    [
      [[0, 1], [], 512],
      [[2, 3], [], 512],
    ],
  ],
  [
    'NUMA nodes that the flavor describes',
    { 'hw:numa_nodes': '2', 'hw:numa_cpus.0': '0-2', 'hw:numa_cpus.1': '3', 'hw:numa_mem.0': '1000', 'hw:numa_mem.1': '24' },
    {},
    [
      [[0, 1, 2], [], 1000],
      [[3], [], 24],
    ],
  ],
  [
    'NUMA nodes that the image describes',
    { 'hw:numa_nodes': '2' },
    { hw_numa_cpus: [[0], [1, 2, 3]], hw_numa_mem: [24, 1000] },
    [
      [[0], [], 24],
      [[1, 2, 3], [], 1000],
    ],
  ],
  ['a dedicated guest pins all its CPUs', { 'hw:cpu_policy': 'dedicated' }, {}, [[[], [0, 1, 2, 3], 1024]]],
  ['a mixed guest pins the CPUs of its mask', { 'hw:cpu_policy': 'mixed', 'hw:cpu_dedicated_mask': '^0-1' }, {}, [[[0, 1], [2, 3], 1024]]],
  [
    'the real-time mask replaces a missing mask of dedicated CPUs',
    { 'hw:cpu_policy': 'mixed', 'hw:cpu_realtime': 'yes' },
    { hw_cpu_realtime_mask: '^0' },
    [[[0], [1, 2, 3], 1024]],
  ],
  ['persistent memory alone makes a NUMA node', { 'hw:pmem': '4GB' }, {}, [[[0, 1, 2, 3], [], 1024]]],
])('%s', (_name, extraSpecs, image, cells) => {
  const topology = guestTopologyFor(flavor(extraSpecs), image)
  expect(topology?.cells.map((cell) => [cell.cpuset, cell.pcpuset, cell.memory])).toEqual(cells)
})

test('settings that need no NUMA cells give no guest topology', () => {
  expect(guestTopologyFor(flavor({ 'hw:cpu_policy': 'shared', 'hw:mem_page_size': '0' }), {})).toBeNull()
})

test.each([
  ['hw:numa_nodes', '02', {}, 'InvalidNUMANodesNumber'],
  ['hw:numa_nodes', '2', { hw_numa_nodes: 2 }, 'ImageNUMATopologyForbidden'],
  ['hw:numa_nodes', '3', {}, 'ImageNUMATopologyAsymmetric'],
  ['hw:numa_nodes', '1', { hw_numa_cpus: [[0]] }, 'ImageNUMATopologyIncomplete'],
  ['hw:numa_nodes', '1', { hw_numa_cpus: [[0, 1, 2]], hw_numa_mem: [1024] }, 'ImageNUMATopologyCPUsUnassigned'],
  ['hw:numa_nodes', '1', { hw_numa_cpus: [[0, 1, 2, 3]], hw_numa_mem: [1023] }, 'ImageNUMATopologyMemoryOutOfRange'],
  [
    'hw:numa_nodes',
    '2',
    {
      hw_numa_cpus: [
        [0, 1],
        [1, 2, 3],
      ],
      hw_numa_mem: [512, 512],
    },
    'ImageNUMATopologyCPUDuplicates',
  ],
  ['hw:cpu_thread_policy', 'isolate', { hw_cpu_thread_policy: 'require' }, 'ImageCPUThreadPolicyForbidden'],
  ['hw:locked_memory', 'true', {}, 'LockMemoryForbidden'],
  ['hw:locked_memory', 'true', { hw_locked_memory: false }, 'FlavorImageLockedMemoryConflict'],
])('%s=%s with %j is %s', (key, value, image, kind) => {
  expect(() => guestTopologyFor(flavor({ [key]: value }), image)).toThrow(expect.objectContaining({ kind }))
})

test('a flavor with an excessive number of CPUs is refused', () => {
  expect(() => guestTopologyFor(flavor({}, 1e9), {})).toThrow(expect.objectContaining({ kind: 'InvalidRequest' }))
})
