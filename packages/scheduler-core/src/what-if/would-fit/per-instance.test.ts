import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { draws } from '../../../../../testing/extent.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '../../testing/index.ts'
import { atOnce } from '../../values/steps.ts'
import { type WhatWouldFit, type WhatWouldFitOptions, whatWouldFit } from './what-would-fit.ts'

interface How extends Partial<Pick<WhatWouldFitOptions, 'kinds' | 'maxChanges'>> {
  readonly named?: string
  readonly changes?: Parameters<ReturnType<typeof aLog>['append']>[0]
}

function answerFor(
  hosts: readonly HostShape[],
  asked: Parameters<typeof aRequest>[0],
  { kinds = ['REQUEST'], maxChanges = 1, named = 'default', changes = [] }: How = {},
): WhatWouldFit {
  const profile = builtInProfiles.find(({ name }) => name === named) as Profile
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...hosts.map((shape, i) => aReport(`h${i}`, shape))])
  log.append(changes)
  const limits = { maxChanges, first: 50, minHosts: 1, maxRuns: 100 }
  return atOnce(whatWouldFit(log.fleet, { request: aRequest(asked), profile, kinds, seed: 's', isOver: () => false, ...limits }))
}

/** The changes of each proposal, as text. */
const proposals = (...given: Parameters<typeof answerFor>): readonly string[] =>
  answerFor(...given).counterfactuals.map(({ changes }) => changes.map(({ subject, from, to }) => `${subject} ${from} -> ${to}`).join('; '))

const withGpus = (count: number): HostShape => ({ gpus: Array.from({ length: count }, (_, index) => ({ index })) })
const withPci = (total: number, productId = 'p'): HostShape => ({ pciPools: [{ vendorId: 'v', productId, total }] })
const devices = (count: number, product_id = 'p') => ({ count, specs: [{ vendor_id: 'v', product_id }] })
const together = { instanceGroup: { uuid: aUuid(7), policy: 'AFFINITY' as const } }

test('if too few GPUs are free for all instances, fewer GPUs for each instance or smaller shares are proposed', () => {
  expect(proposals([withGpus(4), withGpus(2)], { numInstances: 4, gpus: { count: 2 } })).toEqual([
    'GPUs 2 -> 1',
    'share of each GPU 100% -> 50%',
    'instances 4 -> 3',
  ])
})

test('if too few PCI devices are free for all instances, fewer devices for each instance are proposed, with and without a group', () => {
  const fewer = 'PCI devices 2 -> 1'
  expect(proposals([withPci(4), withPci(2)], { numInstances: 4, pciRequests: [devices(2)] })).toEqual([fewer, 'instances 4 -> 3'])
  expect(proposals([withPci(4)], { numInstances: 3, ...together, pciRequests: [devices(2)] })).toContain(fewer)
})

test('A16: for a guest in memory pages, the memory of all free pages of a cell is proposed, with its unit', () => {
  const numaCells = [{ id: 0, cpuset: [0, 1, 2, 3], memoryMb: 8_192, pages: [{ sizeKib: 2_048, total: 512 }] }]
  const guest = (memoryMb: number) => ({
    flavor: { vcpus: 2, memoryMb },
    numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb, pageSize: 2_048 }] },
  })
  expect(proposals([{ numaCells }], guest(2_048))).toEqual([
    'memory of each NUMA cell 2048 MiB -> 1024 MiB',
    'NUMA topology, page size 2048 KiB -> not asked',
  ])
})

test('if two PCI requests need the same devices, a reduction of each request is proposed', () => {
  expect(proposals([withPci(4)], { pciRequests: [devices(3), devices(2)] })).toEqual([
    'PCI devices of request 0 3 -> 2',
    'PCI devices of request 1 2 -> 1',
  ])
})

test('if no host has the devices of two PCI requests, dropping each request is proposed', () => {
  expect(proposals([withPci(1, 'p'), withPci(1, 'q')], { pciRequests: [devices(1, 'p'), devices(1, 'q')] })).toEqual([
    'PCI devices of request 0 1 (vendor v, product p) -> none',
    'PCI devices of request 1 1 (vendor v, product q) -> none',
  ])
})

