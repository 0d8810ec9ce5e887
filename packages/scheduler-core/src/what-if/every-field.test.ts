import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { builtInProfiles } from '../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../records/change.ts'
import { type Profile, profileSchema } from '../records/profile.ts'
import type { RequestSpecInput } from '../request/request-spec.ts'
import { requestSpecV1_3 } from '../request/versions/v1-3.ts'
import { aClaim, aDocument, aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import { atOnce } from '../values/steps.ts'
import { whatWouldFit } from './would-fit/what-would-fit.ts'

const GIB = 1_024
const byDefault = builtInProfiles.find(({ name }) => name === 'default') as Profile
const withNova = (name: string): Profile =>
  profileSchema.parse({ ...builtInProfiles.find((known) => known.name === 'nova-compat'), number: 1, filters: [{ name, options: {} }] })
const placing = (placement: object): Profile =>
  profileSchema.parse({
    ...builtInProfiles.find((known) => known.name === 'nova-compat'),
    ...{ number: 1, filters: [], nova: { placement } },
  })

/** A fleet, a request that is refused only because of one of its fields, and the change of this field that the search must propose. */
interface Case {
  readonly hosts?: Readonly<Record<string, HostShape>>
  readonly request: Partial<RequestSpecInput>
  readonly change: string
  readonly changes?: Parameters<ReturnType<typeof aLog>['append']>[0]
  readonly aggregates?: readonly { readonly name: string; readonly hosts: readonly string[]; readonly metadata: Record<string, string> }[]
  readonly profile?: Profile
}

const flavor = (parts: Partial<RequestSpecInput['flavor']>) => ({ flavor: { vcpus: 1, memoryMb: 512, ...parts } })
const cells = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, id) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + 4 * id), memoryMb: 2 * GIB, ...more }))
const guest = (more: object = {}, topology: object = {}) => ({
  ...flavor({ vcpus: 2 }),
  numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: 512, ...more }], ...topology },
})
const group = (more: object) => ({ instanceGroup: { uuid: aUuid(7), policy: 'SOFT_ANTI_AFFINITY' as const, ...more } })
const member = (host: string, policy: 'AFFINITY' | 'ANTI_AFFINITY' | 'SOFT_ANTI_AFFINITY', uuid = aUuid(7)) =>
  aClaim({
    ...{ key: `${host}-${uuid}`, hosts: [host], grants: {}, mode: 'CONFIRM' },
    group: { uuid, policy, maxServerPerHost: policy === 'ANTI_AFFINITY' ? 1 : null },
  })
const down = (host: string) => ({ type: 'liveness', host, node: host, state: 'DOWN', reason: 'silent' }) as const
const gpuAt = (numaNode: number | null) => ({ numaCells: cells(2), gpus: [{ index: 0, model: 'A100', numaNode }] })
const ofVendor = (count: number, more: object = {}) => ({ pciRequests: [{ count, specs: [{ vendor_id: 'v' }], ...more }] })
const pool = (total: number, numaNode: number | null = null) => ({ pciPools: [{ vendorId: 'v', productId: 'p', total, numaNode }] })
const storageAt = (host: string, number: number, isThere: boolean) =>
  aDocument(host, 'storage', {
    pools: [{ uuid: aUuid(number), name: 'fast' }],
    volumes: isThere ? [{ uuid: aUuid(2), pool: aUuid(number) }] : [],
  })
const networkAt = (host: string, name: string, isThere: boolean) =>
  aDocument(host, 'network', { physicalNetworks: [{ name }], ports: isThere ? [{ uuid: aUuid(2), physicalNetwork: name }] : [] })

/**
 * For each field of a request: a case in which the field alone causes a refusal, or the reason why no change of the field is ever proposed.
 * Fields of gang members are left out.
 */
