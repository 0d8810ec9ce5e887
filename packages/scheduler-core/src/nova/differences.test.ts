import { describe, expect, test } from 'vitest'
import { prepareChecks } from '../examine/examine.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { unreadKeys } from '../pipeline/unread.ts'
import { builtInProfilesAt } from '../profiles/built-in.ts'
import type { Change } from '../records/change.ts'
import { type Profile, type ProfileInput, profileSchema } from '../records/profile.ts'
import { parseRequestSpec } from '../request/parse.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { decide } from '../schedulers/decide.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { JsonObject } from '../values/json.ts'
import { PLACEMENT_RULES } from '../values/levels.ts'
import { importNovaHost } from './import/host.ts'
import { importNovaRequest } from './import/request.ts'

/*
 * Rows of docs/nova-differences.md for which no other test checks both the result of Nova's rules and the result of this service's own
 * profile.
 */

type Asks = Parameters<typeof aRequest>[0]

interface Situation {
  /** Changes to the hosts of the fleet, which has h1 and h2. Host h1 is chosen unless a filter refuses it, because it has more memory. */
  readonly hosts?: Readonly<Record<string, HostShape>>
  readonly after?: readonly Change[]
  readonly asks: Asks | RequestSpec
  /** Fields that replace those of the two profiles. */
  readonly with?: Partial<ProfileInput>
  readonly alternates?: number
  /** The expected results by Nova's rules (`compat`) and this service's rules (`own`): the chosen hosts, or for each host the refusal. */
  readonly compat: readonly string[] | Readonly<Record<string, string>>
  readonly own: readonly string[] | Readonly<Record<string, string>>
}

const profileOf = (name: string, more: Partial<ProfileInput> = {}): Profile => {
  const known = builtInProfilesAt(PLACEMENT_RULES).find((profile) => profile.name === name) as Profile
  return Object.keys(more).length === 0 ? known : profileSchema.parse({ ...known, number: 1, ...more })
}

function decidedBy({ hosts = {}, after = [], asks, alternates = 0, ...one }: Omit<Situation, 'compat' | 'own'>, name: string) {
  const log = aLog()
  const shapes: Readonly<Record<string, HostShape>> = { h1: { memoryMb: 131_072 }, h2: {}, ...hosts }
  const changes = [...Object.entries(shapes).map(([host, shape]) => aReport(host, shape)), ...after]
  expect(log.append([{ type: 'feature', level: PLACEMENT_RULES }, ...changes]).filter((code) => code !== undefined)).toEqual([])
  const request = 'topologySpread' in (asks ?? {}) && 'nova' in (asks ?? {}) ? (asks as RequestSpec) : aRequest(asks as Asks)
  const profile = profileOf(name, one.with)
  const overlay = openOverlay(log.fleet)
  try {
    const claimIds = Array.from({ length: request.numInstances }, (_, i) => `c${i}`)
    const settings = { id: 'd', seed: 's', attempt: 1, alternatesPerInstance: alternates, allOrNothing: true, claimIds }
    return {
      ...decide(log.fleet, overlay, { ...settings, request, profile }),
      fleet: log.fleet,
      names: Object.keys(shapes),
      request,
      profile,
    }
  } finally {
    overlay.discard()
  }
}

function outcomeOf(situation: Situation, name: string): Situation['own'] {
  const { answer, fleet, names, request, profile } = decidedBy(situation, name)
  if (answer.length > 0) return answer.map(({ selected, alternates }) => [selected, ...alternates].map(({ host }) => host).join(', then '))
  const { checksOf } = prepareChecks(fleet, request, profile)
  return Object.fromEntries(
    names.map((host, index) => {
      const refusal = checksOf(index as HostIndex).find(({ reason }) => reason !== undefined)
      return [host, `${refusal?.filter} ${refusal?.reason?.code}`]
    }),
  )
}

const both = (said: string) => ({ h1: said, h2: said })
const wire = (name: string, version: string, data: JsonObject): JsonObject => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})
const aFlavor = { name: 'm1', vcpus: 1, memory_mb: 1_024, root_gb: 1, ephemeral_gb: 0, swap: 0 }
function fromNova(data: JsonObject, flavor: JsonObject = {}): RequestSpec {
  const imported = importNovaRequest(
    wire('RequestSpec', '1.14', { flavor: wire('Flavor', '1.2', { ...aFlavor, extra_specs: {}, ...flavor }), num_instances: 1, ...data }),
  )
  if (!imported.ok) throw new Error(imported.problems.map(({ message }) => message).join('; '))
  const parsed = parseRequestSpec(imported.document)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}