const inOneCell = (cpus: number, memoryMb: number): Parameters<typeof aRequest>[0] => ({
  flavor: { vcpus: cpus, memoryMb },
  numaTopology: { cells: [{ id: 0, cpus: Array.from({ length: cpus }, (_, cpu) => cpu), memoryMb, cpuPolicy: 'dedicated' }] },
})
const cellsOf8 = (memoryMb: number): HostShape => ({
  ...{ vcpus: 20, memoryMb: 65_536 },
  numaCells: [0, 1].map((id) => ({ id, cpuset: Array.from({ length: 8 }, (_, cpu) => id * 8 + cpu), memoryMb })),
})

test('for several guests with NUMA cells, only changes of the cells that the request has are proposed', () => {
  const two = { maxChanges: 2 }
  const ofCpus = proposals([cellsOf8(32_768)], { numInstances: 3, ...inOneCell(6, 1_024) }, two)
  expect(ofCpus.filter((said) => said.includes('CPUs of each'))).toEqual(['CPUs of each NUMA cell 6 -> 4'])
  const ofMemory = proposals([cellsOf8(8_000)], { numInstances: 5, ...inOneCell(2, 6_000) }, two)
  expect(ofMemory.filter((said) => said.includes('memory of each'))).toEqual(['memory of each NUMA cell 6000 MiB -> 2666 MiB'])
})

test('correcting a trait and then dropping it is not proposed, because dropping it has the same effect', () => {
  const traits = { maxChanges: 2 }
  const asked = { requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_FASTEST', 'CUSTOM_FAST'] }] }
  expect(proposals([{ traits: ['CUSTOM_FAST'] }, { traits: ['CUSTOM_FASTER'] }], asked, traits)).toEqual([
    'trait CUSTOM_FASTEST required -> not asked',
    // this proposal is for the host with CUSTOM_FASTER
    'trait CUSTOM_FASTEST CUSTOM_FASTEST -> CUSTOM_FASTER; trait CUSTOM_FAST required -> not asked',
  ])
})

describe.each(['default', 'nova', 'nova-compat', 'best-fit'])('for a group with AFFINITY, by profile %s', (named) => {
  const ofHost = (host: string, said: readonly string[]) => said.filter((one) => one.includes(`host ${host} `))

  test.each([
    [20, '1.563'],
    [22, '1.688'],
    [40, '2.813'],
  ])('the proposed ratio of a host is large enough for all %i instances of the group', (numInstances, ratio) => {
    const hosts = [{ vcpus: 64 }, { vcpus: 128, vcpusUsed: 40 }].map((shape): HostShape => ({ ...shape, memoryMb: 1_048_576 }))
    const said = proposals(hosts, { numInstances, vcpus: 8, memoryMb: 64, ...together }, { kinds: ['POLICY'], named })
    expect(ofHost('h1', said)).toEqual([`VCPU allocation ratio of host h1 1 -> ${ratio}`])
  })

  test('the proposed reserved amount of a host is small enough for all instances of the group', () => {
    const kept = {
      type: 'hostAllocation',
      host: 'h0',
      node: 'h0',
      resourceClass: 'MEMORY_MB',
      reserved: 64_000,
      by: 'op',
      reason: 't',
    } as const
    const asked = { numInstances: 20, vcpus: 1, memoryMb: 512, ...together }
    const said = proposals([{ vcpus: 64, memoryMb: 65_536 }], asked, { kinds: ['POLICY'], named, changes: [kept] })
    expect(ofHost('h0', said)).toContain('reserved MEMORY_MB of host h0 64000 MiB -> 55296 MiB')
  })
})

test('the largest count of devices with which all instances are placed is proposed, and dropping them only if no count suffices', () => {
  const met = { fewer: 0, none: 0 }
  const count = fc.integer({ min: 1, max: 5 })
  const drawn = fc.record({
    hosts: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 3 }),
    counts: fc.oneof(fc.tuple(count), fc.tuple(count, count)),
    ...{ numInstances: fc.integer({ min: 1, max: 4 }), isTogether: fc.boolean(), isGpu: fc.boolean() },
  })
  fc.assert(
    fc.property(drawn, ({ hosts, counts, numInstances, isTogether, isGpu }) => {
      const shapes = hosts.map((many) => (isGpu ? withGpus(many) : many === 0 ? {} : withPci(many)))
      const asked = ([first = 0, ...more]: readonly number[]): Parameters<typeof aRequest>[0] => ({
        ...{ numInstances, ...(isTogether && together) },
        ...(isGpu ? { gpus: { count: first } } : { pciRequests: [first, ...more].map((many) => devices(many)) }),
      })
      const own = isGpu ? counts.slice(0, 1) : counts
      const fits = (others: readonly number[]) => answerFor(shapes, asked(others)).fits
      if (fits(own)) return
      const said = proposals(shapes, asked(own))
      for (const [i, now] of own.entries()) {
        const greatest = Array.from({ length: now - 1 }, (_, less) => now - 1 - less).find((some) => fits(own.with(i, some)))
        const subject = isGpu ? 'GPUs' : own.length > 1 ? `PCI devices of request ${i}` : 'PCI devices'
        const to = (many: number) => `${subject} ${now} -> ${many}`
        if (greatest !== undefined) expect([said, said.includes(to(greatest))]).toEqual([said, true])
        const isNone = said.some((one) => one.startsWith(`${subject} `) && one.endsWith('-> none'))
        expect([said, isNone && greatest !== undefined]).toEqual([said, false])
        met.fewer += greatest === undefined ? 0 : 1
        met.none += isNone ? 1 : 0
      }
    }),
    draws(10, 60, 600),
  )
  for (const [kind, times] of Object.entries(met)) expect([kind, times > 0]).toEqual([kind, true])
})

