import { describe, expect, test } from 'vitest'
import { causeOf } from '../cause/cause.ts'
import { causeText } from '../cause/cause-text.ts'
import { replay } from '../decision/replay.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { PLACEMENT_RULES } from '../fleet/levels.ts'
import { openOverlay } from '../fleet/overlay.ts'
import type { JsonObject } from '../json.ts'
import { prepareChecks } from '../pipeline/examine.ts'
import { builtInProfilesAt } from '../profiles/built-in.ts'
import { type PlacementRules, type Profile, profileLevel, profileSchema } from '../profiles/profile.ts'
import { parseRequestSpec } from '../request/parse.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { decide } from '../schedulers/decide.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import type { Imported } from './import/import.ts'
import { importLegacyRequest, importNovaRequest } from './import/request.ts'
import { placementFilters } from './placement-filters.ts'

/* What Nova asks Placement before its filters. Rows are named after the case, or after Nova's own test of the same situation. */

type Asks = Parameters<typeof aRequest>[0]
type Aggregates = Readonly<Record<string, readonly [metadata: Record<string, string>, ...hosts: string[]]>>

interface Row {
  /** Metadata and hosts by name; the first has aUuid(1). */
  readonly aggregates?: Aggregates
  readonly rules?: Partial<PlacementRules>
  readonly hosts?: Readonly<Record<string, HostShape>>
  readonly asks?: Asks | RequestSpec
  readonly disabled?: readonly string[]
  /** The host that it gets, or the filter and the code with which each host is refused first. */
  readonly gets: string | Readonly<Record<string, string>>
}

const compatAt = (level: number): Profile => builtInProfilesAt(level).find(({ name }) => name === 'nova-compat') as Profile
const withRules = (placement: Partial<PlacementRules>): Profile =>
  profileSchema.parse({ ...compatAt(PLACEMENT_RULES), number: 1, nova: { placement } })

/** Of two hosts h1 has more memory left, and is taken where nothing keeps it out. */
function townOf({ aggregates = {}, hosts = {}, disabled = [] }: Row, level = PLACEMENT_RULES): Fleet {
  const log = aLog()
  const shapes: Record<string, HostShape> = { h1: { memoryMb: 131_072 }, h2: {}, ...hosts }
  log.append([
    { type: 'feature', level },
    ...Object.entries(shapes).map(([name, shape]) => aReport(name, shape)),
    ...Object.entries(aggregates).map(([name, [metadata, ...members]], i) => ({
      type: 'aggregate' as const,
      uuid: aUuid(i + 1),
      expectedVersion: 0,
      next: { name, metadata, hosts: members },
    })),
    ...disabled.map((host) => ({ type: 'status' as const, host, node: host, status: 'DISABLED' as const, reason: 'fan' })),
  ])
  return log.fleet
}

const isRequest = (asks: Asks | RequestSpec): asks is RequestSpec => asks !== undefined && 'topologySpread' in asks && 'nova' in asks
const requestOf = (asks: Asks | RequestSpec = {}): RequestSpec => (isRequest(asks) ? asks : aRequest(asks))

function decided(fleet: Fleet, request: RequestSpec, profile: Profile) {
  const overlay = openOverlay(fleet)
  try {
    return decide(fleet, overlay, {
      ...{ id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] },
      request,
      profile,
    })
  } finally {
    overlay.discard()
  }
}

