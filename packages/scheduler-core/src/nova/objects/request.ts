import { type Field, isJson, WireError, WireObject } from '../../report/versioned-object.ts'
import type { PciRequest } from '../hardware/pci.ts'
import { readPciRequests } from '../hardware/read-pci.ts'
import { readGuestTopology, readNetworkMetadata } from '../hardware/read-topology.ts'
import type { GuestTopology, NetworkMetadata } from '../hardware/topology.ts'
import type { ImageProperties } from '../text/image-properties.ts'
import { pythonValueOf } from '../text/python-json.ts'

/**
 * Nova's RequestSpec, as Nova's scheduler reads it. Undefined means that a field is unset, and null that it is set to None. A NovaRequest
 * is never changed.
 */
export interface NovaRequest {
  readonly image: Field<NovaImage>
  readonly flavor: NovaFlavor
  readonly numaTopology: Field<GuestTopology>
  readonly pciRequests: Field<readonly PciRequest[]>
  readonly networkMetadata: Field<NetworkMetadata>
  readonly projectId: Field<string>
  readonly userId: Field<string>
  readonly availabilityZone: Field<string>
  readonly numInstances: number
  readonly instanceUuid: Field<string>
  readonly ignoreHosts: Field<readonly string[]>
  readonly forceHosts: Field<readonly string[]>
  readonly forceNodes: Field<readonly string[]>
  readonly requestedDestination: Field<NovaDestination>
  readonly retry: Field<NovaRetry>
  readonly instanceGroup: Field<NovaGroup>
  readonly schedulerHints: Field<Readonly<Record<string, readonly string[]>>>
  readonly isBfv: Field<boolean>
  readonly limits: Field<NovaLimits>
  /** Names of security groups. */
  readonly securityGroups: Field<readonly string[]>
  readonly requestedResources: Field<readonly NovaRequestGroup[]>
  readonly requestLevelParams: Field<NovaRequestLevelParams>
  /** The number of requested networks. Except for the ports, the fields of a network have no effect on placement. */
  readonly requestedNetworks: Field<number>
  /** The uuids of the ports in the requested networks. */
  readonly requestedPorts: readonly string[]
}

/** Limits that an earlier placement wrote into the request for the chosen host. They have no effect on placement. */
export interface NovaLimits {
  readonly vcpu: Field<number>
  readonly memoryMb: Field<number>
  readonly diskGb: Field<number>
}

/** A resource group of Nova's request. In a granular request, one resource provider must have all of its resources. */
export interface NovaRequestGroup {
  readonly requesterId: Field<string>
  /** If this field is unset, it is treated as true, which is the default of Nova's object. */
  readonly useSameProvider: Field<boolean>
  readonly resources: Readonly<Record<string, number>>
  readonly requiredTraits: readonly string[]
  readonly forbiddenTraits: readonly string[]
  /** A list of lists of aggregate uuids. The host must be in at least one aggregate of each list. */
  readonly aggregates: readonly (readonly string[])[]
}

export interface NovaRequestLevelParams {
  readonly rootRequired: readonly string[]
  readonly rootForbidden: readonly string[]
  readonly sameSubtree: readonly (readonly string[])[]
}

export interface NovaFlavor {
  readonly name: string
  readonly flavorid: Field<string>
  readonly vcpus: number
  /** In MiB. */
  readonly memoryMb: number
  /** In GiB. */
  readonly rootGb: number
  /** In GiB. */
  readonly ephemeralGb: number
  /** In MiB. */
  readonly swap: number
  /** Unset if Nova had not loaded the extra specs. */
  readonly extraSpecs: Field<Readonly<Record<string, string>>>
}

export interface NovaImage {
  readonly id: Field<string>
  readonly minRam: Field<number>
  readonly minDisk: Field<number>
  readonly diskFormat?: Field<string>
  /** The properties that are set, with the names and types of Nova's newest image object. */
  readonly properties: ImageProperties
}

export interface NovaDestination {
  readonly host: Field<string>
  readonly node: Field<string>
  readonly cellUuid: Field<string>
  readonly allowCrossCellMove: Field<boolean>
  readonly aggregates: Field<readonly string[]>
  readonly forbiddenAggregates: Field<readonly string[]>
}

export interface NovaRetry {
  readonly numAttempts: Field<number>
  readonly hosts: readonly { readonly host: string; readonly node: string }[]
}

export interface NovaGroup {
  readonly uuid: Field<string>
  readonly policy: Field<string>
  readonly policies: Field<readonly string[]>
  /** The uuids of the group's instances. */
  readonly members: Field<readonly string[]>
  readonly hosts: Field<readonly string[]>
  readonly rules: Field<Readonly<Record<string, string>>>
  /** The hosts of members that `members` does not list, one entry for each member. Absent if all members are listed. */
  readonly unlistedAt?: readonly string[] | undefined
}