const grouped = (group: JsonObject): RequestSpec =>
  fromNova({ instance_group: wire('InstanceGroup', '1.10', { uuid: aUuid(7), ...group }) })
const disabled = (host: string): Change => ({ type: 'status', host, node: host, status: 'DISABLED', reason: 'fan' })
const extra = (extraSpecs: Record<string, string>): Asks => ({ flavor: { vcpus: 1, memoryMb: 1_024, extraSpecs } })
const memory: Partial<ProfileInput> = { weighers: [{ name: 'RAMWeigher', multiplier: 1 }] }
const apart = { uuid: aUuid(7), policy: 'ANTI_AFFINITY' as const }

const aggregate = (hosts: readonly string[], metadata: Record<string, string>): Change => ({
  type: 'aggregate',
  uuid: aUuid(1),
  expectedVersion: 0,
  next: { name: 'a', hosts, metadata },
})
const only = (name: string): Partial<ProfileInput> => ({ filters: [{ name }] })
/** A host with 8 vCPUs (ratio 4) and 8192 MiB (ratio 2), for which an operator reserves 2 vCPUs and 1024 MiB. */
const reserving = (more: HostShape = {}) => ({
  hosts: { h1: { vcpus: 8, cpuAllocationRatio: 4, memoryMb: 8_192, ramAllocationRatio: 2, ...more }, h2: { vcpus: 1, memoryMb: 1_024 } },
  after: (
    [
      ['VCPU', 2],
      ['MEMORY_MB', 1_024],
    ] as const
  ).map(
    ([resourceClass, reserved]): Change => ({
      ...{ type: 'hostAllocation', host: 'h1', node: 'h1', resourceClass, reserved },
      ...{ by: 'ops', reason: 'for the hypervisor' },
    }),
  ),
})
const stated = (resourceClass: string, total: number, ratio: number) => ({
  ...{ resourceClass, total, allocationRatio: ratio, maxUnit: total },
})
const pciPools = [{ vendorId: '8086', productId: '10fb', total: 1 }]

const cell = (id: number) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + 4 * id), memoryMb: 4_096 })
/** A NUMA cell with eight CPUs on four cores. The CPUs in `dedicatedCpuset` can be dedicated. */
const threaded = (dedicatedCpuset: readonly number[]) => ({
  ...{ id: 0, cpuset: [0, 1, 2, 3, 4, 5, 6, 7], memoryMb: 4_096, dedicatedCpuset: [...dedicatedCpuset] },
  siblings: [0, 2, 4, 6].map((cpu) => [cpu, cpu + 1]),
})
type Cells = NonNullable<NonNullable<Asks>['numaTopology']>['cells']
const guest = (cells: Cells, emulatorThreadsPolicy?: 'isolate'): Asks => ({
  flavor: { vcpus: cells.flatMap(({ cpus }) => cpus).length, memoryMb: 1_024 * cells.length },
  image: { id: 'i' },
  numaTopology: { cells, ...(emulatorThreadsPolicy !== undefined && { emulatorThreadsPolicy }) },
})

