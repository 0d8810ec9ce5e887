import { describe, expect, test } from 'vitest'
import type { PciPool } from '../../hardware/pci.ts'
import type { GuestCell, GuestTopology, HostCell, HostTopology } from '../../hardware/topology.ts'
import type { NovaImage } from '../../objects/request.ts'
import { aHostState, aNovaRequest } from '../../testing/builders.ts'
import { type Given, NOW, reasonOf, verdictOf } from '../../testing/judge.ts'
import { numaTopologyFilter, PACKING } from './numa-topology.ts'

/** A host cell with two cores for shared CPUs and two cores for pinned CPUs. Each core has two threads. */
const hostCell = (id: number, given: Partial<HostCell> = {}): HostCell => ({
  id,
  cpuset: [4, 5, 6, 7],
  pcpuset: [0, 1, 2, 3],
  memory: 4_096,
  cpuUsage: 0,
  memoryUsage: 0,
  pinnedCpus: [],
  siblings: [
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
  ],
  mempages: [],
  socket: 0,
  networkMetadata: { physnets: [], tunneled: false },
  ...given,
})

/** A host cell with four cores of two threads each. All CPUs can be shared or pinned. */
const wide = (given: Partial<HostCell>): HostCell =>
  hostCell(0, { cpuset: [0, 1, 2, 3, 4, 5, 6, 7], pcpuset: [0, 1, 2, 3, 4, 5, 6, 7], ...given })

const guestCell = (given: Partial<GuestCell> = {}): GuestCell => ({
  id: 0,
  cpuset: [0, 1],
  pcpuset: [],
  memory: 1_024,
  pagesize: null,
  cpuPolicy: null,
  cpuThreadPolicy: null,
  cpuPinning: null,
  cpusetReserved: null,
  ...given,
})

const pinned = (given: Partial<GuestCell> = {}): GuestCell => guestCell({ cpuset: [], pcpuset: [0, 1], cpuPolicy: 'dedicated', ...given })
const host = (...cells: readonly HostCell[]): HostTopology => ({ cells })
const guest = (...cells: readonly GuestCell[]): GuestTopology => ({ cells, emulatorThreadsPolicy: null })
const image: NovaImage = { id: 'i1', minRam: 0, minDisk: 0, properties: {} }

const on = (numaTopology: HostTopology | null, asked: GuestTopology | null, request: Given['request'] = {}): Given => ({
  host: { numaTopology, cpuAllocationRatio: 2, ramAllocationRatio: 1.5 },
  request: { image, numaTopology: asked, ...request },
})

const hugePages = (used: number) => [
  { sizeKib: 4, total: 1_048_576, used: 0, reserved: 0 },
  { sizeKib: 2_048, total: 600, used, reserved: 0 },
]
const requiring = { extraSpecs: { 'hw:cpu_policy': 'dedicated', 'hw:cpu_thread_policy': 'require' } }
const isolating: GuestTopology = { cells: [pinned({ pcpuset: [0, 1, 2, 3] })], emulatorThreadsPolicy: 'isolate' }
const networks = (...physnets: string[]) => ({ networkMetadata: { physnets, tunneled: false } })
const leading = (...physnets: string[]) => ({ networkMetadata: { physnets, tunneled: false } })

describe('the checks before guest cells are fitted', () => {
  test.each<[string, Given, string]>([
    ['a request without an image is an error of Nova', on(null, null, { image: null }), 'raises AttributeError'],
    ['a guest without cells passes everywhere', on(null, null), 'passes'],
    ['a guest with cells needs a host with cells', on(null, guest(guestCell())), 'numa.not_reported'],
    ['a host with an empty list of cells counts as one without cells', on(host(), guest(guestCell())), 'numa.not_reported'],
    ['a guest with an empty list of cells passes', on(host(hostCell(0)), guest()), 'passes'],
    [
      'required threads must exist on the host, even for a guest without cells',
      on(host(hostCell(0, { siblings: [[0], [1]] })), null, { flavor: requiring }),
      'numa.no_threads',
    ],
    ['a host with the required threads passes', on(host(hostCell(0)), null, { flavor: requiring }), 'passes'],
    ['a host without cells is not checked for threads', on(null, null, { flavor: requiring }), 'passes'],
  ])('%s', (_what, given, verdict) => expect(verdictOf(numaTopologyFilter, given)).toBe(verdict))
})

