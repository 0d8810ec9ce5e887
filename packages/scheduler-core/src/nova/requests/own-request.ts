import type { Fleet } from '../../fleet/fleet.ts'
import { presentHosts, presentName } from '../../fleet/present-names.ts'
import { isLive } from '../../records/claim.ts'
import type { NumaCellRequest, RequestSpec } from '../../request/request-spec.ts'
import { GROUP_HOSTS, NULL_DESTINATIONS, PRESENT_IN_NOVA } from '../../values/levels.ts'
import { memoByObject } from '../../values/memo.ts'
import { type GuestCell, type GuestTopology, PAGES } from '../hardware/topology.ts'
import { readLegacyRequest } from '../objects/legacy-request.ts'
import { type NovaDestination, type NovaGroup, type NovaImage, type NovaRequest, policyOf, readNovaRequest } from '../objects/request.ts'
import { readImageProperties } from '../text/image-properties.ts'
import { NovaError } from '../text/nova-error.ts'

/**
 * Converts a request of this service to a NovaRequest. Cached. A request in Nova's form is read from Nova's document, with the host names
 * that this service changed later. Throws NovaError for an image property that Nova's image objects refuse.
 */
export const novaRequestOf: (spec: RequestSpec) => NovaRequest = memoByObject((spec) =>
  spec.nova === null ? fromTyped(spec) : withHostsAndGroup(readDocument(spec.nova), spec),
)

/** Like `novaRequestOf`. Undefined if Nova cannot read the request. */
export function readableRequestOf(spec: RequestSpec): NovaRequest | undefined {
  try {
    return novaRequestOf(spec)
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return undefined
  }
}

/** The NovaRequest of a request, by the rules of a feature level. */
export function novaRequestAt(featureLevel: number, spec: RequestSpec): NovaRequest {
  const read = novaRequestOf(spec)
  const request = featureLevel < GROUP_HOSTS ? read : withOnePolicy(read)
  const { requestedDestination } = request
  return featureLevel >= NULL_DESTINATIONS && requestedDestination?.host === null
    ? { ...request, requestedDestination: { ...requestedDestination, host: undefined } }
    : request
}

/**
 * The request with the policy of its server group in both fields. Some of Nova's filters read the list `policies` of older releases, and
 * others the newer field `policy`. Documents of a release have only one of them.
 */
function withOnePolicy(request: NovaRequest): NovaRequest {
  const { instanceGroup } = request
  const policy = instanceGroup ? policyOf(instanceGroup) : undefined
  return instanceGroup && policy ? { ...request, instanceGroup: { ...instanceGroup, policy, policies: [policy] } } : request
}

/**
 * The NovaRequest of a request on a fleet. Renamed hosts in its server group and in the tried hosts have their current names. The members
 * of the group include those with claims.
 */
export function novaRequestOn(fleet: Fleet, spec: RequestSpec): NovaRequest {
  const asked = novaRequestAt(fleet.featureLevel, spec)
  const request = fleet.featureLevel < PRESENT_IN_NOVA ? asked : withPresentNames(fleet, asked)
  const { instanceGroup } = request
  const group = spec.instanceGroup === null ? undefined : fleet.groups.find(spec.instanceGroup.uuid)
  // Hosts that are null stay null, because Nova raises an exception for them.
  if (!instanceGroup || instanceGroup.hosts === null || group === undefined) return request
  const records = [...group.members.keys()].map((host) => fleet.hosts.get(host))
  const members = records.flatMap(({ claims }) =>
    [...claims].flatMap((claim) => (claim.group === group.uuid && claim.instance !== null && isLive(claim) ? claim.instance : [])),
  )
  return {
    ...request,
    instanceGroup: {
      ...instanceGroup,
      hosts: union(
        instanceGroup.hosts ?? [],
        records.map(({ host }) => host),
      ),
      members: union(instanceGroup.members ?? [], members),
    },
  }
}

