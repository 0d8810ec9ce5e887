import { describe, expect, test } from 'vitest'
import { changesOf, NotReportable, type Omittable, toFull } from './report.ts'
import { pictureOf, plainOffer } from './testing/machine.ts'
import { twoSockets, withoutCells } from './testing/tree.ts'

const AT = '2026-11-22T00:00:00.000Z'
const LATER = '2026-11-22T00:00:10.000Z'
const nothing = new Set<Omittable>()

describe('the content of a full report', () => {
  test('a full report has every value that was read, and lists all other fields as omitted', () => {
    const report = toFull({ picture: pictureOf(twoSockets), at: AT }, plainOffer, nothing)
    expect(report).toMatchObject({
      version: '1.3',
      machineId: 'abb3d70e9fd8da0f16363a53d4966f56',
      vcpus: 8,
      vcpusUsed: 0,
      memoryMb: 16_384,
      memoryMbUsed: 512,
      localGb: 100,
      freeDiskGb: 40,
      cpuInfo: { arch: 'x86_64', vendor: 'GenuineIntel', model: 'Fictitious CPU 9000', sockets: 2, cores: 2, threads: 2 },
      traits: ['HW_CPU_X86_AVX', 'HW_CPU_X86_AVX2', 'HW_CPU_X86_SSE42', 'HW_CPU_X86_VMX'],
      supportedInstances: [{ arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' }],
      gpus: [{ index: 0 }, { index: 1 }],
    })
    const unread = ['DISK_AVAILABLE_LEAST', 'HYPERVISOR_TYPE', 'HYPERVISOR_VERSION', 'HOST_IP', 'TUNNELED_CELLS']
    expect(report.omitted).toEqual(unread)
  })

  test('a full report omits the fields that no profile needs', () => {
    const picture = pictureOf(twoSockets)
    const needed = toFull({ picture, at: AT }, plainOffer, new Set<Omittable>(['NUMA_CELLS', 'CPU_INFO', 'METRICS']))
    expect(needed.omitted).toEqual(expect.arrayContaining(['NUMA_CELLS', 'CPU_INFO', 'METRICS']))
    expect([needed.numaCells, needed.cpuInfo, needed.metrics]).toEqual([undefined, undefined, undefined])
    expect(JSON.stringify(needed).length).toBeLessThan(JSON.stringify(toFull({ picture, at: AT }, plainOffer, nothing)).length)
  })

  test('if the cells of a machine cannot be read, a full report lists them as omitted and does not report an empty list', () => {
    const report = toFull({ picture: pictureOf(withoutCells), at: AT }, plainOffer, nothing)
    expect(report.omitted).toEqual(expect.arrayContaining(['NUMA_CELLS', 'GPUS', 'PCI_POOLS', 'SUPPORTED_INSTANCES']))
    expect(report.cpuInfo).not.toHaveProperty('sockets')
  })

  test('toFull throws NotReportable if the memory of the machine cannot be read', () => {
    const picture = pictureOf(twoSockets, {}, { 'proc/meminfo': undefined })
    expect(() => toFull({ picture, at: AT }, plainOffer, nothing)).toThrow(
      new NotReportable('the memory is not known: /proc/meminfo: ENOENT'),
    )
  })
})

describe('PCI devices for instances', () => {
  test('the PCI devices for instances are those with the driver vfio-pci, without GPUs', () => {
    expect(toFull({ picture: pictureOf(twoSockets), at: AT }, plainOffer, nothing).pciPools).toEqual([
      { vendorId: '144d', productId: 'a808', deviceType: 'type-PCI', numaNode: 1, total: 1 },
    ])
  })

  test('the PCI devices include the kinds that operators offer; for a divided card, only its virtual functions are included', () => {
    const tags = { physical_network: 'physnet1' }
    const pci = ['1572', '154c'].map((product) => ({ vendor: '8086', product, tags }))
    expect(toFull({ picture: pictureOf(twoSockets), at: AT }, { ...plainOffer, pci }, nothing).pciPools).toEqual([
      {
        vendorId: '8086',
        productId: '154c',
        deviceType: 'type-VF',
        numaNode: 0,
        tags: [{ key: 'physical_network', value: 'physnet1' }],
        total: 2,
      },
      { vendorId: '144d', productId: 'a808', deviceType: 'type-PCI', numaNode: 1, total: 1 },
    ])
  })
})

describe('what changed since the last report', () => {
  const reported = toFull({ picture: pictureOf(twoSockets), at: AT }, plainOffer, nothing)
  const after = (but: Readonly<Record<string, string>>) =>
    toFull({ picture: pictureOf(twoSockets, {}, but), reported, at: LATER }, plainOffer, nothing)

  test('a later reading of an unchanged machine has no changes', () => {
    expect(changesOf(reported, after({}))).toBe('nothing')
  })

  test('a change of a measurement by less than its step is not reported, and a larger change is reported', () => {
    expect(changesOf(reported, after({ 'proc/loadavg': '1.60 0.90 0.70 2/512 4242' }))).toBe('nothing')
    const moved = after({ 'proc/loadavg': '7.00 0.90 0.70 2/512 4242' })
    expect(changesOf(reported, moved)).toBe('more')
    expect(moved.metrics?.map(({ name, timestamp }) => [name, timestamp])).toEqual([
      ['load.1m', LATER],
      ['memory.available.mb', AT],
    ])
  })

  test('if only the resource usage has changed, the next report is a delta', () => {
    expect(changesOf(reported, { ...reported, vcpusUsed: 4, memoryMbUsed: 2_048 })).toEqual({ vcpusUsed: 4, memoryMbUsed: 2_048 })
  })

  test('if a CPU of the machine is gone, the next report is full', () => {
    expect(changesOf(reported, after({ 'sys/devices/system/cpu/online': '0-6' }))).toBe('more')
  })
})

test('shares of CPU time are computed from the time between two readings', () => {
  const before = pictureOf(twoSockets)
  const picture = pictureOf(twoSockets, {}, { 'proc/stat': 'cpu  150 0 110 720 120 0 0 0 0 0' })
  const { metrics } = toFull({ picture, before, at: AT }, plainOffer, nothing)
  expect(metrics).toContainEqual({ name: 'cpu.percent', value: 0.6, timestamp: AT, source: 'gantt-agent' })
  expect(metrics).toContainEqual({ name: 'cpu.iowait.percent', value: 0.2, timestamp: AT, source: 'gantt-agent' })
})