export interface NovaRequestRead {
  readonly request: NovaRequest
  readonly version: string
  /** Names of the fields that are set, including those that are null. */
  readonly set: readonly string[]
  /** Paths of fields in the document that have no effect, because this release does not know them. */
  readonly unknown: readonly string[]
}

/** Reads a RequestSpec of version 1.0 to 1.14. Throws WireError with the path of a wrong value. */
export function readNovaRequest(wire: unknown): NovaRequestRead {
  const spec = new WireObject(wire, 'spec', 'RequestSpec')
  spec.raw('id') // the id of a row in Nova's database
  const request: NovaRequest = {
    image: spec.object('image', readImage, 'ImageMeta'),
    flavor: spec.required('flavor', readFlavor, 'Flavor'),
    numaTopology: read(spec.raw('numa_topology'), readGuestTopology),
    pciRequests: read(spec.raw('pci_requests'), readPciRequests),
    networkMetadata: read(spec.raw('network_metadata'), readNetworkMetadata),
    projectId: spec.text('project_id'),
    userId: spec.text('user_id'),
    availabilityZone: spec.text('availability_zone'),
    numInstances: spec.number('num_instances') ?? 1,
    instanceUuid: spec.text('instance_uuid'),
    ignoreHosts: spec.texts('ignore_hosts'),
    forceHosts: spec.texts('force_hosts'),
    forceNodes: spec.texts('force_nodes'),
    requestedDestination: spec.object('requested_destination', readDestination, 'Destination'),
    retry: spec.object('retry', readRetry, 'SchedulerRetries'),
    instanceGroup: spec.object('instance_group', readGroup, 'InstanceGroup'),
    schedulerHints: readHints(spec),
    isBfv: spec.flag('is_bfv'),
    limits: spec.object('limits', readLimits, 'SchedulerLimits'),
    securityGroups: spec.objects('security_groups', (group) => group.text('name') ?? group.text('uuid') ?? '', 'SecurityGroup'),
    requestedResources: spec.objects('requested_resources', readRequestGroup, 'RequestGroup'),
    requestLevelParams: spec.object('request_level_params', readRequestLevelParams, 'RequestLevelParams'),
    requestedNetworks: countNetworks(spec.raw('requested_networks'), spec.path),
    requestedPorts: portsIn(spec.raw('requested_networks')),
  }
  return { request, version: spec.version, set: spec.set, unknown: spec.unread() }
}

/** Calls the reader for a field's value. A value that is unset or null is returned unchanged. */
export const read = <T>(value: unknown, reader: (value: unknown) => T): T | null | undefined =>
  value === undefined || value === null ? value : reader(value)

/**
 * A scheduler hint as Nova reads it. A list with one item becomes this item. Other lists are unchanged. Undefined if there is no such hint.
 */
export function hintOf({ schedulerHints }: NovaRequest, name: string): string | readonly string[] | undefined {
  const hint = schedulerHints != null && Object.hasOwn(schedulerHints, name) ? schedulerHints[name] : undefined
  return hint?.length === 1 ? hint[0] : hint
}

/** The policy of a server group. Before InstanceGroup 1.11, groups had a list of policies with one item. */
export const policyOf = ({ policy, policies }: NovaGroup): Field<string> => (policy === undefined ? policies?.[0] : policy)

const FLAVOR_SILENT = ['id', 'rxtx_factor', 'vcpu_weight', 'disabled', 'is_public', 'description', 'projects']
const RECORD_SILENT = ['created_at', 'updated_at', 'deleted_at', 'deleted']

export function readFlavor(flavor: WireObject): NovaFlavor {
  for (const field of [...FLAVOR_SILENT, ...RECORD_SILENT]) flavor.raw(field)
  return {
    name: flavor.text('name') ?? '',
    flavorid: flavor.text('flavorid'),
    vcpus: flavor.number('vcpus') ?? 0,
    memoryMb: flavor.number('memory_mb') ?? 0,
    rootGb: flavor.number('root_gb') ?? 0,
    ephemeralGb: flavor.number('ephemeral_gb') ?? 0,
    swap: flavor.number('swap') ?? 0,
    extraSpecs: flavor.pairs('extra_specs'),
  }
}

const IMAGE_SILENT = [
  'name',
  'status',
  'visibility',
  'protected',
  'checksum',
  'owner',
  'size',
  'virtual_size',
  'container_format',
  'direct_url',
]

function readImage(image: WireObject): NovaImage {
  for (const field of [...IMAGE_SILENT, ...RECORD_SILENT]) image.raw(field)
  const properties = image.raw('properties')
  return {
    id: image.text('id'),
    minRam: image.number('min_ram'),
    minDisk: image.number('min_disk'),
    diskFormat: image.text('disk_format'),
    // All fields of ImageMetaProps are accepted as properties, so none is reported as unknown.
    properties: imagePropertiesOf(isJson(properties) && isJson(properties['nova_object.data']) ? properties['nova_object.data'] : {}),
  }
}