function withPresentNames({ hosts }: Fleet, request: NovaRequest): NovaRequest {
  const { instanceGroup, retry } = request
  return {
    ...request,
    ...(instanceGroup?.hosts && { instanceGroup: { ...instanceGroup, hosts: presentHosts(hosts, instanceGroup.hosts) } }),
    ...(retry && { retry: { ...retry, hosts: retry.hosts.map((tried) => presentName(hosts, tried)) } }),
  }
}

const union = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])]

const readDocument = ({ form, document }: NonNullable<RequestSpec['nova']>): NovaRequest =>
  form === 'RequestSpec'
    ? readNovaRequest(document).request
    : readLegacyRequest({ request_spec: document.request_spec, filter_properties: document.filter_properties })

/**
 * Takes the hosts and the group from the request if they differ from Nova's document. They differ in decisions of older releases, after
 * hosts were renamed, if only a hint names the group, and if the document has no field for a change.
 */
function withHostsAndGroup(read: NovaRequest, spec: RequestSpec): NovaRequest {
  const names = (field: NameField) => (sameNames(read[field], spec[field]) ? read[field] : spec[field])
  const { host = null, node = null } = spec.requestedDestination ?? {}
  return {
    ...read,
    // Nova sets the uuid of each instance in turn, from the list that is sent in addition to the document.
    instanceUuid: spec.instanceUuids[0] ?? read.instanceUuid,
    ignoreHosts: names('ignoreHosts'),
    forceHosts: names('forceHosts'),
    forceNodes: names('forceNodes'),
    // If only the host changes, the Nova cell and the aggregates of the destination stay.
    requestedDestination: isSameDestination(read, spec)
      ? read.requestedDestination
      : { ...destinationOf(host, node), ...read.requestedDestination, ...hereOf(host, node) },
    instanceGroup: isSameGroup(read, spec) ? withHosts(read.instanceGroup, spec) : spec.instanceGroup && groupOf(spec.instanceGroup),
  }
}

type NameField = 'ignoreHosts' | 'forceHosts' | 'forceNodes'

function isSameDestination({ requestedDestination: read }: NovaRequest, { requestedDestination: asked }: RequestSpec): boolean {
  return (read?.host ?? null) === (asked?.host ?? null) && (read?.node ?? null) === (asked?.node ?? null)
}

const isSameGroup = ({ instanceGroup: read }: NovaRequest, { instanceGroup: asked }: RequestSpec): boolean =>
  (read?.uuid?.toLowerCase() ?? null) === (asked?.uuid ?? null)

/** The fields of hosts and of the group that differ between a request in Nova's form and its document (`withHostsAndGroup`). */
export function fieldsApart(spec: RequestSpec): readonly (NameField | 'requestedDestination' | 'instanceGroup')[] {
  const { nova } = spec
  if (nova === null || readableRequestOf(spec) === undefined) return []
  const read = readDocument(nova)
  return [
    ...(['ignoreHosts', 'forceHosts', 'forceNodes'] as const).filter((field) => !sameNames(read[field], spec[field])),
    ...(isSameDestination(read, spec) ? [] : (['requestedDestination'] as const)),
    ...(isSameGroup(read, spec) && isSameRule(read, spec) ? [] : (['instanceGroup'] as const)),
  ]
}

/**
 * Returns true if the group of the document has the rule of the request. Decisions read the rule from the document if the uuid is the same
 * (`withHostsAndGroup`), so a request with another rule must be written into the document.
 */
function isSameRule({ instanceGroup: read }: NovaRequest, { instanceGroup: asked }: RequestSpec): boolean {
  if (!read || asked === null) return true
  const { policy, rules } = groupOf(asked)
  const most = rules?.max_server_per_host
  return (read.policy ?? read.policies?.[0]) === policy && (most === undefined || read.rules?.max_server_per_host === most)
}

/**
 * Replaces the hosts of group members without a uuid (`unlistedAt`) by the hosts in the request, which are the current names of renamed
 * hosts.
 */
const withHosts = (group: NovaRequest['instanceGroup'], { instanceGroup }: RequestSpec): NovaRequest['instanceGroup'] =>
  group?.unlistedAt === undefined || instanceGroup === null ? group : { ...group, unlistedAt: instanceGroup.hosts }

