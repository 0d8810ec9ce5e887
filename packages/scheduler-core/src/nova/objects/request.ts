import { type Field, isJson, isOlder, WireObject } from './wire.ts'

/** Nova's RequestSpec as its scheduler reads it. `undefined` = unset, `null` = set to nothing. Nothing ever changes it. */
export interface NovaRequest {
  readonly image: Field<NovaImage>
  readonly flavor: NovaFlavor
  /** The versioned object InstanceNUMATopology on the wire. */
  readonly numaTopology: unknown
  /** The versioned object InstancePCIRequests on the wire. */
  readonly pciRequests: unknown
  /** The versioned object NetworkMetadata on the wire. */
  readonly networkMetadata: unknown
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
}

export interface NovaFlavor {
  readonly name: string
  readonly flavorid: Field<string>
  readonly vcpus: number
  /** MiB */
  readonly memoryMb: number
  /** GiB */
  readonly rootGb: number
  /** GiB */
  readonly ephemeralGb: number
  /** MiB */
  readonly swap: number
  /** Unset: the sender did not load them. */
  readonly extraSpecs: Field<Readonly<Record<string, string>>>
}

export interface NovaImage {
  readonly id: Field<string>
  readonly minRam: Field<number>
  readonly minDisk: Field<number>
  /** Only the properties that are set, with Nova's names and types of this release. */
  readonly properties: Readonly<Record<string, unknown>>
}

export interface NovaDestination {
  readonly host: Field<string>
  readonly node: Field<string>
  readonly cellUuid: Field<string>
  readonly allowCrossCellMove: boolean
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
  /** Instance uuids. */
  readonly members: Field<readonly string[]>
  readonly hosts: Field<readonly string[]>
  readonly rules: Field<Readonly<Record<string, string>>>
}

export interface NovaRequestRead {
  readonly request: NovaRequest
  readonly version: string
  /** Paths of fields that are set and that this release does not know. */
  readonly unknown: readonly string[]
}

/** Fields that Nova's scheduler does not read either; they are kept, and say nothing about placing. */
const SILENT = ['id', 'limits', 'requested_resources', 'request_level_params', 'requested_networks', 'security_groups', 'user_id']

/** Reads a RequestSpec of versions 1.0 to 1.14. Throws WireError with path, found and allowed. */
export function readNovaRequest(wire: unknown): NovaRequestRead {
  const spec = new WireObject(wire, 'spec', 'RequestSpec')
  for (const field of SILENT) spec.raw(field)
  const request: NovaRequest = {
    image: spec.object('image', readImage, 'ImageMeta'),
    flavor: readFlavor(new WireObject(spec.raw('flavor'), 'spec.flavor', 'Flavor')),
    numaTopology: spec.raw('numa_topology'),
    pciRequests: spec.raw('pci_requests'),
    networkMetadata: spec.raw('network_metadata'),
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
  }
  return { request, version: spec.version, unknown: spec.unread() }
}

/** A hint as Nova reads it: a list of one is its only word; a longer or an empty list stays a list; absent is `undefined`. */
export function hintOf({ schedulerHints }: NovaRequest, name: string): string | readonly string[] | undefined {
  const hint = schedulerHints != null && Object.hasOwn(schedulerHints, name) ? schedulerHints[name] : undefined
  return hint?.length === 1 ? hint[0] : hint
}

const FLAVOR_SILENT = ['id', 'rxtx_factor', 'vcpu_weight', 'disabled', 'is_public', 'description', 'projects']
const RECORD_SILENT = ['created_at', 'updated_at', 'deleted_at', 'deleted']

function readFlavor(flavor: WireObject): NovaFlavor {
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
  'disk_format',
  'direct_url',
]

function readImage(image: WireObject): NovaImage {
  for (const field of [...IMAGE_SILENT, ...RECORD_SILENT]) image.raw(field)
  const properties = image.raw('properties')
  return {
    id: image.text('id'),
    minRam: image.number('min_ram'),
    minDisk: image.number('min_disk'),
    // every field of ImageMetaProps is a property: none is unknown
    properties: isJson(properties) && isJson(properties['nova_object.data']) ? properties['nova_object.data'] : {},
  }
}

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
    allowCrossCellMove: destination.flag('allow_cross_cell_move') ?? false,
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
  const policies = group.texts('policies')
  const policy = group.text('policy')
  return {
    uuid: group.text('uuid'),
    // before 1.11 there was only the list
    policy: policy === undefined && isOlder(group.version, '1.11') ? policies?.[0] : policy,
    policies,
    members: group.texts('members'),
    hosts: group.texts('hosts'),
    rules: group.pairs('_rules'),
  }
}

function readHints(spec: WireObject): NovaRequest['schedulerHints'] {
  const hints = spec.json('scheduler_hints')
  if (hints === undefined || hints === null) return hints
  return Object.fromEntries(
    Object.entries(hints).map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : [String(value)]]),
  )
}
