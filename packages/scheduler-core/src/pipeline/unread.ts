import type { Filter } from '../filters/filter.ts'
import type { LoadedParts } from '../fleet/loaded-parts.ts'
import type { Read } from '../fleet/stats-fields.ts'
import { memoByObject } from '../memo.ts'
import { isRegistered } from '../namespace/names.ts'
import { portAffinity } from '../namespace/port-affinity.ts'
import { fieldsIn } from '../namespace/reading.ts'
import { volumeAffinity } from '../namespace/volume-affinity.ts'
import { callerPaths } from '../nova/import/caller-paths.ts'
import { unknownFieldsOf } from '../nova/import/request.ts'
import { fieldsOf } from '../nova/objects/wire.ts'
import { isHardwareSpec } from '../nova/text/hardware-specs.ts'
import { imagePropertyFields } from '../nova/text/image-property-fields.ts'
import { triedHosts } from '../nova/tried-hosts.ts'
import { type Plugins, pluginsOf } from '../plugin/plugins.ts'
import type { Profile } from '../profiles/profile.ts'
import { type OptionalField, type RequestReads, readsBy, TRAITS_IN_OBJECTS } from '../request/request-reads.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Weigher } from '../weighers/weigher.ts'
import { compileProfile } from './compile.ts'

type OpenMap = Exclude<keyof RequestReads, 'fields'>

/** Amounts are claimed, whatever the profile is; which of Nova's calls it is, Nova's own rules ask. */
const always = ({ compat }: Profile): RequestReads => ({
  extraSpecs: (key) => key.startsWith('resources:'),
  schedulerHints: (key) => compat === 'nova' && key === '_nova_check_type',
})

/**
 * What Nova has read of a flavor, an image and the hints by the time that it asks for hosts: it stands in other fields of the request then,
 * as the cells of the guest, its devices, and its server group. A group that is not there was not read; Juno left that to the scheduler.
 */
const readBefore = ({ nova, instanceGroup }: RequestSpec): RequestReads =>
  nova === null
    ? {}
    : {
        extraSpecs: isHardwareSpec,
        schedulerHints: (key) => key === 'group' && (instanceGroup !== null || nova.form === 'legacy'),
        imageProperties: (key) => key.startsWith('hw_') && imagePropertyFields.has(key) && !ofFilters.has(key),
      }

/** Properties that Nova leaves to its filters, and that begin as those of the hardware. */
const ofFilters: ReadonlySet<string> = new Set(['hw_architecture', 'hw_vm_mode'])

/** A path of the typed form, as the caller wrote it: several where one property of an image was made of several. */
function pathsAsGiven({ nova }: RequestSpec, path: readonly string[]): readonly string[] {
  if (nova === null) return [path.join('.')]
  return callerPaths(nova, path).map((given) => [...(nova.form === 'RequestSpec' ? ['spec'] : []), ...given].join('.'))
}

/** Where the open maps are, in the typed form. */
const places: Readonly<Record<OpenMap, readonly string[]>> = {
  extraSpecs: ['flavor', 'extraSpecs'],
  schedulerHints: ['schedulerHints'],
  imageProperties: ['image', 'properties'],
}

/** Where an optional field is in the typed form, in a request that asks for it; none in one that does not. */
const fieldPaths: Readonly<Record<OptionalField, (request: RequestSpec) => readonly (readonly string[])[]>> = {
  zone: ({ availabilityZone }) => (availabilityZone === null ? [] : [['availabilityZone']]),
  // Nova has it among the properties
  architecture: ({ image }) => (image?.architecture ? [['image', 'architecture']] : []),
  softAffinity: policyPath('SOFT_AFFINITY'),
  softAntiAffinity: policyPath('SOFT_ANTI_AFFINITY'),
  traits: ({ requestedResources, gang }) =>
    [{ at: [] as string[], requestedResources }, ...gang.map((member, i) => ({ at: ['gang', String(i)], ...member }))].flatMap(
      ({ at, requestedResources: groups }) =>
        groups.flatMap(({ requiredTraits, forbiddenTraits }, i) => {
          const group = [...at, 'requestedResources', String(i)]
          return [
            ...(requiredTraits.length === 0 ? [] : [[...group, 'requiredTraits']]),
            ...(forbiddenTraits.length === 0 ? [] : [[...group, 'forbiddenTraits']]),
          ]
        }),
    ),
  volumes: (request) => (ownThings(request, volumeAffinity).length > 0 ? [['volumes']] : []),
  ports(request) {
    const own = ownThings(request, portAffinity)
    // in a document of Nova's each stands in a network of its own
    return request.nova === null ? own.slice(0, 1).map(() => ['ports']) : own.map((_port, i) => ['ports', String(i)])
  },
  networks: ({ nova }) => (asksForNetworks(nova?.document) ? [['networkMetadata']] : []),
  tried: (request) => (triedHosts(request).length > 0 ? [['retry', 'hosts']] : []),
  softAffinityHosts: groupHostsPath('SOFT_AFFINITY'),
  softAntiAffinityHosts: groupHostsPath('SOFT_ANTI_AFFINITY'),
}