test('if hosts have many different unit rules, an amount with which all instances fit on one host is found', () => {
  const fpgas = (total: number, minUnit: number, stepSize = 1): HostShape => ({
    inventories: [{ resourceClass: 'CUSTOM_FPGA', total, minUnit, stepSize }],
  })
  // each of these hosts has enough for at most one instance, because its min_unit equals its total
  const kinds = [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((minUnit) => fpgas(minUnit, minUnit))
  const asked = { numInstances: 3, flavor: { vcpus: 1, memoryMb: 1_024, extraSpecs: { 'resources:CUSTOM_FPGA': '20' } } }
  expect(proposals([...kinds, fpgas(6, 2, 2)], asked)).toContain('CUSTOM_FPGA 20 -> 2')
})

test.each([
  [2_048, 1_024, 'reserved MEMORY_MB of host h0 1024 MiB -> 0 MiB'],
  [2_348, 1_024, 'reserved MEMORY_MB of host h0 1024 MiB -> 300 MiB'],
])('a reserved amount is reduced only as far as all instances together need: a host with %i MiB', (memoryMb, memory, reduced) => {
  const set = { type: 'hostAllocation', host: 'h0', node: 'h0', by: 'op', reason: 'test' } as const
  const found = proposals(
    [{ vcpus: 2, memoryMb }],
    { vcpus: 3, memoryMb: memory, numInstances: 2 },
    { kinds: ['REQUEST', 'POLICY'], maxChanges: 2, changes: [{ ...set, resourceClass: 'MEMORY_MB', reserved: 1_024 }] },
  )
  expect(found.filter((text) => text.includes('reserved'))).toEqual([`vCPUs 3 -> 1; ${reduced}`])
})

test('a reserved amount is not reduced below the amount that the host itself reports as reserved', () => {
  const set = { type: 'hostAllocation', host: 'h0', node: 'h0', by: 'op', reason: 'test' } as const
  const inventories = [{ resourceClass: 'MEMORY_MB', total: 2_000, reserved: 512, allocationRatio: 1 }]
  const found = (memoryMb: number) =>
    proposals(
      [{ vcpus: 8, inventories }],
      { vcpus: 1, memoryMb, numInstances: 2 },
      { kinds: ['POLICY'], changes: [{ ...set, resourceClass: 'MEMORY_MB', reserved: 1_024 }] },
    ).filter((text) => text.includes('reserved'))
  expect(found(1_000)).toEqual([])
  expect(found(700)).toEqual(['reserved MEMORY_MB of host h0 1024 MiB -> 600 MiB'])
})
