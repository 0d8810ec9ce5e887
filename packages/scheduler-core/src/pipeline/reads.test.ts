import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { filters, weighers } from '../bundled.ts'
import type { Filter } from '../contracts/filter.ts'
import type { Weigher } from '../contracts/weigher.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { compatFilters, compatWeighers } from '../nova/compat/compat.ts'
import { readsOf, type StatsField, statsFields } from '../report/stats-fields.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { aFleet, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { passesSafely } from './filtering/passes-safely.ts'

const cell = (id: number, memoryMb: number, near: string[]) => ({
  id,
  cpuset: [0, 1, 2, 3].map((cpu) => cpu + id * 4),
  memoryMb,
  physicalNetworks: near,
  pages: [{ sizeKib: 4, total: memoryMb * 256 }],
})

/** Two or three values of every field of a report. Each value changes the result of at least one filter or weigher. */
const shapes: { readonly [Field in Exclude<StatsField, 'nova'>]: fc.Arbitrary<Exclude<HostShape[Field], undefined>> } = {
  vcpus: fc.constantFrom(2, 8, 16),
  vcpusUsed: fc.constantFrom(0, 1, 7),
  memoryMb: fc.constantFrom(1_024, 8_192),
  memoryMbUsed: fc.constantFrom(0, 512, 1_024),
  localGb: fc.constantFrom(10, 100),
  localGbUsed: fc.constantFrom(0, 5, 10),
  freeDiskGb: fc.constantFrom(null, 1, 90),
  diskAvailableLeast: fc.constantFrom(null, 0, 80),
  cpuAllocationRatio: fc.constantFrom(1, 4),
  ramAllocationRatio: fc.constantFrom(1, 1.5),
  diskAllocationRatio: fc.constantFrom(1, 2),
  runningVms: fc.constantFrom(0, 60),
  numIoOps: fc.constantFrom(0, 9),
  hypervisorType: fc.constantFrom(null, 'QEMU', 'VMware'),
  hypervisorVersion: fc.constantFrom(null, 6_000_000, 8_002_000),
  hypervisorHostname: fc.constantFrom(null, 'n1'),
  hostIp: fc.constantFrom(null, '10.0.0.7', '192.168.1.2'),
  supportedInstances: fc.constantFrom([], [{ arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' }]),
  cpuInfo: fc.constantFrom(null, { arch: 'x86_64', features: ['avx2'] }, { arch: 'aarch64' }),
  metrics: fc.constantFrom([], [{ name: 'cpu.percent', value: 0.5, timestamp: '2026-11-21T08:00:00Z' }]),
  numaCells: fc.constantFrom([], [cell(0, 1_024, ['a'])], [cell(0, 4_096, []), cell(1, 512, ['a'])]),
  tunneledCells: fc.constantFrom([], [0]),
  gpus: fc.constantFrom([], [{ index: 0, model: 'A' }], [{ index: 0, model: null, usedMilli: 500 }]),
  pciPools: fc.constantFrom([], [{ vendorId: '8086', productId: '10ed', numaNode: 0, total: 1 }]),
  traits: fc.constantFrom([], ['CUSTOM_FAST']),
  inventories: fc.constantFrom([], [{ resourceClass: 'CUSTOM_X', total: 4 }], [{ resourceClass: 'VCPU', total: 1 }]),
  instances: fc.constantFrom(null, [], [aUuid(3)]),
  machineId: fc.constantFrom(null, 'm1'),
}
const shape = fc.record(shapes) as fc.Arbitrary<HostShape>

const flavor = (extraSpecs: Readonly<Record<string, string>>) => ({ vcpus: 1, memoryMb: 512, rootGb: 4, extraSpecs })
const hint = (key: string, ...values: string[]) => ({ schedulerHints: { [key]: values } })
const guest = (more: object = {}) => ({ numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 512, ...more }] } })
const image = (properties: Readonly<Record<string, string>>) => ({ image: { properties } })
const asks: readonly Parameters<typeof aRequest>[0][] = [
  { vcpus: 2, memoryMb: 1_024 },
  { flavor: flavor({}) },
  { flavor: flavor({ 'trait:CUSTOM_FAST': 'required' }) },
  { flavor: flavor({ 'trait:CUSTOM_FAST': 'forbidden' }) },
  { flavor: flavor({ 'resources:CUSTOM_X': '2' }) },
  { flavor: flavor({ 'capabilities:cpu_info:arch': 'x86_64' }) },
  { flavor: flavor({ 'capabilities:hypervisor_type': 's== QEMU' }) },
  { flavor: flavor({ 'trust:trusted_host': 'trusted' }) },
  image({ hw_architecture: 'x86_64' }),
  image({ img_hv_type: 'kvm', img_hv_requested_version: '>=7.0' }),
  { gpus: { count: 1 } },
  { gpus: { shareMilli: 600 } },
  guest(),
  guest({ cpuPolicy: 'dedicated' }),
  guest({ pageSize: 'small' }),
  { pciRequests: [{ requestId: aUuid(8), count: 1, specs: [{ vendor_id: '8086' }] }] },
  { ...guest(), pciRequests: [{ requestId: aUuid(8), count: 1, specs: [{ vendor_id: '8086' }], numaPolicy: 'required' }] },
  { instanceGroup: { uuid: aUuid(7), policy: 'ANTI_AFFINITY' } },
  { instanceGroup: { uuid: aUuid(7), policy: 'SOFT_AFFINITY', hosts: ['h'] } },
  hint('same_host', aUuid(3)),
  hint('different_host', aUuid(3)),
  { schedulerHints: { build_near_host_ip: ['10.0.0.1'], cidr: ['/24'] } },
  hint('query', '["=", "$hypervisor_type", "QEMU"]'),
]
const requests: readonly RequestSpec[] = asks.map((ask) => aRequest(ask))

