import { expect, test } from 'vitest'
import { remarksOn } from './picture.ts'
import { parseList } from './readers/source.ts'
import { pictureOf } from './testing/machine.ts'
import { container, oldContainer, twoSockets, withoutCells } from './testing/tree.ts'

test('the picture of a machine with two sockets has its cells, threads and pages', () => {
  const { cpuCount, memoryKib, cells, canVirtualize } = pictureOf(twoSockets)
  expect([cpuCount, memoryKib, canVirtualize]).toEqual([{ value: 8 }, { value: 16_777_216 }, { value: true }])
  expect(cells).toEqual({
    value: [
      {
        id: 0,
        cpus: [0, 2, 4, 6],
        memoryKib: 8_388_608,
        socket: 0,
        siblings: [
          [0, 4],
          [2, 6],
        ],
        pages: [
          { sizeKib: 4, total: (8_388_608 - 1_024 * 2_048) / 4 },
          { sizeKib: 2_048, total: 1_024 },
        ],
      },
      {
        id: 1,
        cpus: [1, 3, 5, 7],
        memoryKib: 8_388_608,
        socket: 1,
        siblings: [
          [1, 5],
          [3, 7],
        ],
        pages: [
          { sizeKib: 4, total: (8_388_608 - 512 * 2_048 - 2 * 1_048_576) / 4 },
          { sizeKib: 2_048, total: 512 },
          { sizeKib: 1_048_576, total: 2 },
        ],
      },
    ],
  })
})

test('an offline CPU is left out of its cell and its core', () => {
  const { cpuCount, cells } = pictureOf(twoSockets, {}, { 'sys/devices/system/cpu/online': '0-6' })
  expect(cpuCount).toEqual({ value: 7 })
  expect('value' in cells && cells.value[1]).toMatchObject({ cpus: [1, 3, 5], siblings: [[1, 5]] })
})

test('GPUs for computing are reported with the name from their driver, and the display controller of the board is not reported', () => {
  expect(pictureOf(twoSockets).gpus).toEqual({
    value: [
      { index: 0, address: '0000:3b:00.0', model: 'NVIDIA A100-PCIE-80GB', cell: 0 },
      { index: 1, address: '0000:af:00.0', model: '10de:20b5', cell: 1 },
    ],
  })
})

test('a value that cannot be read is not reported, and the warning names the file', () => {
  const picture = pictureOf(withoutCells)
  expect(picture.cpuCount).toEqual({ value: 4 })
  expect(picture.cells).toEqual({ notReported: '/sys/devices/system/cpu: ENOENT' })
  expect(picture.devices).toEqual({ notReported: '/sys/bus/pci/devices: ENOENT' })
  expect(remarksOn(picture)).toContain('hardware virtualization is not reported: /dev/kvm: it does not exist')
})

test.each([
  ['no number', 'proc/meminfo', 'MemTotal: plenty', 'memoryKib', '/proc/meminfo: it has no MemTotal'],
  [
    'no list',
    'sys/devices/system/node/online',
    '0-x',
    'cells',
    '/sys/devices/system/node/online: "0-x" is neither a number nor a range of numbers',
  ],
  [
    'no count',
    'sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages',
    'many',
    'cells',
    'nr_hugepages: "many" is not a whole number',
  ],
] as const)('a file with %s gives no value', (_, file, content, part, why) => {
  expect(pictureOf(twoSockets, {}, { [file]: content })[part]).toEqual({ notReported: expect.stringContaining(why) })
})

test('a container has the smallest limit of all levels of its control groups, for each resource', () => {
  const { cpuCount, memoryKib, cells, gpus } = pictureOf(container, { isContainer: true })
  expect([cpuCount, memoryKib]).toEqual([{ value: 4 }, { value: 2 * 2 ** 20 }])
  expect([cells, gpus].every((part) => 'notReported' in part)).toBe(true)
})

test('limits of control groups of version 1 are applied, and a limit of half a CPU is reported as one CPU', () => {
  const { cpuCount, memoryKib } = pictureOf(oldContainer, { isContainer: true })
  expect([cpuCount, memoryKib]).toEqual([{ value: 1 }, { value: 2 ** 20 }])
})

test('a container with a cpuset reports only its CPUs, with both versions of control groups', () => {
  const bound = pictureOf(container, { isContainer: true }, { 'sys/fs/cgroup/pod/app/cpuset.cpus.effective': '0-1,6' })
  expect(bound.cpuCount).toEqual({ value: 3 })
  const groups = { 'proc/self/cgroup': '2:cpuset:/pod\n0::/', 'sys/fs/cgroup/cpuset/pod/cpuset.effective_cpus': '2-3' }
  expect(pictureOf(withoutCells, { isContainer: true }, groups).cpuCount).toEqual({ value: 2 })
})

test("limits of the agent's own control group are ignored on a machine that is not a container", () => {
  const { cpuCount, memoryKib } = pictureOf(container)
  expect([cpuCount, memoryKib]).toEqual([{ value: 8 }, { value: 16_777_216 }])
})

test('if the memory of the cells differs from the memory of the machine, both are reported as they were read, with a warning', () => {
  const picture = pictureOf(twoSockets, {}, { 'proc/meminfo': 'MemTotal: 33554432 kB\nMemAvailable: 1000 kB' })
  expect(remarksOn(picture)).toEqual(['the cells have 16384 MiB together, and the machine 32768 MiB: both are reported as they were read'])
})

test('lists of numbers and ranges, as the kernel writes them, are parsed', () => {
  expect(parseList('f', '0-3,8,10-11')).toEqual([0, 1, 2, 3, 8, 10, 11])
  expect(parseList('f', '')).toEqual([])
  expect(() => parseList('f', '3-1')).toThrow('/f: "3-1" is neither a number nor a range of numbers')
})