const situations: Readonly<Record<string, Situation>> = {
  'an ignored host whose name is written in different case': { asks: { ignoreHosts: ['H1'] }, compat: ['h2'], own: ['h1'] },
  'a forced host whose name is written in different case': {
    asks: { forceHosts: ['H2'] },
    compat: ['h2'],
    own: both('Candidates host.not_requested'),
  },
  'a forced node whose name is written in different case': {
    asks: { forceNodes: ['H2'] },
    compat: both('Candidates host.not_requested'),
    own: both('Candidates host.not_requested'),
  },
  'a forced host that a filter refuses': {
    asks: { ...extra({ foo: 'bar' }), forceHosts: ['h2'] },
    with: only('AggregateInstanceExtraSpecsFilter'),
    compat: ['h2'],
    own: { h1: 'Candidates host.not_requested', h2: 'AggregateInstanceExtraSpecsFilter aggregate.extra_spec' },
  },
  'a forced host that a filter refuses, in a check whether an instance may stay': {
    asks: { ...extra({ foo: 'bar' }), forceHosts: ['h2'], schedulerHints: { _nova_check_type: ['live'] } },
    with: only('AggregateInstanceExtraSpecsFilter'),
    compat: { h1: 'Candidates host.not_requested', h2: 'AggregateInstanceExtraSpecsFilter aggregate.extra_spec' },
    own: { h1: 'Candidates host.not_requested', h2: 'AggregateInstanceExtraSpecsFilter aggregate.extra_spec' },
  },
  'two hosts that are equal once the first instance is placed': {
    hosts: { h1: { memoryMb: 4_096 }, h2: { memoryMb: 6_144 } },
    asks: { memoryMb: 2_048, numInstances: 2 },
    with: memory,
    compat: ['h2', 'h2'],
    own: ['h2', 'h1'],
  },
  'two instances, where the filter requires a host without instances': {
    asks: { ...extra({ 'capabilities:num_instances': '<= 0' }), numInstances: 2 },
    with: { ...memory, ...only('ComputeCapabilitiesFilter') },
    compat: ['h1', 'h1'],
    own: ['h1', 'h2'],
  },
  'two instances, the second of which must not share a host with the first': {
    asks: { numInstances: 2, instanceUuids: [aUuid(1), aUuid(2)], schedulerHints: { different_host: [aUuid(1)] } },
    with: { ...memory, ...only('DifferentHostFilter') },
    compat: ['h1', 'h1'],
    own: ['h1', 'h1'],
  },
  'a rebuild, marked by its hint, where both hosts are disabled': {
    after: [disabled('h1'), disabled('h2')],
    asks: { schedulerHints: { _nova_check_type: ['rebuild'] } },
    compat: ['h1'],
    own: both('ComputeFilter host.disabled'),
  },
  'hints that are null': { asks: fromNova({ scheduler_hints: null }), compat: both('ComputeFilter filter.error'), own: ['h1'] },
  'a request without an image, checked by NUMATopologyFilter': {
    asks: fromNova({ image: null }),
    with: only('NUMATopologyFilter'),
    compat: both('NUMATopologyFilter filter.error'),
    own: ['h1'],
  },
  'disabled hosts without ComputeFilter in the profile': {
    after: [disabled('h1'), disabled('h2')],
    asks: {},
    with: { filters: [] },
    compat: both('PlacementStatus host.disabled'),
    own: ['h1'],
  },
  'a requirement that cannot be compared': {
    after: [aggregate(['h1', 'h2'], { n: 'x' })],
    asks: extra({ n: '>= 5' }),
    with: only('AggregateInstanceExtraSpecsFilter'),
    compat: both('AggregateInstanceExtraSpecsFilter filter.error'),
    own: both('AggregateInstanceExtraSpecsFilter aggregate.extra_spec'),
  },
  'an anti-affinity group without its filter in the profile': {
    after: [aClaim({ key: 'k', hosts: ['h1'], group: { ...apart, maxServerPerHost: null } })],
    asks: { instanceGroup: apart },
    with: { filters: [] },
    compat: ['h2'],
    own: ['h2'],
  },
  'an anti-affinity group with only the older list of policies': {
    hosts: { h1: { memoryMb: 131_072, instances: [aUuid(6)] } },
    asks: grouped({ policies: ['anti-affinity'], members: [aUuid(6)], hosts: ['h1'] }),
    compat: ['h2'],
    own: ['h2'],
  },
  'an affinity group with only the older list of policies': {
    hosts: { h2: { instances: [aUuid(6)] } },
    asks: grouped({ policies: ['affinity'], members: [aUuid(6)], hosts: ['h2'] }),
    compat: ['h2'],
    own: ['h2'],
  },
  'an affinity group with only the newer field': {
    hosts: { h2: { instances: [aUuid(6)] } },
    asks: grouped({ policy: 'affinity', members: [aUuid(6)], hosts: ['h2'] }),
    compat: ['h2'],
    own: ['h2'],
  },
  'a soft group with only the older list of policies': {
    hosts: { h1: { memoryMb: 131_072, instances: [aUuid(6)] } },
    asks: grouped({ policies: ['soft-anti-affinity'], members: [aUuid(6)], hosts: ['h1'] }),
    with: { weighers: [{ name: 'ServerGroupSoftAntiAffinityWeigher', multiplier: 1 }] },
    compat: ['h2'],
    own: ['h2'],
  },
  'members of a group that only the document of Nova lists': {
    hosts: { h1: { memoryMb: 131_072, instances: [aUuid(6)] } },
    asks: grouped({ policy: 'anti-affinity', members: [aUuid(6)], hosts: [] }),
    compat: ['h2'],
    own: ['h1'],
  },
  'alternates for two instances': {
    hosts: { h3: { memoryMb: 32_768 } },
    asks: { numInstances: 2, instanceGroup: apart },
    alternates: 2,
    compat: ['h1, then h3', 'h2, then h3'],
    own: ['h1, then h2, then h3', 'h2, then h3'],
  },
  'a request for all memory of a host that reserves some': {
    ...reserving(),
    asks: { memoryMb: 8_192 },
    compat: both('ResourceClassFilter (claim) memory.too_little'),
    own: both('RamFilter memory.too_little'),
  },
  'a request for all vCPUs of a host that reserves some': {
    ...reserving(),
    asks: { vcpus: 8 },
    compat: both('ResourceClassFilter (claim) cpu.too_few'),
    own: both('CoreFilter cpu.too_few'),
  },
  'a request for the total of a host that reserves some and states max_unit': {
    ...reserving({ inventories: [stated('VCPU', 8, 4), stated('MEMORY_MB', 8_192, 2)] }),
    asks: { vcpus: 8, memoryMb: 8_192 },
    compat: ['h1'],
    own: ['h1'],
  },
  'a request for the total of a host less the reserved amount': {
    ...reserving(),
    asks: { vcpus: 6, memoryMb: 7_168 },
    compat: ['h1'],
    own: ['h1'],
  },
  'vCPUs stated by an extra spec in place of those of the flavor': {
    asks: { flavor: { vcpus: 17, memoryMb: 1_024, extraSpecs: { 'resources:VCPU': '2' } } },
    compat: ['h1'],
    own: ['h1'],
  },
  'dedicated CPUs stated as resources:PCPU, in addition to the vCPUs of the flavor': {
    hosts: { h1: { vcpus: 1, inventories: [{ resourceClass: 'PCPU', total: 8 }] }, h2: { vcpus: 1 } },
    asks: { flavor: { vcpus: 2, memoryMb: 1_024, extraSpecs: { 'resources:PCPU': '2' } } },
    compat: { h1: 'ResourceClassFilter (claim) cpu.too_few', h2: 'ResourceClassFilter (claim) cpu.too_few' },
    own: { h1: 'CoreFilter cpu.too_few', h2: 'CoreFilter cpu.too_few' },
  },
  'a guest that isolates its cores, on a host with separate shared CPUs': {
    hosts: { h1: { memoryMb: 131_072, numaCells: [threaded([4, 5, 6, 7])] }, h2: {} },
    asks: guest([{ id: 0, cpus: [0, 1], memoryMb: 1_024, cpuPolicy: 'dedicated', cpuThreadPolicy: 'isolate' }]),
    with: only('NUMATopologyFilter'),
    compat: { h1: 'NUMATopologyFilter numa.too_few_cores', h2: 'NUMATopologyFilter numa.not_reported' },
    own: ['h1'],
  },
  'an emulator CPU for a guest whose first cell has shared CPUs only': {
    hosts: { h1: { memoryMb: 131_072, numaCells: [cell(0), cell(1)] }, h2: {} },
    asks: guest(
      [
        { id: 0, cpus: [0, 1, 2, 3], memoryMb: 1_024 },
        { id: 1, cpus: [4, 5, 6, 7], memoryMb: 1_024, cpuPolicy: 'dedicated' },
      ],
      'isolate',
    ),
    with: only('NUMATopologyFilter'),
    compat: { h1: 'NUMATopologyFilter (claim) numa.too_few_cpus', h2: 'NUMATopologyFilter numa.not_reported' },
    own: { h1: 'NUMATopologyFilter numa.too_few_cpus', h2: 'NUMATopologyFilter numa.not_reported' },
  },
  'a hypervisor that reports less free disk than the sizes of its instances leave': {
    hosts: { h1: { localGb: 100, freeDiskGb: 90, localGbUsed: 10, diskAvailableLeast: 40 }, h2: { localGb: 1 } },
    asks: { flavor: { vcpus: 1, memoryMb: 1_024, rootGb: 50 } },
    with: only('DiskFilter'),
    compat: { h1: 'DiskFilter disk.short', h2: 'DiskFilter disk.too_little' },
    own: ['h1'],
  },
  'a request for zero devices': {
    asks: fromNova({
      pci_requests: wire('InstancePCIRequests', '1.1', {
        requests: [wire('InstancePCIRequest', '1.3', { count: 0, spec: [{ vendor_id: '8086' }] })],
      }),
    }),
    with: only('PciPassthroughFilter'),
    compat: both('PciPassthroughFilter pci.not_reported'),
    own: ['h1'],
  },
  'two requests for devices, the first of which accepts any model': {
    hosts: { h1: { memoryMb: 131_072, pciPools: [...pciPools, { vendorId: '8086', productId: '1520', total: 1 }] } },
    asks: {
      pciRequests: [
        { alias: 'any', count: 1, specs: [{ vendor_id: '8086' }] },
        { alias: 'one', count: 1, specs: [{ product_id: '10fb' }] },
      ],
    },
    with: only('PciPassthroughFilter'),
    compat: { h1: 'PciPassthroughFilter pci.short', h2: 'PciPassthroughFilter pci.not_reported' },
    own: ['h1'],
  },
}

