import { fieldsOf, isJson, refuseKeys, WireError } from '../../report/versioned-object.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { PciRequest, PciValue } from '../hardware/pci.ts'
import { migrateGuestTopology } from '../hardware/read-topology.ts'
import type { GuestCell, GuestTopology } from '../hardware/topology.ts'
import { type LegacyRequest, readLegacyRequest } from '../objects/legacy-request.ts'
import {
  type NovaDestination,
  type NovaFlavor,
  type NovaGroup,
  type NovaImage,
  type NovaRequest,
  type NovaRequestGroup,
  policyOf,
  readNovaRequest,
} from '../objects/request.ts'
import { pythonText } from '../text/python-text.ts'
import { readerPath } from './caller-paths.ts'
import { plainDictionaries } from './dictionaries.ts'
import { withoutChanges } from './document.ts'
import { attempt, type Imported, type ImportedDocument } from './import.ts'
import { unknownInDictionaries, unknownInSpec } from './unknown-keys.ts'

/**
 * Imports a RequestSpec, a versioned object of version 1.0 to 1.14. The input can also be `{ spec, instance_uuids }`, because Nova sends
 * the uuids of the instances separately. The result is a request in this service's form, to be parsed by parseRequestSpec.
 */
export const importNovaRequest = (given: unknown): Imported =>
  attempt(
    'spec.invalid',
    () => readSpec(given),
    { spec: rootOf(given) },
    (at) => [...rootOf(given), ...readerPath({ form: 'RequestSpec', document: unwrap(given).spec }, at)],
  )

/** Imports the dictionaries `request_spec` and `filter_properties`, which Nova used before RequestSpec existed. */
export const importLegacyRequest = (given: unknown): Imported =>
  attempt(
    'spec.invalid',
    () => readDictionaries(given),
    { legacy: [] },
    (at) => readerPath({ form: 'legacy', document: given }, at),
  )

function readSpec(given: unknown): ImportedDocument {
  const { spec: written, instanceUuids } = unwrap(given)
  const spec = withoutNullHints(written)
  const { request, version, unknown } = readNovaRequest(spec)
  if (!version.startsWith('1.')) throw new WireError('spec.nova_object.version', version, 'a version 1.x, preferably 1.0 to 1.14')
  const nova = { form: 'RequestSpec', document: withoutChanges(spec) } as const
  return {
    document: { ...documentOf(request, instanceUuids), nova },
    nova,
    root: rootOf(given),
    unknown: [...unknown, ...unknownInSpec(spec)],
  }
}

function readDictionaries(given: unknown): ImportedDocument {
  if (!isJson(given)) throw new WireError('legacy', given, 'an object with request_spec and filter_properties')
  const { request_spec, filter_properties, ...rest } = given
  const legacy: LegacyRequest = plainDictionaries({ request_spec, filter_properties })
  const request = readLegacyRequest(legacy)
  const uuids = isJson(request_spec) ? uuidsOf(request_spec.instance_uuids, 'request_spec.instance_uuids') : undefined
  const nova = { form: 'legacy', document: withoutChanges(legacy) } as const
  return {
    document: {
      ...documentOf(request, uuids, { policy: 'filter_properties.group_policies', uuid: 'filter_properties.group_uuid' }),
      nova,
    },
    nova,
    unknown: [...Object.keys(rest), ...unknownInDictionaries({ request_spec, filter_properties })],
  }
}

/** Removes scheduler hints that are null or a list of only nulls, because they have no effect. */
function withoutNullHints(spec: unknown): unknown {
  const data = isJson(spec) ? spec['nova_object.data'] : undefined
  if (!isJson(spec) || !isJson(data) || !isJson(data.scheduler_hints)) return spec
  const isNull = (hint: unknown): boolean => hint === null || (Array.isArray(hint) && hint.length > 0 && hint.every((one) => one === null))
  const hints = Object.entries(data.scheduler_hints).filter(([, hint]) => !isNull(hint))
  return { ...spec, 'nova_object.data': { ...data, scheduler_hints: Object.fromEntries(hints) } }
}

