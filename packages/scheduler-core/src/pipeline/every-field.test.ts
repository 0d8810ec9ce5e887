import { describe, expect, test } from 'vitest'
import { pluginsOf } from '../contracts/plugins.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { importLegacyRequest, importNovaRequest } from '../nova/import/request.ts'
import { FEATURE_LEVEL } from '../records/change.ts'
import { type Profile, profileSchema } from '../records/profile.ts'
import { parseRequestSpec } from '../request/parse.ts'
import { requestSpecV1_3 } from '../request/versions/v1-3.ts'
import { decide } from '../schedulers/decide.ts'
import { aLog, aReport, aUuid } from '../testing/index.ts'
import { ignoredFields } from './unread.ts'

/**
 * Two profiles that read almost no field of a request: one with this service's own rules, and one with `compat: nova`, without the
 * checks of Placement that can be turned off.
 */
const bare = profileSchema.parse({ name: 'p', number: 1, filters: [{ name: 'RamFilter' }], weighers: [] })
const placement = { availabilityZone: false, isolateAggregates: false, limitTenants: false, imageType: false }
const profiles: Readonly<Record<string, Profile>> = {
  'an own profile': bare,
  'a profile of Nova': profileSchema.parse({ ...bare, compat: 'nova', nova: { placement } }),
}

type Document = Readonly<Record<string, unknown>>
interface Spelling {
  /** Returns the smallest valid request with this field set to this value. */
  readonly with: (field: string, value: unknown) => unknown
  readonly plain: unknown
  readonly read: (given: unknown) => { readonly ok: boolean; readonly document?: unknown }
}

const sizes = { vcpus: 1, memory_mb: 64, root_gb: 0, ephemeral_gb: 0, swap: 0 }
const object = (name: string, version: string, data: object) => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})

/** Returns the document with the value at this path. */
function set(document: Document, [key = '', ...rest]: readonly string[], value: unknown): Document {
  return { ...document, [key]: rest.length === 0 ? value : set((document[key] ?? {}) as Document, rest, value) }
}

const typed = { flavor: { vcpus: 1, memoryMb: 64 } }
const nova = { num_instances: 1, flavor: object('Flavor', '1.2', { name: 'm', ...sizes, extra_specs: {} }), scheduler_hints: {} }
const legacy = {
  request_spec: { num_instances: 1, instance_type: { name: 'm', ...sizes, extra_specs: {} }, image: {}, instance_properties: {} },
  filter_properties: {},
}
const spellings: Readonly<Record<'typed' | 'nova' | 'legacy', Spelling>> = {
  typed: { with: (field, value) => set(typed, field.split('.'), value), plain: typed, read: (document) => ({ ok: true, document }) },
  nova: {
    with: (field, value) => object('RequestSpec', '1.14', set(nova, field.split('.'), value)),
    plain: object('RequestSpec', '1.14', nova),
    read: importNovaRequest,
  },
  legacy: {
    with: (field, value) => set(legacy, field.split('.'), value),
    plain: legacy,
    read: (given) => importLegacyRequest(given as never),
  },
}

function hosts(): Fleet {
  const log = aLog()
  log.append([
    { type: 'feature', level: FEATURE_LEVEL },
    aReport('h1', { traits: ['CUSTOM_Y'] }),
    aReport('h2', { memoryMb: 131_072, vcpus: 64, traits: ['CUSTOM_X'] }),
  ])
  return log.fleet
}

/**
 * Decides a request. Returns the decision, and the fields that are reported to have no effect. Returns undefined if the request is invalid.
 */
function answerTo({ read }: Spelling, profile: Profile, given: unknown) {
  const imported = read(given)
  const parsed = imported.ok ? parseRequestSpec(imported.document) : undefined
  if (parsed?.ok !== true) return undefined
  const request = parsed.value
  const fleet = hosts()
  const overlay = openOverlay(fleet)
  const claimIds = Array.from({ length: request.numInstances }, (_, i) => `c${i}`)
  const asked = { id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, profile, request, claimIds }
  const { parts, found } = decide(fleet, overlay, asked)
  overlay.discard()
  const documents = {
    ...{ reportsStat: () => false, hasDocuments: () => false, documentIndexOf: () => ({ of: () => [] }) },
    get: () => ({ namespaces: new Map() }),
  }
  const ignored = ignoredFields(request, profile, {
    plugins: pluginsOf(fleet),
    featureLevel: FEATURE_LEVEL,
    now: 0,
    hosts: documents,
    aggregates: { hasKey: () => false },
  })
  return { decided: JSON.stringify([parts, found]), ignored }
}