const sameNames = (a: readonly string[] | null | undefined, b: readonly string[]): boolean =>
  (a ?? []).length === b.length && (a ?? []).every((name, i) => name === b[i])

const hereOf = (host: string | null, node: string | null) => ({ host: host ?? undefined, node: node ?? undefined })

const destinationOf = (host: string | null, node: string | null): NovaDestination => ({
  ...hereOf(host, node),
  cellUuid: undefined,
  allowCrossCellMove: undefined,
  aggregates: undefined,
  forbiddenAggregates: undefined,
})

const fromTyped = (spec: RequestSpec): NovaRequest => ({
  image: spec.image && imageOf(spec.image),
  flavor: {
    name: spec.flavor.name ?? '',
    flavorid: undefined,
    vcpus: spec.flavor.vcpus,
    memoryMb: spec.flavor.memoryMb,
    rootGb: spec.isBfv ? 0 : spec.flavor.rootGb,
    ephemeralGb: spec.flavor.ephemeralGb,
    swap: spec.flavor.swapMb,
    extraSpecs: spec.flavor.extraSpecs,
  },
  numaTopology: spec.numaTopology && topologyOf(spec.numaTopology),
  pciRequests: spec.pciRequests.map(({ count, specs, numaPolicy, alias }) => ({ count, spec: specs, numaPolicy, alias })),
  networkMetadata: undefined,
  projectId: spec.projectId,
  userId: spec.userId,
  availabilityZone: spec.availabilityZone,
  numInstances: spec.numInstances,
  instanceUuid: spec.instanceUuids[0],
  ignoreHosts: spec.ignoreHosts,
  forceHosts: spec.forceHosts,
  forceNodes: spec.forceNodes,
  requestedDestination: spec.requestedDestination && {
    ...destinationOf(spec.requestedDestination.host, spec.requestedDestination.node),
    aggregates: spec.requestedDestination.aggregates,
  },
  retry: null,
  instanceGroup: spec.instanceGroup && groupOf(spec.instanceGroup),
  schedulerHints: spec.schedulerHints,
  isBfv: spec.isBfv,
  limits: undefined,
  securityGroups: undefined,
  requestedResources: undefined,
  requestLevelParams: undefined,
  requestedNetworks: undefined,
  requestedPorts: spec.ports,
})

const imageOf = ({ id, architecture, minRamMb, minDiskGb, properties }: NonNullable<RequestSpec['image']>): NovaImage => ({
  id,
  minRam: minRamMb,
  minDisk: minDiskGb,
  diskFormat: properties.disk_format,
  properties: readImageProperties(architecture === null ? properties : { architecture, ...properties }),
})

const topologyOf = ({ cells, emulatorThreadsPolicy }: NonNullable<RequestSpec['numaTopology']>): GuestTopology => ({
  cells: cells.map(cellOf),
  emulatorThreadsPolicy,
})

function cellOf({ id, cpus, memoryMb, cpuPolicy, dedicatedCpus, cpuThreadPolicy, pageSize }: NumaCellRequest): GuestCell {
  const pinned = cpuPolicy === 'dedicated' ? cpus : dedicatedCpus
  const own = new Set(pinned)
  return {
    id,
    cpuset: cpus.filter((cpu) => !own.has(cpu)),
    pcpuset: pinned,
    memory: memoryMb,
    pagesize: typeof pageSize === 'string' ? PAGES[pageSize] : pageSize,
    cpuPolicy,
    cpuThreadPolicy,
    cpuPinning: null,
    cpusetReserved: null,
  }
}

function groupOf({ uuid, policy, maxServerPerHost, hosts }: NonNullable<RequestSpec['instanceGroup']>): NovaGroup {
  const name = policy.toLowerCase().replaceAll('_', '-')
  return {
    uuid,
    policy: name,
    policies: [name],
    members: [],
    hosts,
    unlistedAt: hosts,
    rules: maxServerPerHost === null ? {} : { max_server_per_host: String(maxServerPerHost) },
  }
}
