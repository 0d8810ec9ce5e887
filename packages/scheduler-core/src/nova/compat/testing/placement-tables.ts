import { aUuid } from '../../../testing/index.ts'
import { both, bound, cellOf, extra, fromNova, image, inCell, legacy, type Row, rootTraits, zones } from './placement-rows.ts'
import { statusRows } from './status-tables.ts'

export const tables: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  PlacementZone: {
    'A12a Nova map_az_to_placement_aggregate: a request in this service’s form': {
      aggregates: zones,
      asks: { availabilityZone: 'z2' },
      gets: 'h2',
    },
    'A12a Nova map_az_to_placement_aggregate: a request in the form of Nova': {
      aggregates: zones,
      asks: fromNova({ availability_zone: 'z2' }),
      gets: 'h2',
    },
    'a request in the dictionaries of Kilo': { aggregates: zones, asks: legacy({ availability_zone: 'z2' }), gets: 'h2' },
    'A12a a zone that does not exist': {
      aggregates: zones,
      asks: { availabilityZone: 'no-such-zone' },
      gets: both('PlacementZone zone.other'),
    },
    'a request that names no zone': { aggregates: zones, gets: 'h1' },
    'an empty zone in the form of Nova is no zone': { aggregates: zones, asks: fromNova({ availability_zone: '' }), gets: 'h1' },
    'A24 a zone with a comma in its name is one zone': {
      aggregates: { a: [{ availability_zone: 'z1,z2' }, 'h2'] },
      asks: { availabilityZone: 'z2' },
      gets: both('PlacementZone zone.other'),
    },
    'a zone without hosts': {
      aggregates: { a: [{ availability_zone: 'z9' }] },
      asks: { availabilityZone: 'z9' },
      gets: both('PlacementZone zone.other'),
    },
    'several aggregates with the same zone': {
      aggregates: { a: [{ availability_zone: 'z1' }], b: [{ availability_zone: 'z1' }, 'h2'] },
      asks: { availabilityZone: 'z1' },
      gets: 'h2',
    },
    'the default zone has the hosts that are in no other zone': {
      aggregates: { a: [{ availability_zone: 'z1' }, 'h1'] },
      asks: { availabilityZone: 'nova' },
      gets: 'h2',
    },
    'an aggregate with the default zone in addition to hosts in no zone': {
      aggregates: { a: [{ availability_zone: 'nova' }, 'h2'] },
      asks: { availabilityZone: 'nova' },
      gets: 'h1',
    },
    'the default zone has another name': {
      aggregates: { a: [{ availability_zone: 'nova' }, 'h1'] },
      rules: { defaultAvailabilityZone: 'az0' },
      asks: { availabilityZone: 'az0' },
      gets: 'h2',
    },
    'the check applies to a forced host too': {
      aggregates: zones,
      asks: { availabilityZone: 'z2', forceHosts: ['h1'] },
      gets: { h1: 'PlacementZone zone.other', h2: 'Candidates host.not_requested' },
    },
    'nova:HOST forces a host of any zone': { aggregates: zones, asks: { availabilityZone: 'nova', forceHosts: ['h2'] }, gets: 'h2' },
    'with the setting off, only the filter checks zones': {
      aggregates: zones,
      rules: { availabilityZone: false },
      asks: { availabilityZone: 'z2' },
      gets: 'h1',
    },
    'a rebuild is not checked': {
      aggregates: zones,
      asks: { availabilityZone: 'z2', forceHosts: ['h1'], schedulerHints: { _nova_check_type: ['rebuild'] } },
      gets: 'h1',
    },
  },
  PlacementTraits: {
    'A12b Nova ResourceRequest traits: a required trait': {
      hosts: { h2: { traits: ['CUSTOM_X'] } },
      asks: extra({ 'trait:CUSTOM_X': 'required' }),
      gets: 'h2',
    },
    'A12b a required trait that no host has': {
      asks: extra({ 'trait:CUSTOM_X': 'required' }),
      gets: both('PlacementTraits trait.missing'),
    },
    'a forbidden trait': {
      hosts: { h1: { memoryMb: 131_072, traits: ['CUSTOM_X'] } },
      asks: extra({ 'trait:CUSTOM_X': 'forbidden' }),
      gets: 'h2',
    },
    'a trait that is both required and forbidden': {
      hosts: { h1: { memoryMb: 131_072, traits: ['CUSTOM_X'] }, h2: { traits: ['CUSTOM_X', 'CUSTOM_Y'] } },
      asks: extra({ 'trait:CUSTOM_X': 'required', 'trait:CUSTOM_Y': 'forbidden' }),
      gets: 'h1',
    },
    'traits of a flavor in the form of Nova': {
      hosts: { h2: { traits: ['CUSTOM_X'] } },
      asks: fromNova({}, { 'trait:CUSTOM_X': 'required' }),
      gets: 'h2',
    },
    'traits of an image in this service’s form': {
      hosts: { h2: { traits: ['CUSTOM_X'] } },
      asks: { image: { id: 'i', properties: { 'trait:CUSTOM_X': 'required' } } },
      gets: 'h2',
    },
    'traits of an image in the form of Nova': {
      hosts: { h2: { traits: ['CUSTOM_X'] } },
      asks: fromNova({ image: image('raw', { traits_required: ['CUSTOM_X'] }) }),
      gets: 'h2',
    },
    'flavor and image require different traits, and no host has both': {
      hosts: { h1: { traits: ['CUSTOM_X'] }, h2: { traits: ['CUSTOM_Y'] } },
      asks: fromNova({ image: image('raw', { traits_required: ['CUSTOM_X'] }) }, { 'trait:CUSTOM_Y': 'required' }),
      gets: both('PlacementTraits trait.missing'),
    },
    'traits that Nova derives from other features are not checked': {
      asks: extra({ 'os:secure_boot': 'required', 'hw:tpm_version': '2.0', 'hw:cpu_thread_policy': 'require' }),
      gets: 'h1',
    },
    'an image forbids nothing': {
      hosts: { h1: { memoryMb: 131_072, traits: ['CUSTOM_X'] } },
      asks: { image: { id: 'i', properties: { 'trait:CUSTOM_X': 'forbidden' } } },
      gets: 'h1',
    },
    'the check applies to a forced host too': {
      asks: { ...extra({ 'trait:CUSTOM_X': 'required' }), forceHosts: ['h2'] },
      gets: { h1: 'Candidates host.not_requested', h2: 'PlacementTraits trait.missing' },
    },
    'a forced host is not checked if the request skips verification': {
      asks: { ...extra({ 'trait:CUSTOM_X': 'required' }), forceHosts: ['h2'], forceVerify: 'NONE' },
      gets: 'h2',
    },
  },
  PlacementDestination: {
    'Nova Destination.require_aggregates: the host is in one aggregate of a list': {
      aggregates: { a: [{}], b: [{}, 'h2'] },
      asks: bound({ aggregates: [`${aUuid(1)},${aUuid(2)}`] }),
      gets: 'h2',
    },
    'Nova Destination.require_aggregates: the host must satisfy each of several lists': {
      aggregates: { a: [{}, 'h1', 'h2'], b: [{}, 'h2'] },
      asks: bound({ aggregates: [aUuid(1), aUuid(2)] }),
      gets: 'h2',
    },
    'lists that no host satisfies together': {
      aggregates: { a: [{}, 'h1'], b: [{}, 'h2'] },
      asks: bound({ aggregates: [aUuid(1), aUuid(2)] }),
      gets: both('PlacementDestination host.none_common'),
    },
    'an aggregate that does not exist': {
      asks: bound({ aggregates: [aUuid(7)] }),
      gets: both('PlacementDestination aggregate.not_member'),
    },
    'an aggregate in a request in this service’s form': {
      aggregates: { a: [{}, 'h2'] },
      asks: { requestedDestination: { aggregates: [aUuid(1)] } },
      gets: 'h2',
    },
    'a forbidden aggregate': { aggregates: { a: [{}, 'h1'] }, asks: bound({ forbidden_aggregates: [aUuid(1)] }), gets: 'h2' },
    'an aggregate that is both forbidden and required': {
      aggregates: { a: [{}, 'h1', 'h2'], b: [{}, 'h1'] },
      asks: bound({ aggregates: [aUuid(1)], forbidden_aggregates: [aUuid(2)] }),
      gets: 'h2',
    },
    'the aggregates of all hosts are forbidden': {
      aggregates: { a: [{}, 'h1', 'h2'] },
      asks: { requestedDestination: { forbiddenAggregates: [aUuid(1)] } },
      gets: both('PlacementDestination host.excluded'),
    },
    'the check applies to a forced host too': {
      aggregates: { a: [{}, 'h2'] },
      asks: { forceHosts: ['h1'], requestedDestination: { aggregates: [aUuid(1)] } },
      gets: { h1: 'PlacementDestination host.none_common', h2: 'Candidates host.not_requested' },
    },
    'A19, LP 1823370, only_cell: only hosts of the cell pass': {
      hosts: { h1: inCell(aUuid(71)), h2: inCell(aUuid(72)) },
      asks: bound({ cell: cellOf(aUuid(72)) }),
      gets: 'h2',
    },
    'A19, LP 1823370: a move that may leave its cell also finds hosts of other cells': {
      hosts: { h1: inCell(aUuid(71)), h2: inCell(aUuid(72)) },
      disabled: ['h2'],
      asks: bound({ cell: cellOf(aUuid(72)), allow_cross_cell_move: true }),
      gets: 'h1',
    },
    'hosts without a reported cell': {
      asks: bound({ cell: cellOf(aUuid(72)) }),
      gets: both('PlacementDestination cell.other'),
    },
    'a destination whose host is in another cell than its cell': {
      hosts: { h1: inCell(aUuid(71)), h2: inCell(aUuid(72)) },
      asks: bound({ host: 'h1', node: 'h1', cell: cellOf(aUuid(72)) }),
      gets: { h1: 'PlacementDestination cell.other', h2: 'Candidates host.not_requested' },
    },
    'A19, LP 1823370: an instance that is moved again may only go to hosts of its cell': {
      hosts: { h1: inCell(aUuid(71)), h2: inCell(aUuid(72)) },
      asks: { ...bound({ host: 'h2', node: 'h2', cell: cellOf(aUuid(72)) }), requestedDestination: null, ignoreHosts: ['h2'] },
      gets: { h1: 'PlacementDestination cell.other', h2: 'Candidates host.excluded' },
    },
    'Nova resources_from_request_spec: a node without its host': { asks: bound({ node: 'h2' }), gets: 'h2' },
    'a node that does not exist': {
      asks: { requestedDestination: { node: 'n9' } },
      gets: both('PlacementDestination host.not_requested'),
    },
    'a destination whose cell is null': { hosts: { h1: inCell(aUuid(71)) }, asks: bound({ cell: null }), gets: 'h1' },
  },
  PlacementTenant: {
    'Nova TenantAggregateFilterTest: no aggregate names the project, and the setting requires one': {
      rules: { limitTenants: true, tenantsNeedAggregate: true },
      asks: { projectId: 'p' },
      gets: both('PlacementTenant aggregate.tenant'),
    },
    'Nova TenantAggregateFilterTest: no aggregate names the project, and the setting requires none': {
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
    'Nova TenantAggregateFilterTest: two aggregates, only one of which has hosts': {
      rules: { limitTenants: true },
      aggregates: { a: [{ filter_tenant_id: 'p' }], b: [{ filter_tenant_id: 'p' }, 'h2'] },
      asks: { projectId: 'p' },
      gets: 'h2',
    },
    'a list with commas is one name, which no project has': {
      rules: { limitTenants: true },
      aggregates: { a: [{ filter_tenant_id: 'p, q' }, 'h2'] },
      asks: { projectId: 'p' },
      gets: 'h1',
    },
    'a project that is the value of another key only': {
      rules: { limitTenants: true, tenantsNeedAggregate: true },
      aggregates: { a: [{ filter_tenant_id: 'q', owner: 'p' }, 'h1'], b: [{ filter_tenant_id: 'p' }, 'h2'] },
      asks: { projectId: 'p' },
      gets: 'h2',
    },
    'a key other than filter_tenant_id names no project': {
      rules: { limitTenants: true },
      aggregates: { a: [{ tenant: 'p' }, 'h2'] },
      asks: { projectId: 'p' },
      gets: 'h1',
    },
    'a request without a project, where the setting requires an aggregate for every project': {
      rules: { limitTenants: true, tenantsNeedAggregate: true },
      aggregates: { a: [{ filter_tenant_id: 'p' }, 'h2'] },
      gets: both('PlacementTenant aggregate.tenant'),
    },
    'with the setting off, no project is isolated': {
      aggregates: { a: [{ filter_tenant_id: 'p' }, 'h2'] },
      asks: { projectId: 'p' },
      gets: 'h1',
    },
    'Nova TestAggregateFiltersTogether: project and zone': {
      rules: { limitTenants: true, tenantsNeedAggregate: true },
      aggregates: { a: [{ filter_tenant_id: 'p', availability_zone: 'z' }, 'h2'] },
      asks: fromNova({ project_id: 'p', availability_zone: 'z' }),
      gets: 'h2',
    },
    'Nova TestAggregateFiltersTogether: no host has both the project and the zone': {
      rules: { limitTenants: true, tenantsNeedAggregate: true },
      aggregates: { a: [{ filter_tenant_id: 'p' }, 'h1'], b: [{ availability_zone: 'z' }, 'h2'] },
      asks: { projectId: 'p', availabilityZone: 'z' },
      gets: { h1: 'PlacementZone zone.other', h2: 'PlacementTenant aggregate.tenant' },
    },
  },
  PlacementIsolation: {
    'Nova IsolateAggregateFilterTest: no trait is required, and every host is reserved for traits': {
      rules: { isolateAggregates: true },
      aggregates: { a: [{ 'trait:CUSTOM_V': 'required' }, 'h1'], b: [{ 'trait:CUSTOM_W': 'required' }, 'h2'] },
      gets: both('PlacementIsolation aggregate.trait'),
    },
    'Nova IsolateAggregateFilterTest: an instance that requires no trait goes to a host that is not reserved': {
      rules: { isolateAggregates: true },
      aggregates: { a: [{ 'trait:CUSTOM_V': 'required' }, 'h1'] },
      gets: 'h2',
    },
    'Nova IsolateAggregateFilterTest: the flavor requires the trait': {
      rules: { isolateAggregates: true },
      hosts: { h2: { traits: ['CUSTOM_V'] } },
      aggregates: { a: [{ 'trait:CUSTOM_W': 'required' }, 'h1'], b: [{ 'trait:CUSTOM_V': 'required' }, 'h2'] },
      asks: extra({ 'trait:CUSTOM_V': 'required' }),
      gets: 'h2',
    },
    'Nova IsolateAggregateFilterTest: flavor and image require one trait each': {
      rules: { isolateAggregates: true },
      hosts: { h2: { traits: ['CUSTOM_V', 'CUSTOM_W'] } },
      aggregates: { a: [{ 'trait:CUSTOM_V': 'required', 'trait:CUSTOM_W': 'required' }, 'h2'] },
      asks: fromNova({ image: image('raw', { traits_required: ['CUSTOM_W'] }) }, { 'trait:CUSTOM_V': 'required' }),
      gets: 'h2',
    },
    'Nova IsolateAggregateFilterTest: only one of two traits is required': {
      rules: { isolateAggregates: true },
      hosts: { h1: { traits: ['CUSTOM_V'] }, h2: { traits: ['CUSTOM_V', 'CUSTOM_W'] } },
      aggregates: { a: [{ 'trait:CUSTOM_V': 'required', 'trait:CUSTOM_W': 'required' }, 'h1', 'h2'] },
      asks: extra({ 'trait:CUSTOM_V': 'required' }),
      gets: both('PlacementIsolation aggregate.trait'),
    },
    'metadata with a value other than `required` excludes no request': {
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
    'Nova ResourceRequest.all_required_traits: a trait of root_required alone does not open an aggregate': {
      rules: { isolateAggregates: true },
      hosts: { h1: { traits: ['CUSTOM_V'] } },
      aggregates: { a: [{ 'trait:CUSTOM_V': 'required' }, 'h1'] },
      asks: fromNova(rootTraits('CUSTOM_V')),
      gets: { h1: 'PlacementIsolation aggregate.trait', h2: 'PlacementTraits trait.missing' },
    },
    'a trait of root_required that the flavor requires too': {
      rules: { isolateAggregates: true },
      hosts: { h1: { traits: ['CUSTOM_V'] } },
      aggregates: { a: [{ 'trait:CUSTOM_V': 'required' }, 'h1'] },
      asks: fromNova(rootTraits('CUSTOM_V'), { 'trait:CUSTOM_V': 'required' }),
      gets: 'h1',
    },
    'a trait that Nova derives from another feature does not open an aggregate': {
      rules: { isolateAggregates: true },
      hosts: { h1: { traits: ['COMPUTE_SECURITY_UEFI_SECURE_BOOT'] } },
      aggregates: { a: [{ 'trait:COMPUTE_SECURITY_UEFI_SECURE_BOOT': 'required' }, 'h1'] },
      asks: fromNova({}, { 'os:secure_boot': 'required' }),
      gets: 'h2',
    },
    'with the setting off, no request is excluded': { aggregates: { a: [{ 'trait:CUSTOM_V': 'required' }, 'h1'] }, gets: 'h1' },
  },
  PlacementImageType: {
    'Nova require_image_type_support: the disk format': {
      rules: { imageType: true },
      hosts: { h2: { traits: ['COMPUTE_IMAGE_TYPE_QCOW2'] } },
      asks: fromNova({ image: image('qcow2') }),
      gets: 'h2',
    },
    'Nova require_image_type_support: no host supports the disk format': {
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
    'a request in the dictionaries of Kilo': {
      rules: { imageType: true },
      hosts: { h2: { traits: ['COMPUTE_IMAGE_TYPE_VMDK'] } },
      asks: legacy({}, {}, { image: { id: aUuid(9), disk_format: 'vmdk' } }),
      gets: 'h2',
    },
    'a request in this service’s form, with the disk format as a property': {
      rules: { imageType: true },
      hosts: { h2: { traits: ['COMPUTE_IMAGE_TYPE_ISO'] } },
      asks: { image: { id: 'i', properties: { disk_format: 'iso' } } },
      gets: 'h2',
    },
    'no image': { rules: { imageType: true }, gets: 'h1' },
    'an image of Nova that is null': { rules: { imageType: true }, asks: fromNova({ image: null }), gets: 'h1' },
    'with the setting off, the disk format is not checked': { asks: fromNova({ image: image('raw') }), gets: 'h1' },
  },
  PlacementStatus: statusRows,
}