/**
 * Compares the request with this field to the request without it. Returns `acts` if the request with the field is invalid or is decided
 * differently. Otherwise returns the paths that are reported to have no effect, or `nothing` if there are none.
 */
function effectOf(name: keyof typeof spellings, profile: Profile, field: string, value: unknown): string {
  const spelling = spellings[name]
  const plain = answerTo(spelling, profile, spelling.plain)
  if (plain === undefined) throw new Error('the plain request is refused')
  const answer = answerTo(spelling, profile, spelling.with(field, value))
  if (answer === undefined || answer.decided !== plain.decided) return 'acts'
  const more = answer.ignored.filter((path) => !plain.ignored.includes(path))
  return more.join(' ') || 'nothing'
}

/**
 * A field with a value and the expected result of `effectOf`. `placement` is the result under the profile with `compat: nova`, if it
 * differs from `expected` because a check of Placement that cannot be turned off reads the field.
 */
type Row = readonly [field: string, value: unknown, expected: string, placement?: string]

const cell = { id: 0, cpus: [0], memoryMb: 64 }
const group = (more: object) => ({ uuid: aUuid(7), policy: 'ANTI_AFFINITY', ...more })
const typedRows: readonly Row[] = [
  ['version', '9.9', 'acts'],
  ['instanceUuids', [aUuid(1)], 'acts'],
  ['numInstances', 2, 'acts'],
  ['flavor.vcpus', 2, 'acts'],
  ['flavor.extraSpecs', { x: 'y' }, 'flavor.extraSpecs.x'],
  ['image.properties', { x: 'y' }, 'image.properties.x'],
  ['image.architecture', 'x86_64', 'image.architecture'],
  ['availabilityZone', 'z', 'availabilityZone'],
  ['instanceGroup', group({ hosts: ['h1'] }), 'acts'],
  ['instanceGroup', group({ policy: 'AFFINITY', hosts: ['h2'] }), 'acts'],
  ['instanceGroup', group({ policy: 'SOFT_AFFINITY', hosts: ['h2'] }), 'instanceGroup.policy instanceGroup.hosts'],
  ['instanceGroup', group({ policy: 'SOFT_ANTI_AFFINITY', hosts: ['h1'] }), 'instanceGroup.policy instanceGroup.hosts'],
  // A topology spread applies to a server group, so a request without a group is refused.
  ['topologySpread', [{ topologyKey: 'host', maxPerDomain: 1 }], 'acts'],
  ['numaTopology', { cells: [cell] }, 'acts'],
  ['pciRequests', [{ count: 1, specs: [{ vendor_id: '8086' }] }], 'acts'],
  ['gpus', { count: 1 }, 'acts'],
  ['requestedResources', [{ amounts: [{ resourceClass: 'VCPU', amount: 1 }] }], 'acts'],
  ['requestedResources', [{ amounts: [], memberOf: [aUuid(3)] }], 'acts'],
  ['requestedDestination', { host: 'h2' }, 'acts'],
  ['requestedDestination', { aggregates: [aUuid(3)] }, 'acts'],
  ['forceHosts', ['h2'], 'acts'],
  ['forceNodes', ['h2'], 'acts'],
  ['ignoreHosts', ['h1'], 'acts'],
  ['forceVerify', 'HARD', 'forceVerify'],
  ['schedulerHints', { near_volume: ['v'] }, 'schedulerHints.near_volume'],
  ['gang', [{ instances: 1, flavor: { vcpus: 2, memoryMb: 64 } }], 'acts'],
  ['volumes', [aUuid(4)], 'volumes'],
  ['ports', [aUuid(4)], 'ports'],
]
/**
 * Fields of Gantt's form that have no effect on the choice of hosts by themselves: the caller's identity, and fields that need other
 * fields.
 */
const typedSilent = ['projectId', 'userId', 'isBfv', 'nova', 'nearVolumesAndPorts']