/** The policies of a request's server group that differ from its first policy. They have no effect, because a group has one policy here. */
export function furtherPolicies({ nova }: RequestSpec): readonly { readonly path: readonly string[]; readonly found: string }[] {
  if (nova === null) return []
  const { document, form } = nova
  const group = fieldsOf(fieldsOf(document).instance_group)
  const given = form === 'legacy' ? fieldsOf(document.filter_properties).group_policies : group.policy === undefined ? group.policies : []
  const at = form === 'legacy' ? ['filter_properties', 'group_policies'] : ['instance_group', 'policies']
  const [first, ...others]: readonly unknown[] = Array.isArray(given) ? given : []
  return others.flatMap((policy, i) => (policy === first ? [] : [{ path: [...at, String(i + 1)], found: String(policy) }]))
}

/** Paths of the fields in a request's Nova document that have no effect, because this release does not know them. */
export function unknownFieldsOf({ nova }: RequestSpec): readonly string[] {
  if (nova === null) return []
  const { form, document } = nova
  return form === 'RequestSpec' ? [...readNovaRequest(document).unknown, ...unknownInSpec(document)] : unknownInDictionaries(document)
}

/** The path of the RequestSpec in the input. */
const rootOf = (given: unknown): readonly string[] => (isWrapped(given) ? ['spec'] : [])

const isWrapped = (given: unknown): given is Readonly<Record<string, unknown>> =>
  isJson(given) && !Object.hasOwn(given, 'nova_object.name') && Object.hasOwn(given, 'spec')

function unwrap(given: unknown): { readonly spec: unknown; readonly instanceUuids: readonly string[] | undefined } {
  if (!isWrapped(given)) return { spec: given, instanceUuids: undefined }
  const { spec, instance_uuids, ...rest } = given
  refuseKeys(rest, 'spec and instance_uuids')
  return { spec, instanceUuids: uuidsOf(instance_uuids, 'instance_uuids') }
}

function uuidsOf(value: unknown, path: string): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value) && value.every((uuid) => typeof uuid === 'string')) return value
  throw new WireError(path, value, 'a list of uuids')
}

/** Converts a request to this service's form, version 1.1. Fields that are unset or null in Nova get this service's defaults. */
function documentOf(
  request: NovaRequest,
  instanceUuids: readonly string[] | undefined,
  groupAt = { policy: 'spec.instance_group.policy', uuid: 'spec.instance_group.uuid' },
): Record<string, unknown> {
  const { numInstances, instanceUuid, requestedDestination: destination } = request
  const named = instanceUuids ?? (numInstances === 1 && instanceUuid ? [instanceUuid] : [])
  const [aggregates, ...moreAggregates] = (destination?.aggregates ?? []).map(oneOf)
  return {
    version: '1.1',
    instanceUuids: named,
    numInstances: named.length > 0 ? named.length : numInstances,
    projectId: request.projectId ?? null,
    userId: request.userId ?? null,
    flavor: flavorOf(request.flavor),
    image: request.image ? imageOf(request.image) : null,
    availabilityZone: request.availabilityZone || null,
    instanceGroup: request.instanceGroup ? groupOf(request.instanceGroup, groupAt) : null,
    numaTopology: request.numaTopology ? topologyOf(request.numaTopology) : null,
    // Requests for zero devices are left out.
    pciRequests: (request.pciRequests ?? []).filter(({ count }) => count > 0).map(pciRequestOf),
    requestedResources: [
      ...(request.requestedResources ?? []).flatMap(resourceGroupsOf),
      ...moreAggregates.map((memberOf) => ({ amounts: [], memberOf })),
      ...levelParamsOf(request),
    ],
    requestedDestination: destination ? destinationOf(destination, aggregates ?? []) : null,
    forceHosts: request.forceHosts ?? [],
    forceNodes: request.forceNodes ?? [],
    ignoreHosts: request.ignoreHosts ?? [],
    schedulerHints: request.schedulerHints ?? {},
    isBfv: request.isBfv ?? false,
  }
}

const flavorOf = ({ name, vcpus, memoryMb, rootGb, ephemeralGb, swap, extraSpecs }: NovaFlavor) => ({
  name: name || null,
  vcpus,
  memoryMb,
  rootGb,
  ephemeralGb,
  swapMb: swap,
  extraSpecs: extraSpecs ?? {},
})