type SoftPolicy = 'SOFT_AFFINITY' | 'SOFT_ANTI_AFFINITY'

/** Hosts with members that were placed elsewhere: claims do not know of them. */
function groupHostsPath(policy: SoftPolicy) {
  return ({ instanceGroup }: RequestSpec) =>
    instanceGroup?.policy === policy && instanceGroup.hosts.length > 0 ? [['instanceGroup', 'hosts']] : []
}

function policyPath(policy: SoftPolicy) {
  return ({ instanceGroup }: RequestSpec) => (instanceGroup?.policy === policy ? [['instanceGroup', 'policy']] : [])
}

/** What an instance has and is to be placed near to by itself. */
const ownThings = (request: RequestSpec, { own }: Pick<typeof volumeAffinity, 'own'>): readonly string[] =>
  request.nearVolumesAndPorts ? own(request) : []

/** Of what an instance has: what no document names, so that nobody can say where it is. */
function unnamedThings(request: RequestSpec, hosts: AskedBy['hosts']): Partial<Record<OptionalField, readonly (readonly string[])[]>> {
  const unnamed = (affinity: typeof volumeAffinity | typeof portAffinity, field: string) =>
    ownThings(request, affinity).flatMap((uuid, i) =>
      hosts.tellersOf(affinity.namespace.name).of(uuid.toLowerCase()).length > 0 ? [] : [[field, String(i)]],
    )
  return { volumes: unnamed(volumeAffinity, 'volumes'), ports: unnamed(portAffinity, 'ports') }
}

/** Whether a document of Nova's names physical networks, or tunnels, that the guest should be near to. */
function asksForNetworks(document: unknown): boolean {
  const { physnets, tunneled } = dataOf(dataOf(document).network_metadata)
  return (Array.isArray(physnets) && physnets.length > 0) || tunneled === true
}

function dataOf(value: unknown): Readonly<Record<string, unknown>> {
  const data: unknown = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['nova_object.data'] : undefined
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}
}

/** What of a fleet says which parts are asked. */
export interface AskedBy {
  readonly plugins: LoadedParts
  /** Of the log by whose rules a request is decided. */
  readonly featureLevel: number
  readonly hosts: {
    /** Whether any host has a document of a namespace, without which some parts look at nothing. */
    isToldOf(namespace: string): boolean
    /** Hosts whose documents name a thing. */
    tellersOf(namespace: string): { of(thing: string): readonly unknown[] }
  }
}

/** Paths of extra specs, hints, image properties and optional fields of a request that no part of a profile looks at: they have no effect. */
export function unreadKeys(request: RequestSpec, profile: Profile, asked: AskedBy): readonly string[] {
  const { flavor, gang, image, schedulerHints, nova, forceHosts, forceNodes, forceVerify } = request
  const { featureLevel, hosts } = asked
  const known = readsOf(pluginsOf(asked))(profile)
  if (known === undefined) return []
  const hasNone = Object.keys(schedulerHints).length + volumeAffinity.own(request).length + portAffinity.own(request).length === 0
  const isAsked = ({ needs, since }: PartReads): boolean =>
    since <= featureLevel && (hasNone || needs.every((name) => hosts.isToldOf(name)))
  const readers = [readBefore(request), ...known.filter(isAsked).map(({ reads }) => reads)]
  const unnamed = unnamedThings(request, hosts)
  const isOfObjects = (map: OpenMap, key: string) => map === 'imageProperties' && key === TRAITS_IN_OBJECTS && nova === null
  const unread = (map: OpenMap, given: Readonly<Record<string, unknown>>, at: readonly string[] = []): string[] =>
    Object.entries(given)
      .filter(([key, value]) => isOfObjects(map, key) || !readers.some((reads) => reads[map]?.(key, value)))
      .flatMap(([key]) => pathsAsGiven(request, [...at, ...places[map], key]))
  return [
    ...unread('extraSpecs', flavor.extraSpecs),
    ...gang.flatMap((member, i) => unread('extraSpecs', member.flavor.extraSpecs, ['gang', String(i)])),
    ...unread('imageProperties', image?.properties ?? {}),
    ...unread('schedulerHints', schedulerHints),
    ...optionalFields
      .flatMap((field) => (readers.some(({ fields }) => fields?.includes(field)) ? (unnamed[field] ?? []) : fieldPaths[field](request)))
      .flatMap((path) => pathsAsGiven(request, path)),
    ...limitPaths(request),
    ...leastOfImage(request).flatMap((path) => pathsAsGiven(request, path)),
    ...nearNothing(request).flatMap((path) => pathsAsGiven(request, path)),
    // it says which filters run on forced hosts
    ...(forceVerify !== 'ALL' && forceHosts.length + forceNodes.length === 0 ? ['forceVerify'] : []),
  ]
}