const imagePropertiesOf = (data: Readonly<Record<string, unknown>>): ImageProperties =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, pythonValueOf(value)]))

function readDestination(destination: WireObject): NovaDestination {
  return {
    host: destination.text('host'),
    node: destination.text('node'),
    cellUuid: destination.object(
      'cell',
      (cell) => {
        for (const field of ['id', 'name', 'transport_url', 'database_connection', 'disabled', ...RECORD_SILENT]) cell.raw(field)
        return cell.text('uuid') ?? ''
      },
      'CellMapping',
    ),
    allowCrossCellMove: destination.flag('allow_cross_cell_move'),
    aggregates: destination.texts('aggregates'),
    forbiddenAggregates: destination.texts('forbidden_aggregates'),
  }
}

function readRetry(retry: WireObject): NovaRetry {
  const hosts = retry.objects(
    'hosts',
    (node) => ({ host: node.text('host') ?? '', node: node.text('hypervisor_hostname') ?? '' }),
    'ComputeNode',
  )
  return { numAttempts: retry.number('num_attempts'), hosts: hosts ?? [] }
}

function readGroup(group: WireObject): NovaGroup {
  for (const field of ['id', 'name', 'project_id', 'user_id', 'metadetails', ...RECORD_SILENT]) group.raw(field)
  return {
    uuid: group.text('uuid'),
    policy: group.text('policy'),
    policies: group.texts('policies'),
    members: group.texts('members'),
    hosts: group.texts('hosts'),
    rules: group.pairs('_rules'),
  }
}

const readLimits = (limits: WireObject): NovaLimits => {
  limits.raw('numa_topology') // Nova writes it for a second check on the host
  return { vcpu: limits.number('vcpu'), memoryMb: limits.number('memory_mb'), diskGb: limits.number('disk_gb') }
}

function readRequestGroup(group: WireObject): NovaRequestGroup {
  // Fields without effect here. They are reported as unknown if they have a value. The service refuses a request with one of the last two
  // (granular-groups.ts).
  group.rawIfEmpty('provider_uuids')
  group.rawIfEmpty('in_tree')
  group.rawIfEmpty('forbidden_aggregates')
  return {
    requesterId: group.text('requester_id'),
    useSameProvider: group.flag('use_same_provider'),
    resources: amountsOf(group),
    requiredTraits: group.texts('required_traits') ?? [],
    forbiddenTraits: group.texts('forbidden_traits') ?? [],
    aggregates: listsOf(group, 'aggregates'),
  }
}

const readRequestLevelParams = (params: WireObject): NovaRequestLevelParams => ({
  rootRequired: params.texts('root_required') ?? [],
  rootForbidden: params.texts('root_forbidden') ?? [],
  sameSubtree: listsOf(params, 'same_subtree'),
})

function amountsOf(group: WireObject): Readonly<Record<string, number>> {
  const resources = group.json('resources') ?? {}
  return Object.fromEntries(
    Object.entries(resources).map(([name, amount]) => {
      if (typeof amount !== 'number') throw new WireError(`${group.path}.resources.${name}`, amount, 'a number')
      return [name, amount]
    }),
  )
}

function listsOf(object: WireObject, field: string): readonly (readonly string[])[] {
  const value = object.raw(field) ?? []
  if (!Array.isArray(value)) throw new WireError(`${object.path}.${field}`, value, 'a list')
  return value.map((one: unknown, i) => {
    const list: readonly unknown[] = Array.isArray(one) ? one : [one]
    if (list.every((text) => typeof text === 'string')) return list
    throw new WireError(`${object.path}.${field}.${i}`, one, 'a text, or a list of texts')
  })
}

function countNetworks(value: unknown, path: string): Field<number> {
  if (value === undefined || value === null) return value
  const list = isJson(value) && isJson(value['nova_object.data']) ? value['nova_object.data'].objects : value
  if (!Array.isArray(list)) throw new WireError(`${path}.requested_networks`, value, 'a list of NetworkRequest')
  return list.length
}

/** The uuids of the ports in a list of requested networks. */
function portsIn(value: unknown): readonly string[] {
  const list = isJson(value) && isJson(value['nova_object.data']) ? value['nova_object.data'].objects : value
  if (!Array.isArray(list)) return []
  return list.flatMap((network: unknown) => {
    const data = isJson(network) && isJson(network['nova_object.data']) ? network['nova_object.data'] : {}
    return typeof data.port_id === 'string' ? [data.port_id] : []
  })
}

function readHints(spec: WireObject): NovaRequest['schedulerHints'] {
  const hints = spec.json('scheduler_hints')
  if (hints === undefined || hints === null) return hints
  return Object.fromEntries(
    Object.entries(hints).map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : [String(value)]]),
  )
}