const fields: Readonly<Record<string, Case | readonly Case[] | string>> = {
  version: 'it is no condition on a host',
  instanceUuids: 'it only names the instances, and numInstances determines their count',
  numInstances: { hosts: { a: { memoryMb: GIB } }, request: { ...flavor({ memoryMb: GIB }), numInstances: 2 }, change: 'instances -> 1' },
  projectId: {
    request: { projectId: 'p1' },
    ...{ profile: placing({ limitTenants: true }), aggregates: [{ name: 'own', hosts: [], metadata: { filter_tenant_id: 'p1' } }] },
    change: 'aggregates of a -> joins own',
  },
  userId: 'no filter reads it',
  'flavor.name': {
    request: flavor({ name: 'm1.lrage' }),
    aggregates: [{ name: 'kept', hosts: ['a'], metadata: { instance_type: 'm1.large' } }],
    profile: withNova('AggregateTypeAffinityFilter'),
    change: 'flavor -> m1.large',
  },
  'flavor.vcpus': { hosts: { a: { vcpus: 2 } }, request: flavor({ vcpus: 3 }), change: 'vCPUs -> 2' },
  'flavor.memoryMb': { hosts: { a: { memoryMb: GIB } }, request: flavor({ memoryMb: 2 * GIB }), change: 'memory -> 1024 MiB' },
  'flavor.rootGb': { hosts: { a: { localGb: 10 } }, request: flavor({ rootGb: 12 }), change: 'disk -> 10 GiB' },
  'flavor.ephemeralGb': { hosts: { a: { localGb: 10 } }, request: flavor({ ephemeralGb: 12 }), change: 'disk -> 10 GiB' },
  'flavor.swapMb': { hosts: { a: { localGb: 1 } }, request: flavor({ swapMb: 2 * GIB }), change: 'disk -> 1 GiB' },
  'flavor.extraSpecs': [
    {
      hosts: { a: { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 2 }] } },
      request: flavor({ extraSpecs: { 'resources:CUSTOM_FPGA': '3' } }),
      change: 'CUSTOM_FPGA -> 2',
    },
    { request: flavor({ extraSpecs: { 'trait:FAST': 'required' } }), change: 'trait FAST -> not asked' },
    {
      hosts: { a: { traits: ['SLOW'] } },
      request: flavor({ extraSpecs: { 'trait:SLOW': 'forbidden' } }),
      change: 'trait SLOW -> not asked',
    },
    { request: flavor({ extraSpecs: { ssd: 'true' } }), change: 'extra spec ssd -> not asked' },
  ],
  image: 'its fields are below',
  'image.id': 'only the isolation of images reads it, and isolation is never proposed to change',
  'image.architecture': {
    hosts: { a: { supportedInstances: [{ arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' }] } },
    request: { image: { architecture: 'aarch64' } },
    change: 'image architecture -> not asked',
  },
  'image.minRamMb': 'a wrong value refuses the call before any host is evaluated',
  'image.minDiskGb': 'a wrong value refuses the call before any host is evaluated',
  'image.properties': {
    hosts: { a: { supportedInstances: [{ arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' }] } },
    request: { image: { properties: { img_hv_type: 'xen' } } },
    change: 'image img_hv_type -> not asked',
  },
  availabilityZone: { request: { availabilityZone: 'az9' }, change: 'availability zone -> any' },
  instanceGroup: 'its fields are below',
  'instanceGroup.uuid': {
    request: group({ policy: 'ANTI_AFFINITY' }),
    changes: [member('a', 'ANTI_AFFINITY')],
    change: `server group ${aUuid(7)} -> not in it`,
  },
  'instanceGroup.policy': {
    hosts: { a: {} },
    request: group({ policy: 'ANTI_AFFINITY', hosts: ['a'] }),
    change: `policy of server group ${aUuid(7)} -> SOFT_ANTI_AFFINITY`,
  },
  'instanceGroup.maxServerPerHost': {
    request: group({ policy: 'ANTI_AFFINITY', maxServerPerHost: 2, hosts: ['a', 'a'] }),
    change: `members of server group ${aUuid(7)} on one host -> at most 3`,
  },
  'instanceGroup.hosts': {
    hosts: { a: {}, b: {} },
    request: group({ policy: 'AFFINITY', hosts: ['b'] }),
    changes: [down('b')],
    change: `server group ${aUuid(7)} -> not in it`,
  },
  'instanceGroup.apartFrom': {
    request: group({ apartFrom: [aUuid(8)] }),
    changes: [member('a', 'SOFT_ANTI_AFFINITY', aUuid(8))],
    change: `server group ${aUuid(7)} -> not apart from it`,
  },
  numaTopology: { request: guest(), change: 'NUMA topology -> none' },
  'numaTopology.cells.id': 'it only identifies a cell',
  'numaTopology.cells.cpus': {
    hosts: { a: { numaCells: cells(1) } },
    request: { ...flavor({ vcpus: 6 }), numaTopology: { cells: [{ id: 0, cpus: [0, 1, 2, 3, 4, 5], memoryMb: 512 }] } },
    change: 'CPUs of each NUMA cell -> 4',
  },
  'numaTopology.cells.memoryMb': {
    hosts: { a: { numaCells: cells(1) } },
    request: { ...guest({ memoryMb: 3 * GIB }), flavor: { vcpus: 2, memoryMb: 3 * GIB } },
    change: 'memory of each NUMA cell -> 2048 MiB',
  },
  'numaTopology.cells.cpuPolicy': {
    hosts: { a: { numaCells: cells(1, { dedicatedCpuset: [0] }) } },
    request: guest({ cpuPolicy: 'dedicated' }),
    change: 'NUMA topology, CPU policy -> not asked',
  },
  'numaTopology.cells.dedicatedCpus': {
    hosts: { a: { numaCells: cells(1, { dedicatedCpuset: [0] }) } },
    request: guest({ cpuPolicy: 'mixed', dedicatedCpus: [0, 1] }),
    change: 'NUMA topology, CPU policy -> not asked',
  },
  'numaTopology.cells.cpuThreadPolicy': {
    hosts: { a: { numaCells: cells(1) } },
    request: guest({ cpuPolicy: 'dedicated', cpuThreadPolicy: 'require' }),
    change: 'NUMA topology, CPU thread policy -> not asked',
  },
  'numaTopology.cells.pageSize': {
    hosts: { a: { numaCells: cells(1) } },
    request: guest({ pageSize: 1_048_576 }),
    change: 'NUMA topology, page size -> not asked',
  },
  'numaTopology.emulatorThreadsPolicy': {
    hosts: { a: { numaCells: [{ id: 0, cpuset: [0, 1], memoryMb: 2 * GIB }] } },
    request: guest({ cpuPolicy: 'dedicated' }, { emulatorThreadsPolicy: 'isolate' }),
    change: 'NUMA topology, emulator threads policy -> not asked',
  },
  gpus: { request: { gpus: {} }, change: 'GPUs -> none' },
  'gpus.count': { hosts: { a: { gpus: [{ index: 0 }] } }, request: { gpus: { count: 2 } }, change: 'GPUs -> 1' },
  'gpus.shareMilli': {
    hosts: { a: { gpus: [{ index: 0, usedMilli: 400 }] } },
    request: { gpus: { shareMilli: 700 } },
    change: 'share of each GPU -> 60%',
  },
  'gpus.models': {
    hosts: { a: { gpus: [{ index: 0, model: 'T4' }] } },
    request: { gpus: { models: ['A100'] } },
    change: 'GPU models -> any',
  },
  'gpus.numaPolicy': [
    {
      hosts: { a: gpuAt(null) },
      request: { ...guest(), gpus: { numaPolicy: 'required' } },
      change: 'NUMA policy of GPUs -> near if possible',
    },
    // the guest does not fit on the NUMA cell that has the GPU
    {
      hosts: { a: gpuAt(1) },
      request: { ...guest({ memoryMb: 2 * GIB }), flavor: { vcpus: 2, memoryMb: 2 * GIB }, gpus: { numaPolicy: 'required' } },
      changes: [aClaim({ hosts: ['a'], mode: 'CONFIRM', grants: { numa: [{ guest: 0, cell: 1, cpus: 1, memoryMb: GIB }] } })],
      change: 'NUMA policy of GPUs -> near if possible',
    },
    // the guest needs a near GPU and a near PCI device, which are on different NUMA cells
    {
      hosts: { a: { ...gpuAt(1), ...pool(1, 0) } },
      request: { ...guest(), gpus: { numaPolicy: 'required' }, ...ofVendor(1, { numaPolicy: 'required' }) },
      change: 'NUMA policy of GPUs -> near if possible',
    },
  ],
  'pciRequests.requestId': 'it only names the purpose of the devices',
  'pciRequests.alias': 'it only names the kind of device',
  'pciRequests.count': { hosts: { a: pool(2) }, request: ofVendor(3), change: 'PCI devices -> 2' },
  'pciRequests.specs': { request: ofVendor(1), change: 'PCI devices -> none' },
  'pciRequests.numaPolicy': [
    {
      hosts: { a: { numaCells: cells(2), ...pool(1) } },
      request: { ...guest(), ...ofVendor(1, { numaPolicy: 'required' }) },
      change: 'NUMA policy of PCI devices -> near if possible',
    },
    {
      hosts: { a: { ...gpuAt(1), ...pool(1, 0) } },
      request: { ...guest(), gpus: { numaPolicy: 'required' }, ...ofVendor(1, { numaPolicy: 'required' }) },
      change: 'NUMA policy of PCI devices -> near if possible',
    },
  ],
  'requestedResources.suffix': 'it only identifies a group',
  'requestedResources.amounts.resourceClass': {
    hosts: { a: { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 2 }] } },
    request: { requestedResources: [{ amounts: [{ resourceClass: 'CUSTOM_FGPA', amount: 1 }] }] },
    change: 'resource class -> CUSTOM_FPGA',
  },
  'requestedResources.amounts.amount': {
    hosts: { a: { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 2 }] } },
    request: { requestedResources: [{ amounts: [{ resourceClass: 'CUSTOM_FPGA', amount: 3 }] }] },
    change: 'CUSTOM_FPGA -> 2',
  },
  'requestedResources.requiredTraits': {
    request: { requestedResources: [{ amounts: [], requiredTraits: ['FAST'] }] },
    change: 'trait FAST -> not asked',
  },
  'requestedResources.forbiddenTraits': {
    hosts: { a: { traits: ['SLOW'] } },
    request: { requestedResources: [{ amounts: [], forbiddenTraits: ['SLOW'] }] },
    change: 'trait SLOW -> not asked',
  },
  'requestedResources.memberOf': {
    request: { requestedResources: [{ amounts: [], memberOf: [aUuid(20)] }] },
    aggregates: [{ name: 'none', hosts: [], metadata: {} }],
    change: 'aggregates asked for -> any',
  },
  requestedDestination: 'its fields are below',
  'requestedDestination.host': { request: { requestedDestination: { host: 'zz9' } }, change: 'requested destination -> any' },
  'requestedDestination.node': { request: { requestedDestination: { node: 'zz9' } }, change: 'requested destination -> any' },
  'requestedDestination.aggregates': {
    request: { requestedDestination: { aggregates: [aUuid(20)] } },
    aggregates: [{ name: 'none', hosts: [], metadata: {} }],
    change: 'aggregates asked for -> any',
  },
  'requestedDestination.forbiddenAggregates': {
    request: { requestedDestination: { forbiddenAggregates: [aUuid(20)] } },
    aggregates: [{ name: 'own', hosts: ['a'], metadata: {} }],
    change: 'forbidden aggregate -> not forbidden',
  },
  forceHosts: { request: { forceHosts: ['zz9'] }, change: 'hosts asked for -> any' },
  forceNodes: { request: { forceNodes: ['zz9'] }, change: 'nodes asked for -> any' },
  ignoreHosts: { request: { ignoreHosts: ['a'] }, change: 'hosts to ignore -> not a' },
  schedulerHints: {
    request: { schedulerHints: { different_host: [aUuid(5)] } },
    changes: [aClaim({ hosts: ['a'], grants: {}, instances: [aUuid(5)], mode: 'CONFIRM' })],
    change: 'hint different_host -> not asked',
  },
  isBfv: 'booting from a volume would be a different instance; less disk is proposed instead',
  forceVerify: 'a request that skips filters is never proposed',
  nova: 'its fields are below',
  'nova.form': 'it only says how the document is read',
  'nova.document': 'would-fit/nova-forms/kept-conditions.test.ts has a case for each field of a document',
  'topologySpread.topologyKey': {
    request: { ...group({}), topologySpread: [{ topologyKey: 'rack', maxSkew: 1 }] },
    change: 'spread over rack -> not asked',
  },
  'topologySpread.maxSkew': {
    hosts: { a: {}, b: { vcpus: 1 } },
    request: { ...group({}), numInstances: 4, topologySpread: [{ topologyKey: 'host', maxSkew: 1 }] },
    change: 'spread over host -> at most 2 more than the fewest',
  },
  'topologySpread.maxPerDomain': {
    request: { ...group({}), topologySpread: [{ topologyKey: 'host', maxPerDomain: 1 }] },
    changes: [member('a', 'SOFT_ANTI_AFFINITY')],
    change: 'spread over host -> at most 2 in each',
  },
  volumes: {
    hosts: { a: {}, b: {} },
    request: { volumes: [aUuid(2)] },
    changes: [storageAt('a', 3, false), storageAt('b', 1, true), down('b')],
    change: 'nearVolumesAndPorts -> not asked',
  },
  ports: {
    hosts: { a: {}, b: {} },
    request: { ports: [aUuid(2)] },
    changes: [networkAt('a', 'physnet2', false), networkAt('b', 'physnet1', true), down('b')],
    change: 'nearVolumesAndPorts -> not asked',
  },
  nearVolumesAndPorts: {
    hosts: { a: {}, b: {} },
    request: { volumes: [aUuid(2)] },
    changes: [storageAt('a', 3, false), storageAt('b', 1, true), down('b')],
    change: 'nearVolumesAndPorts -> not asked',
  },
}

interface Node {
  readonly anyOf?: readonly Node[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
}

const pathsOf = ({ anyOf, properties, items }: Node, path: readonly string[] = []): readonly string[] => {
  if (anyOf !== undefined) return anyOf.flatMap((one) => pathsOf(one, path))
  if (properties !== undefined) return Object.entries(properties).flatMap(([name, node]) => pathsOf(node, [...path, name]))
  return items?.properties === undefined ? [path.join('.')] : pathsOf(items, path)
}

test('the table above has an entry for every field of a request, except for fields of gang members', () => {
  const schema = z.toJSONSchema(requestSpecV1_3, { io: 'input', unrepresentable: 'any' }) as Node
  const known = new Set(pathsOf(schema).filter((path) => !path.startsWith('gang.')))
  expect(Object.keys(fields).sort()).toEqual([...known].sort())
})

const cases = Object.entries(fields).flatMap(([field, given]) =>
  typeof given === 'string' ? [] : [given].flat().map((one, number) => ({ field, number, ...one })),
)

describe('if a field is the only cause of a refusal, a change of this field is proposed', () => {
  test.each(cases)(
    '$field, $number: $change',
    ({ hosts = { a: {} }, request, changes = [], aggregates = [], profile = byDefault, change }) => {
      const log = aLog()
      log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Object.entries(hosts).map(([name, shape]) => aReport(name, shape))])
      log.append(aggregates.map((next, i) => ({ type: 'aggregate', uuid: aUuid(20 + i), expectedVersion: 0, next })))
      for (const one of changes) expect(log.append([one])).toEqual([undefined])
      const asking = aRequest({ ...flavor({}), ...request })
      const limits = { maxChanges: 1, first: 50, minHosts: 1, maxRuns: 100, isOver: () => false }
      const { fits, counterfactuals } = atOnce(
        whatWouldFit(log.fleet, { request: asking, profile, kinds: ['REQUEST', 'FLEET', 'POLICY'], seed: 's', ...limits }),
      )
      expect(fits).toBe(false)
      expect(counterfactuals.map(({ changes: [only] }) => `${only?.subject} -> ${only?.to}`)).toContain(change)
    },
  )
})