/** What an image needs at least of a flavor, in a document of Nova's: its API has compared them, and nothing here does again. */
function leastOfImage({ image, nova }: RequestSpec): readonly (readonly string[])[] {
  if (nova === null || image === null) return []
  return [...(image.minRamMb > 0 ? [['image', 'minRamMb']] : []), ...(image.minDiskGb > 0 ? [['image', 'minDiskGb']] : [])]
}

/** Limits of a host are written into a request for the host that builds, and no rule reads them when placing. */
function limitPaths({ nova }: RequestSpec): readonly string[] {
  if (nova === null) return []
  const isObject = nova.form === 'RequestSpec'
  const limits = fieldsOf(isObject ? fieldsOf(nova.document).limits : fieldsOf(fieldsOf(nova.document).filter_properties).limits)
  const at = isObject ? 'spec.limits' : 'filter_properties.limits'
  return LIMITS.flatMap((name) => (limits[name] === undefined || limits[name] === null ? [] : [`${at}.${name}`]))
}

const LIMITS = ['vcpu', 'memory_mb', 'disk_gb', 'numa_topology'] as const

/** How near to the guest's cells devices are to be, where it has no cells: Nova takes any then. */
function nearNothing({ gang, ...request }: RequestSpec): readonly (readonly string[])[] {
  const guests = [{ at: [] as string[], ...request }, ...gang.map((member, i) => ({ at: ['gang', String(i)], ...member }))]
  return guests.flatMap(({ at, numaTopology, pciRequests }) =>
    numaTopology !== null
      ? []
      : pciRequests.flatMap(({ numaPolicy }, i) => (numaPolicy === 'legacy' ? [] : [[...at, 'pciRequests', String(i), 'numaPolicy']])),
  )
}

/** All of a request that has no effect: what this release does not know in a document of Nova's, and what no part of the profile looks at. */
export const ignoredFields = (request: RequestSpec, profile: Profile, fleet: AskedBy): readonly string[] => [
  ...unknownFieldsOf(request),
  ...unreadKeys(request, profile, fleet),
]

const optionalFields = Object.keys(fieldPaths) as readonly OptionalField[]

interface PartReads {
  readonly reads: RequestReads
  /** The feature level from which on it is asked. */
  readonly since: number
  /** Namespaces without a document of which it looks at nothing. */
  readonly needs: readonly string[]
}

/** What the parts of a version look at; undefined: a part of a plug-in sees the request whole, and does not say what it reads. */
const readsOf = memoByObject((plugins: Plugins) =>
  memoByObject((profile: Profile): readonly PartReads[] | undefined => {
    const compiled = compileProfile(profile, plugins)
    const weighs = profile.scheduler === 'chance' ? [] : compiled.weighers.filter(({ multiplier }) => multiplier !== 0)
    const parts = [...compiled.filters.map(({ filter }) => filter), ...weighs.map(({ weigher }) => weigher)]
    const isForeign = ({ name, outside }: (typeof parts)[number]): boolean => outside !== undefined || plugins.ownerOf(name) !== undefined
    if (parts.some(isForeign) || compiled.asks.length > 0 || compiled.scheduler !== undefined) return undefined
    return [
      { reads: always(profile), since: 0, needs: [] },
      ...compiled.filters.flatMap(({ filter, options, sinceLevel = 0 }) => {
        const needs = options.onlyWhereTold === true ? namespacesOf(filter) : []
        return filter.readsRequest === undefined ? [] : [{ reads: readsBy(filter.readsRequest, options), since: sinceLevel, needs }]
      }),
      // without a document every host has the same number
      ...weighs.flatMap(({ weigher }) =>
        weigher.readsRequest === undefined ? [] : [{ reads: weigher.readsRequest, since: 0, needs: namespacesOf(weigher) }],
      ),
    ]
  }),
)

/** The namespaces of the release that a part reads. */
const namespacesOf = ({ reads }: Pick<Filter | Weigher, 'reads'>): readonly string[] =>
  Array.isArray(reads) ? [...fieldsIn(reads as readonly Read[]).keys()].filter(isRegistered) : []