const imageOf = ({ id, minRam, minDisk, properties }: NovaImage) => ({
  id: id || null,
  minRamMb: minRam ?? 0,
  minDiskGb: minDisk ?? 0,
  properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, pythonText(value)])),
})

const policies: Readonly<Record<string, string>> = {
  affinity: 'AFFINITY',
  'anti-affinity': 'ANTI_AFFINITY',
  'soft-affinity': 'SOFT_AFFINITY',
  'soft-anti-affinity': 'SOFT_ANTI_AFFINITY',
}

function groupOf(group: NovaGroup, paths: { readonly policy: string; readonly uuid: string }): unknown {
  const { uuid, hosts, rules } = group
  const policy = policyOf(group)
  const known = policy ? policies[policy] : undefined
  if (known === undefined) throw new WireError(paths.policy, policy, `one of ${Object.keys(policies).join(', ')}`)
  if (!uuid) throw new WireError(paths.uuid, uuid, 'a uuid, because claims identify the group by it')
  const most = rules?.max_server_per_host
  const count = most === undefined ? null : Number(most)
  if (Number.isNaN(count)) throw new WireError('spec.instance_group._rules.max_server_per_host', most, 'a whole number of 1 or more')
  return { uuid, policy: known, maxServerPerHost: count, hosts: hosts ?? [] }
}

const pageWishes: Readonly<Record<string, string>> = { '-1': 'small', '-2': 'large', '-3': 'any' }

function topologyOf(guest: GuestTopology): unknown {
  const { cells, emulatorThreadsPolicy } = migrateGuestTopology(guest)
  return { emulatorThreadsPolicy, cells: cells.map(cellOf) }
}

function cellOf({ id, cpuset, pcpuset = [], memory, pagesize, cpuPolicy, cpuThreadPolicy }: GuestCell): unknown {
  const isMixed = cpuPolicy === 'mixed'
  return {
    id,
    cpus: [...new Set([...cpuset, ...pcpuset])].sort((a, b) => a - b),
    memoryMb: memory,
    cpuPolicy: cpuPolicy ?? 'shared',
    ...(isMixed && { dedicatedCpus: pcpuset }),
    cpuThreadPolicy,
    pageSize: pagesize === null ? null : (pageWishes[String(pagesize)] ?? pagesize),
  }
}

const pciRequestOf = ({ count, spec, numaPolicy, alias }: PciRequest) => ({
  requestId: null,
  alias: alias || null,
  count,
  specs: spec.map((keys) => Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, textOf(value)]))),
  numaPolicy: numaPolicy ?? 'legacy',
})

const textOf = (value: PciValue): string => (Array.isArray(value) ? value.join(',') : String(value ?? ''))

/**
 * Converts a resource group of Nova. A host must be in one aggregate of each list in the group. A group in this service's form has one
 * list, so each further list becomes a separate group without amounts.
 */
function resourceGroupsOf({ requesterId, resources, requiredTraits, forbiddenTraits, aggregates }: NovaRequestGroup): unknown[] {
  const [memberOf = [], ...more] = aggregates
  const amounts = Object.entries(resources).map(([resourceClass, amount]) => ({ resourceClass, amount }))
  return [
    { suffix: requesterId ?? '', amounts, requiredTraits, forbiddenTraits, memberOf },
    ...more.map((others) => ({ amounts: [], memberOf: others })),
  ]
}

function levelParamsOf({ requestLevelParams: params }: NovaRequest): unknown[] {
  if (!params || params.rootRequired.length + params.rootForbidden.length === 0) return []
  return [{ amounts: [], requiredTraits: params.rootRequired, forbiddenTraits: params.rootForbidden }]
}

const destinationOf = ({ host, node, forbiddenAggregates }: NovaDestination, aggregates: readonly string[]) => ({
  host: host ?? null,
  node: node ?? null,
  aggregates,
  forbiddenAggregates: (forbiddenAggregates ?? []).flatMap(oneOf),
})

/** Splits a list of aggregate uuids, which Nova separates by commas. */
const oneOf = (uuids: string): string[] => uuids.split(',').map((uuid) => uuid.trim())