function outcomeOf(row: Row, level?: number): Row['gets'] {
  const fleet = townOf(row, level)
  const profile = row.rules === undefined ? compatAt(fleet.featureLevel) : withRules(row.rules)
  const request = requestOf(row.asks)
  const [part] = decided(fleet, request, profile).parts
  if (part !== undefined) return part.host
  const { checksOf } = prepareChecks(fleet, request, profile)
  const present = Array.from(fleet.hosts.presentIndexes, (index) => fleet.hosts.get(index as never))
  return Object.fromEntries(
    present.map(({ index, host }) => {
      const refusal = checksOf(index).find(({ reason }) => reason !== undefined)
      for (const { requiredFrom, actualFrom } of refusal?.facts ?? []) expect([requiredFrom.ref, actualFrom.ref]).not.toContain('')
      expect(refusal?.facts?.length).toBeGreaterThan(0)
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
function read(imported: Imported): RequestSpec {
  if (!imported.ok) throw new Error(imported.problems.map(({ message }) => message).join('; '))
  const parsed = parseRequestSpec(imported.document)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}
const flavor = { name: 'm1', vcpus: 1, memory_mb: 1_024, root_gb: 1, ephemeral_gb: 0, swap: 0 }
/** As Nova writes it. */
const fromNova = (data: JsonObject, extra_specs: Record<string, string> = {}): RequestSpec =>
  read(
    importNovaRequest(
      wire('RequestSpec', '1.14', { flavor: wire('Flavor', '1.2', { ...flavor, extra_specs }), num_instances: 1, ...data }),
    ),
  )
const bound = (data: JsonObject): RequestSpec => fromNova({ requested_destination: wire('Destination', '1.4', data) })
const image = (disk_format: string, properties: JsonObject = {}) =>
  wire('ImageMeta', '1.8', { id: aUuid(9), disk_format, properties: wire('ImageMetaProps', '1.34', properties) })
/** From before there was such an object. */
const legacy = (instance: JsonObject, filter_properties: JsonObject = {}, more: JsonObject = {}): RequestSpec =>
  read(
    importLegacyRequest({
      request_spec: { instance_properties: instance, instance_type: { ...flavor, extra_specs: {} }, num_instances: 1, ...more },
      filter_properties,
    }),
  )
const inCell = (cellUuid: string | null): HostShape => ({
  nova: {
    computeNode: wire('ComputeNode', '1.19', {
      ...{ vcpus: 16, vcpus_used: 0, memory_mb: 65_536, memory_mb_used: 0, local_gb: 1_024, local_gb_used: 0, free_ram_mb: 65_536 },
      ...{ free_disk_gb: 1_024, running_vms: 0, cpu_allocation_ratio: 1, ram_allocation_ratio: 1, disk_allocation_ratio: 1 },
    }),
    cellUuid,
  },
})
const extra = (extraSpecs: Record<string, string>): Asks => ({ flavor: { vcpus: 1, memoryMb: 1_024, extraSpecs } })
const cellOf = (uuid: string) => wire('CellMapping', '1.1', { uuid })

const zones: Aggregates = { a1: [{ availability_zone: 'z1' }, 'h1'], a2: [{ availability_zone: 'z2' }, 'h2'] }
const tables: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  PlacementZone: {
    'A12a Nova map_az_to_placement_aggregate: typed': { aggregates: zones, asks: { availabilityZone: 'z2' }, gets: 'h2' },
    'A12a Nova map_az_to_placement_aggregate: in the form of Nova': {
      aggregates: zones,
      asks: fromNova({ availability_zone: 'z2' }),
      gets: 'h2',
    },
    'the dictionaries of Kilo': { aggregates: zones, asks: legacy({ availability_zone: 'z2' }), gets: 'h2' },
    'A12a a zone that is not there': {
      aggregates: zones,
      asks: { availabilityZone: 'no-such-zone' },
      gets: both('PlacementZone zone.other'),
    },
    'no zone asked for': { aggregates: zones, gets: 'h1' },
    'an empty zone of Nova asks for nothing': { aggregates: zones, asks: fromNova({ availability_zone: '' }), gets: 'h1' },
    'A24 a zone is one name, whatever commas are in it': {
      aggregates: { a: [{ availability_zone: 'z1,z2' }, 'h2'] },
      asks: { availabilityZone: 'z2' },
      gets: both('PlacementZone zone.other'),
    },
    'a zone without hosts': {
      aggregates: { a: [{ availability_zone: 'z9' }] },
      asks: { availabilityZone: 'z9' },
      gets: both('PlacementZone zone.other'),
    },
    'several aggregates of one zone': {
      aggregates: { a: [{ availability_zone: 'z1' }], b: [{ availability_zone: 'z1' }, 'h2'] },
      asks: { availabilityZone: 'z1' },
      gets: 'h2',
    },
    'the default zone is of hosts in no other': {
      aggregates: { a: [{ availability_zone: 'z1' }, 'h1'] },
      asks: { availabilityZone: 'nova' },
      gets: 'h2',
    },
    'an aggregate with the default zone beside hosts in no zone': {
      aggregates: { a: [{ availability_zone: 'nova' }, 'h2'] },
      asks: { availabilityZone: 'nova' },
      gets: 'h1',
    },
    'which has another name': {
      aggregates: { a: [{ availability_zone: 'nova' }, 'h1'] },
      rules: { defaultAvailabilityZone: 'az0' },
      asks: { availabilityZone: 'az0' },
      gets: 'h2',
    },
    'a forced host is asked too': {
      aggregates: zones,
      asks: { availabilityZone: 'z2', forceHosts: ['h1'] },
      gets: { h1: 'PlacementZone zone.other', h2: 'Candidates host.not_requested' },
    },
    'nova:HOST forces a host of any zone': { aggregates: zones, asks: { availabilityZone: 'nova', forceHosts: ['h2'] }, gets: 'h2' },
    'off, zones are the filter’s alone': {
      aggregates: zones,
      rules: { availabilityZone: false },
      asks: { availabilityZone: 'z2' },
      gets: 'h1',
    },
    'a rebuild asks nothing of Placement': {
      aggregates: zones,
      asks: { availabilityZone: 'z2', forceHosts: ['h1'], schedulerHints: { _nova_check_type: ['rebuild'] } },
      gets: 'h1',
    },
  },
  PlacementTraits: {
    'A12b Nova ResourceRequest traits: required': {
      hosts: { h2: { traits: ['CUSTOM_X'] } },
      asks: extra({ 'trait:CUSTOM_X': 'required' }),
      gets: 'h2',
    },
    'A12b on no host': { asks: extra({ 'trait:CUSTOM_X': 'required' }), gets: both('PlacementTraits trait.missing') },
    forbidden: { hosts: { h1: { memoryMb: 131_072, traits: ['CUSTOM_X'] } }, asks: extra({ 'trait:CUSTOM_X': 'forbidden' }), gets: 'h2' },
    'required and forbidden at once': {
      hosts: { h1: { memoryMb: 131_072, traits: ['CUSTOM_X'] }, h2: { traits: ['CUSTOM_X', 'CUSTOM_Y'] } },
      asks: extra({ 'trait:CUSTOM_X': 'required', 'trait:CUSTOM_Y': 'forbidden' }),
      gets: 'h1',
    },
    'of a flavor of Nova': {
      hosts: { h2: { traits: ['CUSTOM_X'] } },
      asks: fromNova({}, { 'trait:CUSTOM_X': 'required' }),
      gets: 'h2',
    },
    'of an image, typed': {
      hosts: { h2: { traits: ['CUSTOM_X'] } },
      asks: { image: { id: 'i', properties: { 'trait:CUSTOM_X': 'required' } } },
      gets: 'h2',
    },
    'of an image of Nova': {
      hosts: { h2: { traits: ['CUSTOM_X'] } },
      asks: fromNova({ image: image('raw', { traits_required: ['CUSTOM_X'] }) }),
      gets: 'h2',
    },
    'flavor and image together, and no host has both': {
      hosts: { h1: { traits: ['CUSTOM_X'] }, h2: { traits: ['CUSTOM_Y'] } },
      asks: fromNova({ image: image('raw', { traits_required: ['CUSTOM_X'] }) }, { 'trait:CUSTOM_Y': 'required' }),
      gets: both('PlacementTraits trait.missing'),
    },
    'traits that Nova makes of features are not asked for': {
      asks: extra({ 'os:secure_boot': 'required', 'hw:tpm_version': '2.0', 'hw:cpu_thread_policy': 'require' }),
      gets: 'h1',
    },
    'an image forbids nothing': {
      hosts: { h1: { memoryMb: 131_072, traits: ['CUSTOM_X'] } },
      asks: { image: { id: 'i', properties: { 'trait:CUSTOM_X': 'forbidden' } } },
      gets: 'h1',
    },
    'a forced host is asked too': {
      asks: { ...extra({ 'trait:CUSTOM_X': 'required' }), forceHosts: ['h2'] },
      gets: { h1: 'Candidates host.not_requested', h2: 'PlacementTraits trait.missing' },
    },
    'but not where nothing is to be verified': {
      asks: { ...extra({ 'trait:CUSTOM_X': 'required' }), forceHosts: ['h2'], forceVerify: 'NONE' },
      gets: 'h2',
    },
  },
  PlacementDestination: {
    'Nova Destination.require_aggregates: one of a list': {
      aggregates: { a: [{}], b: [{}, 'h2'] },
      asks: bound({ aggregates: [`${aUuid(1)},${aUuid(2)}`] }),
      gets: 'h2',
    },
    'Nova Destination.require_aggregates: each list': {
      aggregates: { a: [{}, 'h1', 'h2'], b: [{}, 'h2'] },
      asks: bound({ aggregates: [aUuid(1), aUuid(2)] }),
      gets: 'h2',
    },
    'lists that no host meets at once': {
      aggregates: { a: [{}, 'h1'], b: [{}, 'h2'] },
      asks: bound({ aggregates: [aUuid(1), aUuid(2)] }),
      gets: both('PlacementDestination host.none_common'),
    },
    'an aggregate that is not there': {
      asks: bound({ aggregates: [aUuid(7)] }),
      gets: both('PlacementDestination aggregate.not_member'),
    },
    typed: { aggregates: { a: [{}, 'h2'] }, asks: { requestedDestination: { aggregates: [aUuid(1)] } }, gets: 'h2' },
    forbidden: { aggregates: { a: [{}, 'h1'] }, asks: bound({ forbidden_aggregates: [aUuid(1)] }), gets: 'h2' },
    'forbidden and required at once': {
      aggregates: { a: [{}, 'h1', 'h2'], b: [{}, 'h1'] },
      asks: bound({ aggregates: [aUuid(1)], forbidden_aggregates: [aUuid(2)] }),
      gets: 'h2',
    },
    'all are forbidden': {
      aggregates: { a: [{}, 'h1', 'h2'] },
      asks: { requestedDestination: { forbiddenAggregates: [aUuid(1)] } },
      gets: both('PlacementDestination host.excluded'),
    },
    'a forced host is asked too': {
      aggregates: { a: [{}, 'h2'] },
      asks: { forceHosts: ['h1'], requestedDestination: { aggregates: [aUuid(1)] } },
      gets: { h1: 'PlacementDestination host.none_common', h2: 'Candidates host.not_requested' },
    },
    'A19 LP 1823370 only_cell: hosts of the cell': {
      hosts: { h1: inCell(aUuid(71)), h2: inCell(aUuid(72)) },
      asks: bound({ cell: cellOf(aUuid(72)) }),
      gets: 'h2',
    },
    'A19 LP 1823370 a move that may cross cells': {
      hosts: { h1: inCell(aUuid(71)), h2: inCell(aUuid(72)) },
      disabled: ['h2'],
      asks: bound({ cell: cellOf(aUuid(72)), allow_cross_cell_move: true }),
      gets: 'h1',
    },
    'hosts of which no cell was told': {
      asks: bound({ cell: cellOf(aUuid(72)) }),
      gets: both('PlacementDestination cell.other'),
    },
    'a host in another cell by its name': {
      hosts: { h1: inCell(aUuid(71)), h2: inCell(aUuid(72)) },
      asks: bound({ host: 'h1', node: 'h1', cell: cellOf(aUuid(72)) }),
      gets: { h1: 'PlacementDestination cell.other', h2: 'Candidates host.not_requested' },
    },
    'A19 LP 1823370 an instance that moves on stays in its cell': {
      hosts: { h1: inCell(aUuid(71)), h2: inCell(aUuid(72)) },
      asks: { ...bound({ host: 'h2', node: 'h2', cell: cellOf(aUuid(72)) }), requestedDestination: null, ignoreHosts: ['h2'] },
      gets: { h1: 'PlacementDestination cell.other', h2: 'Candidates host.excluded' },
    },
    'Nova resources_from_request_spec: a node without its host': { asks: bound({ node: 'h2' }), gets: 'h2' },
    'a node that is not there': {
      asks: { requestedDestination: { node: 'n9' } },
      gets: both('PlacementDestination host.not_requested'),
    },
    'no cell': { hosts: { h1: inCell(aUuid(71)) }, asks: bound({ cell: null }), gets: 'h1' },
  },
  PlacementTenant: {
    'Nova TenantAggregateFilterTest: no aggregate names it, and one is needed': {
      rules: { limitTenants: true, tenantsNeedAggregate: true },
      asks: { projectId: 'p' },
      gets: both('PlacementTenant aggregate.tenant'),
    },
    'Nova TenantAggregateFilterTest: no aggregate names it, and none is needed': {
      rules: { limitTenants: true },
      aggregates: { a: [{ filter_tenant_id: 'other' }, 'h1'] },
      asks: { projectId: 'p' },
      gets: 'h1',
    },
    'Nova TenantAggregateFilterTest: an aggregate of several projects': {
      rules: { limitTenants: true, tenantsNeedAggregate: true },
      aggregates: { a: [{ filter_tenant_id: 'foo', filter_tenant_id2: 'p', 'filter_tenant_id:3': 'bar' }, 'h2'] },
      asks: { projectId: 'p' },
      gets: 'h2',
    },
    'Nova TenantAggregateFilterTest: an aggregate without hosts': {
      rules: { limitTenants: true },
      aggregates: { a: [{ filter_tenant_id: 'p' }] },
      asks: { projectId: 'p' },
      gets: both('PlacementTenant aggregate.tenant'),
    },
    'Nova TenantAggregateFilterTest: one without hosts beside one with': {
      rules: { limitTenants: true },
      aggregates: { a: [{ filter_tenant_id: 'p' }], b: [{ filter_tenant_id: 'p' }, 'h2'] },
      asks: { projectId: 'p' },
      gets: 'h2',
    },
    'a list of projects is one name that no project has': {
      rules: { limitTenants: true },
      aggregates: { a: [{ filter_tenant_id: 'p, q' }, 'h2'] },
      asks: { projectId: 'p' },
      gets: 'h1',
    },
    'a project under another key beside others under the key': {
      rules: { limitTenants: true, tenantsNeedAggregate: true },
      aggregates: { a: [{ filter_tenant_id: 'q', owner: 'p' }, 'h1'], b: [{ filter_tenant_id: 'p' }, 'h2'] },
      asks: { projectId: 'p' },
      gets: 'h2',
    },
    'a project under another key': {
      rules: { limitTenants: true },
      aggregates: { a: [{ tenant: 'p' }, 'h2'] },
      asks: { projectId: 'p' },
      gets: 'h1',
    },
    'a request without a project, where each needs an aggregate': {
      rules: { limitTenants: true, tenantsNeedAggregate: true },
      aggregates: { a: [{ filter_tenant_id: 'p' }, 'h2'] },
      gets: both('PlacementTenant aggregate.tenant'),
    },
    'off, nobody is kept apart': { aggregates: { a: [{ filter_tenant_id: 'p' }, 'h2'] }, asks: { projectId: 'p' }, gets: 'h1' },
    'Nova TestAggregateFiltersTogether: project and zone': {
      rules: { limitTenants: true, tenantsNeedAggregate: true },
      aggregates: { a: [{ filter_tenant_id: 'p', availability_zone: 'z' }, 'h2'] },
      asks: fromNova({ project_id: 'p', availability_zone: 'z' }),
      gets: 'h2',
    },
    'Nova TestAggregateFiltersTogether: project and zone that no host has both': {
      rules: { limitTenants: true, tenantsNeedAggregate: true },
      aggregates: { a: [{ filter_tenant_id: 'p' }, 'h1'], b: [{ availability_zone: 'z' }, 'h2'] },
      asks: { projectId: 'p', availabilityZone: 'z' },
      gets: { h1: 'PlacementZone zone.other', h2: 'PlacementTenant aggregate.tenant' },
    },
  },
  PlacementIsolation: {
    'Nova IsolateAggregateFilterTest: nothing required, and every host is kept': {
      rules: { isolateAggregates: true },
      aggregates: { a: [{ 'trait:CUSTOM_V': 'required' }, 'h1'], b: [{ 'trait:CUSTOM_W': 'required' }, 'h2'] },
      gets: both('PlacementIsolation aggregate.trait'),
    },
    'Nova IsolateAggregateFilterTest: nothing required goes elsewhere': {
      rules: { isolateAggregates: true },
      aggregates: { a: [{ 'trait:CUSTOM_V': 'required' }, 'h1'] },
      gets: 'h2',
    },
    'Nova IsolateAggregateFilterTest: the trait of the flavor': {
      rules: { isolateAggregates: true },
      hosts: { h2: { traits: ['CUSTOM_V'] } },
      aggregates: { a: [{ 'trait:CUSTOM_W': 'required' }, 'h1'], b: [{ 'trait:CUSTOM_V': 'required' }, 'h2'] },
      asks: extra({ 'trait:CUSTOM_V': 'required' }),
      gets: 'h2',
    },
    'Nova IsolateAggregateFilterTest: flavor and image have one each': {
      rules: { isolateAggregates: true },
      hosts: { h2: { traits: ['CUSTOM_V', 'CUSTOM_W'] } },
      aggregates: { a: [{ 'trait:CUSTOM_V': 'required', 'trait:CUSTOM_W': 'required' }, 'h2'] },
      asks: fromNova({ image: image('raw', { traits_required: ['CUSTOM_W'] }) }, { 'trait:CUSTOM_V': 'required' }),
      gets: 'h2',
    },
    'Nova IsolateAggregateFilterTest: one trait of two': {
      rules: { isolateAggregates: true },
      hosts: { h1: { traits: ['CUSTOM_V'] }, h2: { traits: ['CUSTOM_V', 'CUSTOM_W'] } },
      aggregates: { a: [{ 'trait:CUSTOM_V': 'required', 'trait:CUSTOM_W': 'required' }, 'h1', 'h2'] },
      asks: extra({ 'trait:CUSTOM_V': 'required' }),
      gets: both('PlacementIsolation aggregate.trait'),
    },
    'another value keeps nobody out': {
      rules: { isolateAggregates: true },
      aggregates: { a: [{ 'trait:CUSTOM_V': 'forbidden', CUSTOM_W: 'required' }, 'h1'] },
      gets: 'h1',
    },
    'a trait that is forbidden is not required': {
      rules: { isolateAggregates: true },
      aggregates: { a: [{ 'trait:CUSTOM_V': 'required' }, 'h1'] },
      asks: extra({ 'trait:CUSTOM_V': 'forbidden' }),
      gets: 'h2',
    },
    'off, nobody is kept out': { aggregates: { a: [{ 'trait:CUSTOM_V': 'required' }, 'h1'] }, gets: 'h1' },
  },
  PlacementImageType: {
    'Nova require_image_type_support: the disk format': {
      rules: { imageType: true },
      hosts: { h2: { traits: ['COMPUTE_IMAGE_TYPE_QCOW2'] } },
      asks: fromNova({ image: image('qcow2') }),
      gets: 'h2',
    },
    'Nova require_image_type_support: on no host': {
      rules: { imageType: true },
      asks: fromNova({ image: image('raw') }),
      gets: both('PlacementImageType trait.missing'),
    },
    'Nova require_image_type_support: booted from a volume': {
      rules: { imageType: true },
      asks: fromNova({ image: image('raw'), is_bfv: true }),
      gets: 'h1',
    },
    'Nova require_image_type_support: a format for which there is no trait': {
      rules: { imageType: true },
      asks: fromNova({ image: image('danms') }),
      gets: 'h1',
    },
    'the dictionaries of Kilo': {
      rules: { imageType: true },
      hosts: { h2: { traits: ['COMPUTE_IMAGE_TYPE_VMDK'] } },
      asks: legacy({}, {}, { image: { id: aUuid(9), disk_format: 'vmdk' } }),
      gets: 'h2',
    },
    'typed, as a property': {
      rules: { imageType: true },
      hosts: { h2: { traits: ['COMPUTE_IMAGE_TYPE_ISO'] } },
      asks: { image: { id: 'i', properties: { disk_format: 'iso' } } },
      gets: 'h2',
    },
    'no image': { rules: { imageType: true }, gets: 'h1' },
    'an image of Nova that is null': { rules: { imageType: true }, asks: fromNova({ image: null }), gets: 'h1' },
    off: { asks: fromNova({ image: image('raw') }), gets: 'h1' },
  },
  PlacementStatus: {
    'Nova compute_status_filter: a forced host that is disabled': {
      disabled: ['h1'],
      asks: { forceHosts: ['h1'] },
      gets: { h1: 'PlacementStatus host.disabled', h2: 'Candidates host.not_requested' },
    },
    'a forced host that is not': { disabled: ['h1'], asks: { forceHosts: ['h2'] }, gets: 'h2' },
    'of several forced hosts any will do': { asks: { forceHosts: ['h2', 'h1'] }, gets: 'h1' },
    'a forced host needs the room of its claim': {
      asks: { forceHosts: ['h2'], memoryMb: 100_000 },
      gets: { h1: 'Candidates host.not_requested', h2: 'ResourceClassFilter (claim) memory.too_little' },
    },
    'of others ComputeFilter tells': { disabled: ['h1', 'h2'], gets: both('ComputeFilter host.disabled') },
  },
}

test('every rule of Placement has its table', () => {
  expect(Object.keys(tables).sort()).toEqual(placementFilters.map(({ name }) => name).sort())
})

describe.each(Object.entries(tables))('%s', (_filter, rows) => {
  test.each(Object.entries(rows))('%s', (_name, row) => expect(outcomeOf(row)).toEqual(row.gets))
})

describe('before the level, and beside replicas that do not read it', () => {
  const asked = Object.values(tables).flatMap((rows) => Object.values(rows))

  test('nothing is asked of Placement', () => {
    for (const row of asked) {
      const fleet = townOf(row, PLACEMENT_RULES - 1)
      const { record } = decided(fleet, requestOf(row.asks), compatAt(PLACEMENT_RULES - 1))
      expect(record.instances.flatMap(({ filters }) => filters).filter(({ filter }) => filter.startsWith('Placement'))).toEqual([])
    }
  })

  test('a decision is made again as it was, by the rules of its level', () => {
    for (const level of [PLACEMENT_RULES - 1, PLACEMENT_RULES])
      for (const row of asked) {
        const fleet = townOf(row, level)
        const profile = row.rules === undefined || level < PLACEMENT_RULES ? compatAt(level) : withRules(row.rules)
        const { record } = decided(fleet, requestOf(row.asks), profile)
        expect(replay(fleet, [], record, profile).record).toEqual(record)
      }
  })

  test('what is said of Placement in a profile needs the level; what is not said, does not', () => {
    expect([profileLevel(withRules({})), profileLevel(compatAt(PLACEMENT_RULES - 1))]).toEqual([PLACEMENT_RULES, 3])
  })
})

test('the shipped profile says from the level on what Placement decides, and decides by the definition of its level', () => {
  const log = aLog()
  const shipped = () => log.fleet.profiles.find('nova-compat')
  log.append([{ type: 'feature', level: PLACEMENT_RULES - 1 }])
  expect([shipped()?.number, shipped()?.nova?.placement]).toEqual([0, undefined])
  log.append([{ type: 'feature', level: PLACEMENT_RULES }])
  expect([shipped()?.number, shipped()?.nova?.placement]).toEqual([
    0,
    expect.objectContaining({ availabilityZone: true, limitTenants: false }),
  ])
  expect(log.fleet.profiles.versionsOf('nova-compat')).toEqual([shipped()])
})

test('M01: the cause of a refusal is told of the hosts of the zone and of the traits', () => {
  const row: Row = { aggregates: zones, gets: '' }
  const asks = { ...extra({ 'trait:CUSTOM_X': 'required' }), availabilityZone: 'z2' }
  expect(causeText(causeOf(townOf(row), aRequest(asks), compatAt(PLACEMENT_RULES)))).toBe(
    'There is no host in availability zone z2, with CUSTOM_X. Each by itself: 1 in availability zone z2; 0 with CUSTOM_X.',
  )
  expect(causeText(causeOf(townOf(row), aRequest({ availabilityZone: 'z2', memoryMb: 200_000 }), compatAt(PLACEMENT_RULES)))).toContain(
    'The only host in availability zone z2 does not take it. h2: 200000 MiB needed by one instance; the host has 65536 MiB in all.',
  )
})

test('an image that cannot be read refuses every host, and the cause can be told', () => {
  const request = aRequest({ ...extra({ 'trait:CUSTOM_X': 'required' }), image: { id: 'i', properties: { hw_cpu_cores: 'many' } } })
  const fleet = townOf({ gets: '' })
  const profile = withRules({ imageType: true, isolateAggregates: true })
  expect(decided(fleet, request, profile).parts).toEqual([])
  expect(causeText(causeOf(fleet, request, profile))).toMatch(/^Of 2 hosts none takes it: 2 that a filter failed on\. Nearest is h1: /)
})

test('A19 LP 1823370: the cell holds under this service’s own profile too', () => {
  const own = builtInProfilesAt(PLACEMENT_RULES).find(({ name }) => name === 'default') as Profile
  const hosts = { h1: inCell(aUuid(71)), h2: inCell(aUuid(72)) }
  const request = bound({ cell: cellOf(aUuid(72)) })
  expect(decided(townOf({ hosts, gets: '' }), request, own).parts[0]?.host).toBe('h2')
  expect(decided(townOf({ hosts, gets: '' }, PLACEMENT_RULES - 1), request, own).parts[0]?.host).toBe('h1')
})
