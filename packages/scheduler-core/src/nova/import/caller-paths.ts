import { fieldsOf, isJson } from '../../report/versioned-object.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { memoByObject } from '../../values/memo.ts'
import { readLegacyRequest } from '../objects/legacy-request.ts'
import { type NovaRequest, readNovaRequest } from '../objects/request.ts'
import { givenNamesOf } from '../text/image-properties.ts'

type Path = readonly string[]

/** A request in one of Nova's forms, as the caller sent it. */
export interface WrittenRequest {
  readonly form: NonNullable<RequestSpec['nova']>['form']
  readonly document: unknown
}

/**
 * An import converts Nova's document to Gantt's form. Given a path in Gantt's form, returns the path in Nova's document from which the
 * value came. The returned path does not contain the keys `nova_object.data`.
 */
export const callerPath = (nova: WrittenRequest, path: Path): Path => callerPaths(nova, path)[0] ?? []

/** Like `callerPath`, but returns several paths for an image property that was made from several properties of the document. */
export function callerPaths(nova: WrittenRequest, path: Path): readonly Path[] {
  const [field, part, name, ...deeper] = path
  if (nova.form === 'RequestSpec' || field !== 'image' || part !== 'properties' || name === undefined) return [pathOf(nova, path)]
  const raw = fieldsOf(fieldsOf(fieldsOf(fieldsOf(nova.document).request_spec).image).properties)
  return givenNamesOf(raw, name).map((key) => ['request_spec', 'image', part, key, ...deeper])
}

function pathOf(nova: WrittenRequest, path: Path): Path {
  const [field, ...rest] = path
  if (field === undefined || field === 'nova') return []
  if (field === 'requestedResources') return resourcesPath(nova, rest)
  if (field === 'pciRequests') return devicesPath(nova, rest)
  if (field === 'ports') return portsPath(nova, rest)
  if (field === 'instanceUuids') return instancesPath(nova, rest)
  if (field === 'schedulerHints') return hintsPath(nova, rest)
  return nova.form === 'RequestSpec' ? snake(path) : legacyPath(nova.document, field, rest)
}

/** Fields whose names in Nova are not simply this service's names in snake case, by their parent field. */
const OTHERS: Readonly<Record<string, Readonly<Record<string, Path>>>> = {
  flavor: { swapMb: ['swap'] },
  image: { minRamMb: ['min_ram'], minDiskGb: ['min_disk'], architecture: ['properties', 'hw_architecture'] },
  instanceGroup: { maxServerPerHost: ['_rules', 'max_server_per_host'] },
  numaTopology: { cpus: ['cpuset'], memoryMb: ['memory'], dedicatedCpus: ['pcpuset'], pageSize: ['pagesize'] },
  pciRequests: { alias: ['alias_name'], specs: ['spec'] },
}

/** Maps in which the caller chooses the keys. Paths below them are not translated. */
const OPEN: ReadonlySet<string> = new Set(['extraSpecs', 'properties', 'schedulerHints', 'specs'])

function snake(path: Path): Path {
  const [field = ''] = path
  const open = path.findIndex((key) => OPEN.has(key))
  const end = open === -1 ? path.length : open + 1
  const named = path.slice(0, end).flatMap((key) => OTHERS[field]?.[key] ?? [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)])
  return [...named, ...path.slice(end)]
}

const SERVER_GROUP_FIELDS: Readonly<Record<string, string>> = {
  ...{ policy: 'group_policies', uuid: 'group_uuid', hosts: 'group_hosts', members: 'group_members' },
}

function legacyPath(document: unknown, field: string, rest: Path): Path {
  const spec = fieldsOf(fieldsOf(document).request_spec)
  switch (field) {
    case 'flavor':
      return [isJson(spec.instance_type) ? 'request_spec' : 'filter_properties', 'instance_type', ...snake([field, ...rest]).slice(1)]
    case 'image':
    case 'numInstances':
      return ['request_spec', ...snake([field, ...rest])]
    case 'instanceGroup':
      return [
        'filter_properties',
        ...(rest[0] === undefined ? ['group_policies'] : [SERVER_GROUP_FIELDS[rest[0]] ?? rest[0], ...rest.slice(1)]),
      ]
    case 'projectId':
    case 'userId':
    case 'availabilityZone':
    case 'numaTopology':
      return ['request_spec', 'instance_properties', ...snake([field, ...rest])]
    default:
      return ['filter_properties', ...snake([field, ...rest])]
  }
}

/** Translates a path in the scheduler hints. A single string in the document is a list with one item in Gantt's form. */
function hintsPath({ form, document }: WrittenRequest, [name, ...rest]: Path): Path {
  const ofFilters = fieldsOf(document).filter_properties
  const hints = fieldsOf(fieldsOf(form === 'legacy' ? ofFilters : document).scheduler_hints)
  const at = [...(form === 'legacy' ? ['filter_properties'] : []), 'scheduler_hints']
  if (name === undefined) return at
  return [...at, name, ...(typeof hints[name] === 'string' ? [] : rest)]
}

/**
 * Translates a path in the resource groups. Gantt's form has more groups than the document: one for each list of aggregates in a group
 * except the first list, one for each list of aggregates of the destination except the first list, and one for the traits of the root
 * provider.
 */