describe.each(Object.entries(situations))('%s', (_what, situation) => {
  test("the profile nova-compat gives the result of Nova's rules", () =>
    expect(outcomeOf(situation, 'nova-compat')).toEqual(situation.compat))
  test("the profile default gives the result of this service's rules", () => expect(outcomeOf(situation, 'default')).toEqual(situation.own))
})

test('extra specs that Nova converts to resources and traits are reported to have no effect', () => {
  const specs = ['hw:pmem', 'hw:mem_encryption', 'hw:maxphysaddr_mode', 'hw:ephemeral_encryption', 'os:secure_boot', 'accel:device_profile']
  const request = aRequest(extra(Object.fromEntries(specs.map((key) => [key, 'true']))))
  const { fleet } = aLog()
  for (const name of ['nova-compat', 'default'])
    expect(unreadKeys(request, profileOf(name), fleet)).toEqual(specs.map((key) => `flavor.extraSpecs.${key}`))
})

test('a node that has not reported its disk is refused with its path', () => {
  const node = { host: 'h1', vcpus: 4, memory_mb: 4_096, local_gb: 10, free_ram_mb: 4_096, free_disk_gb: null }
  const used = { vcpus_used: 0, memory_mb_used: 0, local_gb_used: 0 }
  const ratios = { cpu_allocation_ratio: 1, ram_allocation_ratio: 1, disk_allocation_ratio: 1 }
  const imported = importNovaHost(wire('ComputeNode', '1.19', { ...node, ...used, ...ratios }), 'h1')
  expect(imported.ok ? [] : imported.problems.map(({ path }) => path.join('.'))).toEqual(['free_disk_gb'])
})