describe('one guest cell on one host cell', () => {
  test.each<[string, Given, string]>([
    ['shared CPUs up to the ratio fit', on(host(hostCell(0, { cpuUsage: 6 })), guest(guestCell())), 'passes'],
    ['one shared CPU beyond the ratio does not fit', on(host(hostCell(0, { cpuUsage: 7 })), guest(guestCell())), 'numa.cpus'],
    ['shared memory up to the ratio fits', on(host(hostCell(0, { memoryUsage: 5_120 })), guest(guestCell())), 'passes'],
    [
      'one MiB of shared memory beyond the ratio does not fit',
      on(host(hostCell(0, { memoryUsage: 5_121 })), guest(guestCell())),
      'numa.memory',
    ],
    ['a guest that needs all free pinned CPUs fits', on(host(hostCell(0, { pinnedCpus: [0, 1] })), guest(pinned())), 'passes'],
    [
      'a guest that needs one pinned CPU more than is free does not fit',
      on(host(hostCell(0, { pinnedCpus: [0, 1, 2] })), guest(pinned())),
      'numa.dedicated_cpus',
    ],
    ['no ratio applies to the memory of a pinned guest', on(host(hostCell(0, { memoryUsage: 3_073 })), guest(pinned())), 'numa.memory'],
    ['the emulator needs a separate CPU', on(host(hostCell(0)), isolating), 'numa.too_few_dedicated'],
    [
      'required threads need a core with two free threads',
      on(host(hostCell(0, { pinnedCpus: [0, 2] })), guest(pinned({ cpuThreadPolicy: 'require' }))),
      'numa.threads',
    ],
    [
      'isolated CPUs, for which too few cores are free',
      on(host(wide({ pinnedCpus: [0, 2] })), guest(pinned({ pcpuset: [0, 1, 2], cpuThreadPolicy: 'isolate' }))),
      'numa.threads',
    ],
    [
      'more isolated CPUs than the host has cores, while some cores are in use',
      on(host(wide({ pinnedCpus: [0, 2] })), guest(pinned({ pcpuset: [0, 1, 2, 3, 4], cpuThreadPolicy: 'isolate' }))),
      'numa.too_few_cores',
    ],
    [
      'more isolated CPUs than the host has cores, while too few CPUs are free',
      on(host(wide({ pinnedCpus: [0, 2, 4, 6] })), guest(pinned({ pcpuset: [0, 1, 2, 3, 4], cpuThreadPolicy: 'isolate' }))),
      'numa.too_few_cores',
    ],
    [
      'preferred threads may be on different cores',
      on(host(hostCell(0, { pinnedCpus: [0, 2] })), guest(pinned({ cpuThreadPolicy: 'prefer' }))),
      'passes',
    ],
    [
      'a guest that needs all free pages fits',
      on(host(hostCell(0, { mempages: hugePages(88) })), guest(guestCell({ pagesize: 2_048 }))),
      'passes',
    ],
    [
      'a guest that needs one page more than is free does not fit',
      on(host(hostCell(0, { mempages: hugePages(89) })), guest(guestCell({ pagesize: 2_048 }))),
      'numa.pages',
    ],
    [
      'more pages than the host has in total, while some pages are in use',
      on(host(hostCell(0, { mempages: hugePages(89) }), hostCell(1)), guest(guestCell({ memory: 1_202, pagesize: 2_048 }))),
      'numa.too_few_pages',
    ],
    [
      'large pages of any size, while the only sufficient size is in use',
      on(
        host(hostCell(0, { mempages: [...hugePages(0), { sizeKib: 1_048_576, total: 2, used: 2, reserved: 0 }] })),
        guest(guestCell({ memory: 2_048, pagesize: -2 })),
      ),
      'numa.pages',
    ],
    [
      'pages of a size that the host does not have',
      on(host(hostCell(0, { mempages: hugePages(0) })), guest(guestCell({ pagesize: 1_048_576 }))),
      'numa.page_size',
    ],
  ])('%s', (_what, given, verdict) => expect(verdictOf(numaTopologyFilter, given)).toBe(verdict))
})