function resourcesPath(nova: WrittenRequest, [position, field, ...rest]: Path): Path {
  if (position === undefined) return ['requested_resources']
  const { groups, requestedDestination, requestLevelParams } = resourcesOf(nova)
  const found = groups[Number(position)]
  if (found !== undefined) {
    if (field === undefined) return found.at
    if (field === 'amounts') return [...found.at, 'resources', ...found.classes.slice(Number(rest[0])).slice(0, 1)]
    return [...found.at, GROUP_FIELDS[field] ?? field, ...rest]
  }
  const beyond = Number(position) - groups.length
  if (beyond < (requestedDestination?.aggregates ?? []).length - 1) return ['requested_destination', 'aggregates', String(beyond + 1)]
  return requestLevelParams ? ['request_level_params', ...(field === undefined ? [] : [ROOT_FIELDS[field] ?? field]), ...rest] : []
}

/** The resource groups of a request in the order of Gantt's form. Cached, because the document is read for them. */
const resourcesOf = memoByObject((nova: WrittenRequest) => {
  const { requestedResources, requestedDestination, requestLevelParams } = requestOf(nova)
  const groups = (requestedResources ?? []).flatMap(({ resources, aggregates }, i) => {
    const group = { classes: Object.keys(resources), at: ['requested_resources', String(i)] }
    return Array.from({ length: Math.max(1, aggregates.length) }, () => group)
  })
  return { groups, requestedDestination, requestLevelParams }
})

const GROUP_FIELDS: Readonly<Record<string, string>> = {
  suffix: 'requester_id',
  requiredTraits: 'required_traits',
  forbiddenTraits: 'forbidden_traits',
  memberOf: 'aggregates',
}
const ROOT_FIELDS: Readonly<Record<string, string>> = { requiredTraits: 'root_required', forbiddenTraits: 'root_forbidden' }

/**
 * Translates a path in the list of instance uuids. A RequestSpec has a single `instance_uuid`. The dictionaries have a list, or only the
 * properties of the first instance.
 */
function instancesPath({ form, document }: WrittenRequest, rest: Path): Path {
  if (form === 'RequestSpec') return ['instance_uuid']
  const { instance_uuids } = fieldsOf(fieldsOf(document).request_spec)
  return ['request_spec', ...(Array.isArray(instance_uuids) ? ['instance_uuids', ...rest] : ['instance_properties', 'uuid'])]
}

/** Translates a path in the device requests. Indexes differ, because Gantt's form leaves out requests for zero devices. */
function devicesPath(nova: WrittenRequest, [position, ...rest]: Path): Path {
  const { at, taken } = devicesOf(nova)
  if (position === undefined) return at
  const [, , ...inside] = snake(['pciRequests', position, ...rest])
  return [...at, taken[Number(position)] ?? position, ...inside]
}

/** The path of the device requests, and the indexes of those for at least one device. Cached, because the list can be long. */
const devicesOf = memoByObject((nova: WrittenRequest) => {
  const { at, list } = devicesIn(nova)
  return { at, taken: list.flatMap((one, i) => (Number(fieldsOf(one).count) > 0 ? [String(i)] : [])) }
})

/** The list of device requests in a document, and the path of the list. */
export function devicesIn({ form, document }: WrittenRequest): { readonly at: Path; readonly list: readonly unknown[] } {
  const { request_spec, filter_properties, pci_requests } = fieldsOf(document)
  const ofInstance = fieldsOf(fieldsOf(request_spec).instance_properties).pci_requests ?? undefined
  const [at, given] =
    form === 'RequestSpec'
      ? [['pci_requests'], pci_requests]
      : ofInstance === undefined
        ? [['filter_properties', 'pci_requests'], fieldsOf(filter_properties).pci_requests]
        : [['request_spec', 'instance_properties', 'pci_requests'], ofInstance]
  if (Array.isArray(given)) return { at, list: given }
  if (!isJson(given) || (Object.hasOwn(given, 'nova_object.data') && !isJson(given['nova_object.data']))) return { at, list: [] }
  const { requests } = fieldsOf(given)
  return { at: [...at, 'requests'], list: Array.isArray(requests) ? requests : [] }
}

/**
 * Translates the path in an error about guest cells, device requests or images to a path in the document. `at` is the path in the error,
 * such as `numa_topology.cells[0].id`.
 */
export function readerPath(nova: WrittenRequest, at: string): Path {
  const [field = '', ...rest] = at.match(/[^.[\]]+/g) ?? []
  if (field === 'image') return callerPath(nova, [field, ...rest])
  if (field === 'pci_requests') return [...devicesIn(nova).at, ...rest]
  return field === 'numa_topology' ? [...callerPath(nova, ['numaTopology']), ...rest] : [field, ...rest]
}

/** Translates a path in the list of ports. In the document, a port is a field of a requested network. Some networks have no port. */
function portsPath(nova: WrittenRequest, [position]: Path): Path {
  const { at, withPorts } = portsOf(nova)
  return withPorts[Number(position ?? 0)] ?? at
}

/** The path of the requested networks, and the paths of their ports. Cached, because the list can be long. */
const portsOf = memoByObject(({ document }: WrittenRequest): { readonly at: Path; readonly withPorts: readonly Path[] } => {
  const given = fieldsOf(document).requested_networks
  const objects: unknown = Array.isArray(given) ? given : fieldsOf(given).objects
  const at = ['requested_networks', ...(Array.isArray(given) ? [] : ['objects'])]
  const withPorts = (Array.isArray(objects) ? objects : []).flatMap((network: unknown, i) =>
    typeof fieldsOf(network).port_id === 'string' ? [[...at, String(i), 'port_id']] : [],
  )
  return { at, withPorts }
})

function requestOf({ form, document }: WrittenRequest): NovaRequest {
  const { request_spec, filter_properties } = fieldsOf(document)
  return form === 'RequestSpec' ? readNovaRequest(document).request : readLegacyRequest({ request_spec, filter_properties })
}