/** Values for options that filters or weighers require. */
const options: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  MetricsFilter: { 'metrics.weight_setting': ['cpu.percent=1.0'] },
  MetricsWeigher: { 'metrics.weight_setting': ['cpu.percent=1.0'] },
  DotProductWeigher: { resources: [{ resourceClass: 'VCPU' }, { resourceClass: 'GPU_MILLI' }] },
}
const optionsOf = (name: string): Readonly<Record<string, unknown>> => options[name] ?? {}

const verdictsOf =
  (filter: Filter) =>
  (fleet: Fleet): unknown =>
    requests.map((request) => {
      try {
        const prepared = filter.prepare(request, fleet, optionsOf(filter.name))
        return prepared === undefined ? 'not asked' : passesSafely(prepared, 0 as HostIndex)
      } catch (error) {
        return String(error)
      }
    })

const numbersOf =
  (weigher: Weigher) =>
  (fleet: Fleet): unknown =>
    requests.map((request) => {
      try {
        return weigher.prepare(request, fleet, optionsOf(weigher.name), 1)(0 as HostIndex)
      } catch (error) {
        return String(error)
      }
    })

const parts = [
  ...filters.map((filter) => ({ kind: 'filter', ...filter, ask: verdictsOf(filter) })),
  ...compatFilters.map((filter) => ({ kind: "Nova's filter", ...filter, ask: verdictsOf(filter) })),
  ...weighers.map((weigher) => ({ kind: 'weigher', ...weigher, ask: numbersOf(weigher) })),
  ...compatWeighers.map((weigher) => ({ kind: "Nova's weigher", ...weigher, ask: numbersOf(weigher) })),
]

describe('fields that a filter or weigher does not declare do not change its results', () => {
  test.each(parts)('$kind $name', ({ name, reads, ask }) => {
    const read = new Set<string>(readsOf(reads, optionsOf(name)))
    const others = statsFields.filter((field) => !read.has(field) && field !== 'nova')
    fc.assert(
      fc.property(shape, shape, (one, other) => {
        // All undeclared fields are changed at once. If the results differ, each field is changed alone to find the field that was read.
        const changed = { ...one, ...Object.fromEntries(others.map((field) => [field, other[field]])) }
        const before = ask(aFleet({ h: one }))
        if (JSON.stringify(before) === JSON.stringify(ask(aFleet({ h: changed })))) return
        for (const field of others) expect([field, ask(aFleet({ h: { ...one, [field]: other[field] } }))]).toEqual([field, before])
      }),
      { seed: 1, numRuns: byExtent(8, 60) },
    )
  })
})