describe('several cells, devices and networks', () => {
  const full = hostCell(0, { cpuUsage: 8 })
  const pool: PciPool = { keys: { vendor_id: '8086', numa_node: 1 }, count: 1 }
  const device = { count: 1, spec: [{ vendor_id: '8086' }], alias: 'nic', numaPolicy: 'required' as const }
  test.each<[string, Given, string]>([
    ['a later cell has enough left', on(host(full, hostCell(1)), guest(guestCell())), 'passes'],
    ['each guest cell needs a separate host cell', on(host(hostCell(0)), guest(guestCell(), guestCell({ id: 1 }))), 'numa.cells'],
    ['networks that a cell of the host reaches', on(host(hostCell(0, leading('a'))), guest(guestCell()), networks('a')), 'passes'],
    [
      'networks that only a full cell reaches',
      on(host({ ...full, ...leading('a') }, hostCell(1)), guest(guestCell()), networks('a')),
      'numa.networks',
    ],
    ['networks that no cell reports', on(host(hostCell(0)), guest(guestCell()), networks('a')), 'passes'],
  ])('%s', (_what, given, verdict) => expect(verdictOf(numaTopologyFilter, given)).toBe(verdict))

  test('a host cell is chosen only if the requested device is near it', () => {
    const given = (...cells: readonly HostCell[]): Given => ({
      host: { numaTopology: host(...cells), pciPools: [pool] },
      request: { image, numaTopology: guest(guestCell()), pciRequests: [device] },
    })
    expect(verdictOf(numaTopologyFilter, given(hostCell(0), hostCell(1)))).toBe('passes')
    expect(verdictOf(numaTopologyFilter, given(hostCell(0), hostCell(1, { cpuUsage: 64 })))).toBe('pci.numa')
  })
})

test('the reason of a refusal has the needed and the free CPUs of the cell', () => {
  const given = on(host(hostCell(0, { pinnedCpus: [0, 1, 2] })), guest(pinned()))
  expect(reasonOf(numaTopologyFilter, given)).toMatchObject({ code: 'numa.dedicated_cpus', need: 2, have: 1, unit: 'CPUs' })
})

test('if no cell has enough cores, the reason of the refusal has the core count of the largest cell', () => {
  const given = on(host(wide({ pinnedCpus: [0] }), hostCell(1)), guest(pinned({ pcpuset: [0, 1, 2, 3, 4], cpuThreadPolicy: 'isolate' })))
  expect(reasonOf(numaTopologyFilter, given)).toMatchObject({
    ...{ code: 'numa.too_few_cores', need: 5, have: 4, unit: 'CPUs' },
    source: 'thread policy isolate',
  })
})

test('a host that passes gets the limits by which it was checked, and the check changes neither request nor host', () => {
  const request = aNovaRequest({ image, numaTopology: guest(guestCell()), ...networks('a') })
  const state = aHostState({ numaTopology: host(hostCell(0)), cpuAllocationRatio: 2, ramAllocationRatio: 1.5 })
  const before = JSON.stringify([request, state])
  const check = numaTopologyFilter.prepare(request, { [PACKING]: true }, { now: NOW })
  expect(check?.(state)).toBeUndefined()
  expect(check?.limits?.(state)).toEqual({
    numaTopology: { cpuAllocationRatio: 2, ramAllocationRatio: 1.5, networkMetadata: { physnets: ['a'], tunneled: false } },
  })
  expect(JSON.stringify([request, state])).toBe(before)
})