const novaCell = object('InstanceNUMACell', '1.6', { id: 0, cpuset: [0], pcpuset: [], memory: 64, pagesize: null, cpu_policy: null })
const device = { count: 1, spec: [{ vendor_id: '8086' }], alias_name: null, numa_policy: null }
const novaGroup = (more: object) => object('InstanceGroup', '1.11', { uuid: aUuid(7), policy: 'anti-affinity', ...more })
const resources = (more: object) => [object('RequestGroup', '1.3', { use_same_provider: false, resources: {}, ...more })]
const destination = (more: object) => object('Destination', '1.4', more)
const novaRows: readonly Row[] = [
  [
    'image',
    object('ImageMeta', '1.8', { properties: object('ImageMetaProps', '1.12', { os_type: 'linux' }) }),
    'spec.image.properties.os_type',
  ],
  ['flavor', object('Flavor', '1.2', { name: 'm', ...sizes, vcpus: 2, extra_specs: {} }), 'acts'],
  ['numa_topology', object('InstanceNUMATopology', '1.3', { cells: [novaCell], emulator_threads_policy: null }), 'acts'],
  ['pci_requests', object('InstancePCIRequests', '1.1', { requests: [object('InstancePCIRequest', '1.3', device)] }), 'acts'],
  ['network_metadata', object('NetworkMetadata', '1.0', { physnets: ['p'], tunneled: false }), 'spec.network_metadata'],
  ['availability_zone', 'z', 'spec.availability_zone'],
  ['num_instances', 2, 'acts'],
  ['instance_uuid', aUuid(1), 'acts'],
  ['ignore_hosts', ['h1'], 'acts'],
  ['force_hosts', ['h2'], 'acts'],
  ['force_nodes', ['h2'], 'acts'],
  ['requested_destination', destination({ host: 'h2' }), 'acts'],
  ['requested_destination', destination({ aggregates: [aUuid(3)] }), 'acts'],
  ['requested_destination', destination({ cell: object('CellMapping', '1.1', { uuid: aUuid(5) }) }), 'acts'],
  [
    'retry',
    object('SchedulerRetries', '1.1', {
      num_attempts: 1,
      hosts: object('ComputeNodeList', '1.19', { objects: [object('ComputeNode', '1.19', { host: 'h1', hypervisor_hostname: 'h1' })] }),
    }),
    'spec.retry.hosts',
  ],
  [
    'instance_group',
    novaGroup({ policy: 'soft-affinity', hosts: ['h1'], members: [] }),
    'spec.instance_group.policy spec.instance_group.hosts',
  ],
  ['scheduler_hints', { near_volume: ['v'] }, 'spec.scheduler_hints.near_volume'],
  ['limits', object('SchedulerLimits', '1.0', { vcpu: 4, memory_mb: 64, disk_gb: null }), 'spec.limits.vcpu spec.limits.memory_mb'],
  ['requested_resources', resources({ resources: { VCPU: 1 } }), 'acts'],
  ['requested_resources', resources({ required_traits: ['CUSTOM_X'] }), 'spec.requested_resources.0.required_traits', 'acts'],
  ['requested_resources', resources({ forbidden_traits: ['CUSTOM_Y'] }), 'spec.requested_resources.0.forbidden_traits', 'acts'],
  ['requested_resources', resources({ aggregates: [[aUuid(3)]] }), 'acts'],
  ['requested_resources', resources({ in_tree: aUuid(3) }), 'spec.requested_resources.0.in_tree'],
  ['requested_resources', resources({ forbidden_aggregates: [aUuid(3)] }), 'spec.requested_resources.0.forbidden_aggregates'],
  ['requested_resources', resources({ provider_uuids: [aUuid(3)] }), 'spec.requested_resources.0.provider_uuids'],
  [
    'request_level_params',
    object('RequestLevelParams', '1.1', { root_required: ['CUSTOM_X'] }),
    'spec.request_level_params.root_required',
    'acts',
  ],
  [
    'requested_networks',
    object('NetworkRequestList', '1.1', { objects: [object('NetworkRequest', '1.3', { port_id: aUuid(4) })] }),
    'spec.requested_networks.objects.0.port_id',
  ],
  ['nobody_knows', 1, 'spec.nobody_knows'],
]
/**
 * Fields of Nova that have no effect on the choice of hosts: the row id in Nova's database, the caller's identity, whether the instance
 * boots from a volume, and security groups, which only the host's firewall reads.
 */
const novaSilent = ['id', 'project_id', 'user_id', 'is_bfv', 'security_groups']