test('a later instance is placed on the hosts that passed for the first instance', () => {
  const asks = { ...extra({ foo: 'bar' }), numInstances: 2 }
  const after = [aggregate(['h2'], { foo: 'bar' })]
  for (const [name, candidates] of [
    ['nova-compat', [2, 1]],
    ['default', [2, 2]],
  ] as const) {
    const { record } = decidedBy({ after, asks, with: only('AggregateInstanceExtraSpecsFilter') }, name)
    expect([name, record.instances.map((instance) => instance.candidates)]).toEqual([name, candidates])
  }
})

test('an empty zone in Gantt’s form is refused with its path', () => {
  const parsed = parseRequestSpec({ flavor: { vcpus: 1, memoryMb: 64 }, availabilityZone: '' })
  expect(parsed.ok ? [] : parsed.problems.map(({ path }) => path)).toEqual([['availabilityZone']])
  expect(fromNova({ availability_zone: '' }).availabilityZone).toBeNull()
})

test('a mixed guest with a cell that has shared CPUs only is refused with its path', () => {
  const aCell = (id: number, cpuset: number[], pcpuset: number[]) =>
    wire('InstanceNUMACell', '1.5', { id, cpuset, pcpuset, memory: 1_024, pagesize: null, cpu_policy: 'mixed' })
  const numa_topology = wire('InstanceNUMATopology', '1.3', { cells: [aCell(0, [0, 1], []), aCell(1, [], [2, 3])] })
  expect(() => fromNova({ numa_topology }, { vcpus: 4, memory_mb: 2_048 })).toThrow('numaTopology.cells.0.dedicatedCpus is an empty list')
})
