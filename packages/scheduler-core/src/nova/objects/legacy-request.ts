import { type Field, isJson, WireError, WireObject } from '../../report/versioned-object.ts'
import { readPciRequests } from '../hardware/read-pci.ts'
import { readGuestTopology } from '../hardware/read-topology.ts'
import { readImageProperties } from '../text/image-properties.ts'
import { type NovaFlavor, type NovaGroup, type NovaRequest, read, readFlavor } from './request.ts'

type Json = Readonly<Record<string, unknown>>

export interface LegacyRequest {
  /**
   * The result of Nova's `build_request_spec`: a dictionary with image, instance_properties, instance_type, num_instances and, from Juno
   * on, instance_uuids.
   */
  readonly request_spec: unknown
  /** The dictionary with the hints, ignored and forced hosts, tried hosts, limits, and the server group. */
  readonly filter_properties: unknown
}

/** Reads the dictionaries that Nova used before RequestSpec existed. Throws WireError with the path of a wrong value. */
export function readLegacyRequest({ request_spec, filter_properties }: LegacyRequest): NovaRequest {
  const spec = objectAt(request_spec, 'request_spec')
  const properties = objectAt(filter_properties ?? {}, 'filter_properties')
  const instance = fieldsAt(spec.instance_properties ?? {}, 'request_spec.instance_properties')
  const uuids = textsAt(spec.instance_uuids, 'request_spec.instance_uuids')
  return {
    image: readImage(spec.image),
    flavor: readType(spec.instance_type ?? properties.instance_type),
    numaTopology: read(instance.numa_topology ?? null, readGuestTopology),
    pciRequests: read(instance.pci_requests ?? properties.pci_requests ?? null, readPciRequests),
    networkMetadata: undefined,
    projectId: textAt(instance.project_id, 'request_spec.instance_properties.project_id'),
    userId: textAt(instance.user_id, 'request_spec.instance_properties.user_id'),
    availabilityZone: textAt(instance.availability_zone, 'request_spec.instance_properties.availability_zone'),
    numInstances: numberAt(spec.num_instances, 'request_spec.num_instances') ?? uuids?.length ?? 1,
    instanceUuid: textAt(instance.uuid, 'request_spec.instance_properties.uuid') ?? uuids?.[0],
    ignoreHosts: textsAt(properties.ignore_hosts, 'filter_properties.ignore_hosts'),
    forceHosts: textsAt(properties.force_hosts, 'filter_properties.force_hosts'),
    forceNodes: textsAt(properties.force_nodes, 'filter_properties.force_nodes'),
    requestedDestination: null,
    retry: readRetry(properties.retry),
    instanceGroup: readGroup(properties),
    schedulerHints: readHints(properties.scheduler_hints ?? {}),
    isBfv: undefined,
    limits: readLimits(properties.limits),
    securityGroups: undefined,
    requestedResources: null,
    requestLevelParams: undefined,
    requestedNetworks: undefined,
    requestedPorts: [],
  }
}

/** Reads a flavor. It is a dictionary in older releases, and a versioned object in newer ones. */
function readType(value: unknown): NovaFlavor {
  const path = 'request_spec.instance_type'
  const fields = objectAt(value, path)
  const isObject = Object.hasOwn(fields, 'nova_object.data')
  const wire = isObject ? fields : { 'nova_object.name': 'Flavor', 'nova_object.version': '1.0', 'nova_object.data': fields }
  return readFlavor(new WireObject(wire, path, 'Flavor'))
}

function readImage(value: unknown): NovaRequest['image'] {
  if (value === undefined || value === null) return null
  const image = objectAt(value, 'request_spec.image')
  const properties = objectAt(image.properties ?? {}, 'request_spec.image.properties')
  return {
    id: textAt(image.id, 'request_spec.image.id'),
    minRam: numberAt(image.min_ram, 'request_spec.image.min_ram'),
    minDisk: numberAt(image.min_disk, 'request_spec.image.min_disk'),
    diskFormat: textAt(image.disk_format, 'request_spec.image.disk_format'),
    properties: readImageProperties(properties),
  }
}

function readRetry(value: unknown): NovaRequest['retry'] {
  const retry = objectAt(value ?? {}, 'filter_properties.retry')
  if (Object.keys(retry).length === 0) return null
  const hosts = Array.isArray(retry.hosts) ? retry.hosts : []
  return {
    numAttempts: numberAt(retry.num_attempts, 'filter_properties.retry.num_attempts'),
    hosts: hosts.map((pair: unknown, i) => {
      if (!Array.isArray(pair) || pair.length !== 2)
        throw new WireError(`filter_properties.retry.hosts.${i}`, pair, 'a pair of host and node')
      return { host: String(pair[0]), node: String(pair[1]) }
    }),
  }
}

/** Reads the server group, whose fields are separate entries of `filter_properties`. Null if Nova had not looked up the group. */
function readGroup(properties: Json): Field<NovaGroup> {
  if (properties.group_updated !== true) return null
  const policies = textsAt(properties.group_policies, 'filter_properties.group_policies')
  const members = textsAt(properties.group_members, 'filter_properties.group_members')
  const hosts = textsAt(properties.group_hosts, 'filter_properties.group_hosts')
  return {
    uuid: textAt(properties.group_uuid, 'filter_properties.group_uuid'),
    policy: policies?.[0],
    policies,
    members,
    hosts,
    rules: undefined,
    // Before Mitaka, the dictionaries had the hosts of a group instead of its members.
    unlistedAt: members === undefined ? (hosts ?? []) : undefined,
  }
}

function readLimits(value: unknown): NovaRequest['limits'] {
  const limits = objectAt(value ?? {}, 'filter_properties.limits')
  const of = (name: string) => numberAt(limits[name], `filter_properties.limits.${name}`)
  return { vcpu: of('vcpu'), memoryMb: of('memory_mb'), diskGb: of('disk_gb') }
}

function readHints(value: unknown): NovaRequest['schedulerHints'] {
  const hints = objectAt(value, 'filter_properties.scheduler_hints')
  return Object.fromEntries(Object.entries(hints).map(([name, hint]) => [name, Array.isArray(hint) ? hint.map(String) : [String(hint)]]))
}

/** The fields of a value that is a dictionary or a versioned object. */
function fieldsAt(value: unknown, path: string): Json {
  const fields = objectAt(value, path)
  return Object.hasOwn(fields, 'nova_object.data') ? objectAt(fields['nova_object.data'], path) : fields
}

function objectAt(value: unknown, path: string): Json {
  if (isJson(value)) return value
  throw new WireError(path, value, 'an object')
}

function textAt(value: unknown, path: string): Field<string> {
  if (value === undefined || value === null || typeof value === 'string') return value
  throw new WireError(path, value, 'a string or null')
}

function numberAt(value: unknown, path: string): Field<number> {
  if (value === undefined || value === null || typeof value === 'number') return value
  throw new WireError(path, value, 'a number or null')
}

function textsAt(value: unknown, path: string): Field<readonly string[]> {
  if (value === undefined || value === null) return value
  if (!Array.isArray(value)) throw new WireError(path, value, 'a list of strings, or null')
  const wrong = value.findIndex((one) => typeof one !== 'string')
  if (wrong !== -1) throw new WireError(`${path}.${wrong}`, value[wrong], 'a string')
  return value
}