const legacyGroup = { group_updated: true, group_uuid: aUuid(7), group_policies: ['soft-affinity'] }
const legacyRows: readonly Row[] = [
  ['request_spec.num_instances', 2, 'acts'],
  ['request_spec.instance_uuids', [aUuid(1)], 'acts'],
  ['request_spec.image.properties', { foo: 'x' }, 'request_spec.image.properties.foo'],
  ['request_spec.instance_type.vcpus', 2, 'acts'],
  ['request_spec.instance_type.extra_specs', { x: 'y' }, 'request_spec.instance_type.extra_specs.x'],
  ['request_spec.instance_properties.availability_zone', 'z', 'request_spec.instance_properties.availability_zone'],
  ['request_spec.instance_properties.numa_topology', { cells: [{ id: 0, cpuset: [0], memory: 64 }] }, 'acts'],
  ['request_spec.instance_properties.pci_requests', { requests: [device] }, 'acts'],
  ['filter_properties.pci_requests', { requests: [device] }, 'acts'],
  ['filter_properties.ignore_hosts', ['h1'], 'acts'],
  ['filter_properties.force_hosts', ['h2'], 'acts'],
  ['filter_properties.force_nodes', ['h2'], 'acts'],
  ['filter_properties.scheduler_hints', { near_volume: 'v' }, 'filter_properties.scheduler_hints.near_volume'],
  ['filter_properties.retry', { num_attempts: 1, hosts: [['h1', 'h1']] }, 'filter_properties.retry.hosts'],
  ['filter_properties.limits', { vcpu: 4, disk_gb: 7 }, 'filter_properties.limits.vcpu filter_properties.limits.disk_gb'],
  ['filter_properties', { ...legacyGroup, group_hosts: ['h1'] }, 'filter_properties.group_policies filter_properties.group_hosts'],
  ['filter_properties.nobody_knows', 1, 'filter_properties.nobody_knows'],
]

describe.each(Object.entries(profiles))('under %s every field acts, or is reported to have no effect: ', (_, profile) => {
  const expecting = (rows: readonly Row[]) =>
    rows.map(([field, value, expected, placement = expected]) => [field, value, profile.compat === 'nova' ? placement : expected] as const)
  test.each(expecting(typedRows))('typed %s: %j', (field, value, expected) =>
    expect(effectOf('typed', profile, field, value)).toBe(expected),
  )
  test.each(expecting(novaRows))("Nova's object %s: %j", (field, value, expected) =>
    expect(effectOf('nova', profile, field, value)).toBe(expected),
  )
  test.each(expecting(legacyRows))("Nova's dictionaries %s: %j", (field, value, expected) =>
    expect(effectOf('legacy', profile, field, value)).toBe(expected),
  )
})

test('the table of fields in this test lists every field of the typed form', () => {
  const named = new Set([...typedRows.map(([field]) => field.split('.')[0]), ...typedSilent])
  expect([...named].sort()).toEqual(Object.keys(requestSpecV1_3.in.shape).sort())
})

test('the table of fields in this test lists every field of RequestSpec 1.14', () => {
  const fields =
    'id image numa_topology pci_requests project_id user_id availability_zone flavor num_instances ignore_hosts force_hosts force_nodes requested_destination retry limits instance_group scheduler_hints instance_uuid security_groups requested_resources network_metadata is_bfv request_level_params requested_networks'
  const named = new Set([...novaRows.map(([field]) => field), ...novaSilent])
  named.delete('nobody_knows')
  expect([...named].sort()).toEqual(fields.split(' ').sort())
})

describe('a field that a filter reads is not reported as having no effect', () => {
  const withFilter = (name: string, compat: object = {}) => profileSchema.parse({ ...bare, ...compat, filters: [{ name }] })
  const ofNova = { compat: 'nova', nova: { placement } }
  const retry = { num_attempts: 1, hosts: [['h1', 'h1']] }
  test.each<[string, Profile, keyof typeof spellings, string, unknown]>([
    ['hosts that were tried', withFilter('RetryFilter', ofNova), 'legacy', 'filter_properties.retry', retry],
    ['hosts of an anti-affinity group', withFilter('ServerGroupAntiAffinityFilter'), 'typed', 'instanceGroup', group({ hosts: ['h1'] })],
    [
      'hosts of an anti-affinity group, under compat: nova',
      withFilter('ServerGroupAntiAffinityFilter', ofNova),
      'typed',
      'instanceGroup',
      group({ hosts: ['h1'] }),
    ],
    [
      'hosts of an affinity group',
      withFilter('ServerGroupAffinityFilter'),
      'typed',
      'instanceGroup',
      group({ policy: 'AFFINITY', hosts: ['h2'] }),
    ],
  ])('%s', (_, profile, spelling, field, value) => {
    expect(effectOf(spelling, profile, field, value)).toBe('acts')
  })
})
