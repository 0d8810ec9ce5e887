import { builtIn, type DocumentField } from '../contracts/built-in.ts'
import type { Filter } from '../contracts/filter.ts'
import { type Plugins, pluginsOf } from '../contracts/plugins.ts'
import type { Weigher } from '../contracts/weigher.ts'
import { portAffinity } from '../namespace/port-affinity.ts'
import { volumeAffinity } from '../namespace/volume-affinity.ts'
import type { LoadedParts } from '../records/loaded-parts.ts'
import { isRegistered } from '../records/namespace-names.ts'
import type { Profile } from '../records/profile.ts'
import type { Read } from '../report/stats-fields.ts'
import {
  type KnownNames,
  type OptionalField,
  type ReportingHosts,
  type RequestReads,
  readsBy,
  TRAITS_IN_OBJECTS,
} from '../request/request-reads.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { HostIndex } from '../values/host-index.ts'
import { memoByObject } from '../values/memo.ts'
import { compileProfile, rulesOf } from './compile.ts'
import { fieldsIn, maxAgeIn } from './namespaces/reading.ts'

type OpenMap = Exclude<keyof RequestReads, 'fields'>

/** Paths in a request, each as its keys. */
type Paths = readonly (readonly string[])[]

/** The extra specs with amounts of resources. Every profile reads them, because the amounts are claimed. */
const claimed: RequestReads = { extraSpecs: (key) => key.startsWith('resources:') }

/**
 * The paths in the caller's document for a path of Gantt's form. There are several paths if the import combined several properties into one
 * field.
 */
const pathsAsGiven = (request: RequestSpec, path: readonly string[]): readonly string[] =>
  request.nova === null ? [path.join('.')] : builtIn().documents.pathsOf(request, path)

/** Returns true if the request was imported from a document of Nova that has this field. Gantt's form has no such field. */
const isInDocument = (request: RequestSpec, field: DocumentField): boolean =>
  request.nova !== null && builtIn().documents.has(request, field)

/** The paths of the maps with arbitrary keys in a request of Gantt's form. */
const pathOf: Readonly<Record<OpenMap, readonly string[]>> = {
  extraSpecs: ['flavor', 'extraSpecs'],
  schedulerHints: ['schedulerHints'],
  imageProperties: ['image', 'properties'],
}

/** For each optional field, the paths at which a request has it. Empty if the request does not have the field. */
const fieldPaths: Readonly<Record<OptionalField, (request: RequestSpec) => readonly (readonly string[])[]>> = {
  zone: ({ availabilityZone }) => (availabilityZone === null ? [] : [['availabilityZone']]),
  // In Nova's documents the architecture is an image property.
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
    // in a document of Nova, each requested network names one port
    return request.nova === null ? own.slice(0, 1).map(() => ['ports']) : own.map((_port, i) => ['ports', String(i)])
  },
  networks: (request) => (isInDocument(request, 'networks') ? [['networkMetadata']] : []),
  tried: (request) => (isInDocument(request, 'tried') ? [['retry', 'hosts']] : []),
  softAffinityHosts: groupHostsPath('SOFT_AFFINITY'),
  softAntiAffinityHosts: groupHostsPath('SOFT_ANTI_AFFINITY'),
  antiAffinityMembers: membersPath('ANTI_AFFINITY'),
  softAffinityMembers: membersPath('SOFT_AFFINITY'),
  softAntiAffinityMembers: membersPath('SOFT_ANTI_AFFINITY'),
}

type SoftPolicy = 'SOFT_AFFINITY' | 'SOFT_ANTI_AFFINITY'

/** The path of `instanceGroup.hosts`, which lists hosts of members without a claim. */
function groupHostsPath(policy: SoftPolicy) {
  return ({ instanceGroup }: RequestSpec) =>
    instanceGroup?.policy === policy && instanceGroup.hosts.length > 0 ? [['instanceGroup', 'hosts']] : []
}

/** The path of the members that a document of Nova lists. */
function membersPath(policy: SoftPolicy | 'ANTI_AFFINITY') {
  return (request: RequestSpec) =>
    request.instanceGroup?.policy === policy && isInDocument(request, 'members') ? [['instanceGroup', 'members']] : []
}

/** The path of `maxServerPerHost` in a group with another policy than anti-affinity, where it has no effect. */
const needlessMaximum = ({ instanceGroup }: RequestSpec): readonly (readonly string[])[] =>
  instanceGroup === null || instanceGroup.policy === 'ANTI_AFFINITY' || instanceGroup.maxServerPerHost === null
    ? []
    : [['instanceGroup', 'maxServerPerHost']]

function policyPath(policy: SoftPolicy) {
  return ({ instanceGroup }: RequestSpec) => (instanceGroup?.policy === policy ? [['instanceGroup', 'policy']] : [])
}

/** The ids of the request's own volumes or ports, if the instance must be placed near them. Otherwise empty. */
const ownThings = (request: RequestSpec, { own }: Pick<typeof volumeAffinity, 'own'>): readonly string[] =>
  request.nearVolumesAndPorts ? own(request) : []

/**
 * Returns a function that returns true if a document locates a thing, such as a volume. The document must be recent enough for at least one
 * of these readers.
 */
function locatedBy(
  { namespace }: typeof volumeAffinity | typeof portAffinity,
  readers: readonly PartReads[],
  { hosts, now }: AskedBy,
): (uuid: string) => boolean {
  const maxAgeSeconds = Math.max(0, ...readers.map((reader) => reader.maxAgeSeconds ?? namespace.maxAgeSeconds))
  const index = hosts.documentIndexOf(namespace.name)
  return (uuid) =>
    index.of(uuid.toLowerCase()).some((host) => {
      const reportedAt = hosts.get(host).namespaces.get(namespace.name)?.reportedAt
      return reportedAt !== undefined && now - reportedAt <= maxAgeSeconds * 1_000
    })
}

/** The paths of the request's own volumes and ports whose location is unknown. */
function unlocatedThings(request: RequestSpec, readers: readonly PartReads[], asked: AskedBy): Partial<Record<OptionalField, Paths>> {
  const unlocated = (affinity: typeof volumeAffinity | typeof portAffinity, field: OptionalField): Paths => {
    const isLocated = locatedBy(
      affinity,
      readers.filter(({ reads }) => reads.fields?.includes(field)),
      asked,
    )
    return ownThings(request, affinity).flatMap((uuid, i) => (isLocated(uuid) ? [] : [[field, String(i)]]))
  }
  return { volumes: unlocated(volumeAffinity, 'volumes'), ports: unlocated(portAffinity, 'ports') }
}

/**
 * Returns true if a hint names things, such as volumes, of which none is located, and only weighers read it: then they give every host the
 * same score. A filter would refuse every host.
 */
function namesNothing(key: string, value: unknown, readers: readonly PartReads[], asked: AskedBy): boolean {
  const affinity = [volumeAffinity, portAffinity].find(({ hint }) => hint === key)
  if (affinity === undefined || !Array.isArray(value) || readers.some(({ isFilter }) => isFilter)) return false
  const isLocated = locatedBy(affinity, readers, asked)
  return !value.some((uuid) => typeof uuid === 'string' && isLocated(uuid))
}

/** Checks whether a name in a request is known: a stat of hosts, a metadata key of aggregates, or an image property. */
const knownNames = (request: RequestSpec, { hosts, aggregates }: AskedBy): KnownNames => ({
  reportsStat: (name) => hosts.reportsStat(name),
  hasMetadata: (key) => aggregates.hasKey(key),
  propertiesOf: (key) => builtIn().documents.propertiesOf(request, key),
})

/** The properties of a fleet that determine which fields of a request are read. */
export interface AskedBy {
  readonly plugins: LoadedParts
  /** The feature level of the log. */
  readonly featureLevel: number
  readonly hosts: ReportingHosts & {
    /** Returns true if any host has a document in the namespace. Without documents, some filters have no effect. */
    hasDocuments(namespace: string): boolean
    /** The hosts whose documents of a namespace describe a thing, such as a volume, by its uuid. */
    documentIndexOf(namespace: string): { of(thing: string): readonly HostIndex[] }
    get(host: HostIndex): { readonly namespaces: { get(namespace: string): { readonly reportedAt?: number } | undefined } }
  }
  /** The time by which the age of documents is computed, in milliseconds since 1970. */
  readonly now: number
  readonly aggregates: {
    /** Returns true if the metadata of any aggregate contains the key. */
    hasKey(key: string): boolean
  }
}

/**
 * The paths of a request's extra specs, hints, image properties and optional fields that have no effect: no filter or weigher of the
 * profile reads the field, or the field needs something that is absent, such as a recent document about a volume, guest cells, or forced hosts.
 */
export function unreadKeys(request: RequestSpec, profile: Profile, asked: AskedBy): readonly string[] {
  const { flavor, gang, image, schedulerHints, nova, forceHosts, forceNodes, forceVerify } = request
  const { featureLevel, hosts } = asked
  const isForced = forceHosts.length + forceNodes.length > 0
  const known = readsOf(pluginsOf(asked))(profile)
  if (known === undefined) return []
  const hasNone = Object.keys(schedulerHints).length + volumeAffinity.own(request).length + portAffinity.own(request).length === 0
  const isAsked = ({ needs, since }: PartReads): boolean =>
    since <= featureLevel && (hasNone || needs.every((name) => hosts.hasDocuments(name)))
  const before = nova === null ? [] : [{ ...ALWAYS_READ, reads: builtIn().documents.readBefore(request) }]
  const readers = [...before, ...known.filter(isAsked)]
  const unlocated = unlocatedThings(request, readers, asked)
  const names = knownNames(request, asked)
  const isOfObjects = (map: OpenMap, key: string) => map === 'imageProperties' && key === TRAITS_IN_OBJECTS && nova === null
  const unread = (map: OpenMap, given: Readonly<Record<string, unknown>>, at: readonly string[] = []): string[] =>
    Object.entries(given)
      .filter(([key, value]) => {
        const own = readers.filter(({ reads }) => reads[map]?.(key, value, names))
        return isOfObjects(map, key) || own.length === 0 || (map === 'schedulerHints' && namesNothing(key, value, own, asked))
      })
      .flatMap(([key]) => pathsAsGiven(request, [...at, ...pathOf[map], key]))
  return [
    ...unread('extraSpecs', flavor.extraSpecs),
    ...gang.flatMap((member, i) => unread('extraSpecs', member.flavor.extraSpecs, ['gang', String(i)])),
    ...unread('imageProperties', image?.properties ?? {}),
    ...unread('schedulerHints', schedulerHints),
    ...optionalFields
      .flatMap((field) =>
        readers.some(({ reads }) => reads.fields?.includes(field)) ? (unlocated[field] ?? []) : fieldPaths[field](request),
      )
      .flatMap((path) => pathsAsGiven(request, path)),
    ...(nova === null ? [] : builtIn().documents.withoutEffect(request)),
    ...[...needlessMaximum(request), ...nearNothing(request)].flatMap((path) => pathsAsGiven(request, path)),
    // `forceVerify` determines which filters run on forced hosts. Without forced hosts it has no effect. Nova's filters never run on forced
    // hosts, so under their rules HARD has the effect of ALL.
    ...(forceVerify !== 'ALL' && (!isForced || (forceVerify === 'HARD' && profile.compat === 'nova')) ? ['forceVerify'] : []),
  ]
}

/** The extra specs, hints and image properties of a request that a filter of the profile reads. */
export function keysReadBy(
  request: RequestSpec,
  profile: Profile,
  filter: string,
  asked: AskedBy,
): Readonly<Record<OpenMap, readonly string[]>> {
  const part = compileProfile(profile, pluginsOf(asked)).filters.find(({ filter: { name } }) => name === filter)
  const reads = part?.filter.readsRequest === undefined ? {} : readsBy(part.filter.readsRequest, part.options)
  const names = knownNames(request, asked)
  const read = (map: OpenMap, given: Readonly<Record<string, unknown>> = {}): readonly string[] =>
    Object.keys(given).filter((key) => reads[map]?.(key, given[key], names))
  return {
    extraSpecs: read('extraSpecs', request.flavor.extraSpecs),
    schedulerHints: read('schedulerHints', request.schedulerHints),
    imageProperties: read('imageProperties', request.image?.properties),
  }
}

/**
 * The paths of the `numaPolicy` of PCI requests in a request without guest cells. Nova then accepts any device, so `numaPolicy` has no
 * effect.
 */
function nearNothing({ gang, ...request }: RequestSpec): readonly (readonly string[])[] {
  const guests = [{ at: [] as string[], ...request }, ...gang.map((member, i) => ({ at: ['gang', String(i)], ...member }))]
  return guests.flatMap(({ at, numaTopology, pciRequests }) =>
    numaTopology !== null
      ? []
      : pciRequests.flatMap(({ numaPolicy }, i) => (numaPolicy === 'legacy' ? [] : [[...at, 'pciRequests', String(i), 'numaPolicy']])),
  )
}

/** The fields of a request that have no effect: fields of Nova's document that this release does not know, and those of `unreadKeys`. */
export const ignoredFields = (request: RequestSpec, profile: Profile, fleet: AskedBy): readonly string[] => [
  ...(request.nova === null ? [] : builtIn().documents.unknownFields(request)),
  ...unreadKeys(request, profile, fleet),
]

/**
 * Those of the `ignoredFields` that would have an effect if a recent document of another service located what they name, such as a volume.
 * They have none, for example, because the collector of a host is paused.
 */
export function unlocatedFields(request: RequestSpec, profile: Profile, fleet: AskedBy): readonly string[] {
  const { hosts } = fleet
  const located: AskedBy['hosts'] = {
    reportsStat: (name) => hosts.reportsStat(name),
    hasDocuments: () => true,
    documentIndexOf: () => ({ of: () => [0 as HostIndex] }),
    get: () => ({ namespaces: { get: () => ({ reportedAt: fleet.now }) } }),
  }
  const { plugins, featureLevel, aggregates, now } = fleet
  const others = new Set(ignoredFields(request, profile, { plugins, featureLevel, aggregates, now, hosts: located }))
  return ignoredFields(request, profile, fleet).filter((path) => !others.has(path))
}

const optionalFields = Object.keys(fieldPaths) as readonly OptionalField[]

interface PartReads {
  readonly reads: RequestReads
  /** The lowest feature level at which the filter or weigher reads the fields. */
  readonly since: number
  /** The filter or weigher reads the fields only if all of these namespaces have documents. */
  readonly needs: readonly string[]
  readonly isFilter: boolean
  /** The maximum age of the documents that it reads, if an option sets it. */
  readonly maxAgeSeconds: number | undefined
}

const ALWAYS_READ = { since: 0, needs: [], isFilter: true, maxAgeSeconds: undefined }

/**
 * The fields of requests that the filters and weighers of a profile version read. Undefined if the profile uses a plug-in, because a
 * plug-in gets the whole request and does not declare what it reads.
 */
const readsOf = memoByObject((plugins: Plugins) =>
  memoByObject((profile: Profile): readonly PartReads[] | undefined => {
    const compiled = compileProfile(profile, plugins)
    const weighs = profile.scheduler === 'chance' ? [] : compiled.weighers.filter(({ multiplier }) => multiplier !== 0)
    const parts = [...compiled.filters.map(({ filter }) => filter), ...weighs.map(({ weigher }) => weigher)]
    const isForeign = ({ name, outside }: (typeof parts)[number]): boolean => outside !== undefined || plugins.ownerOf(name) !== undefined
    if (parts.some(isForeign) || compiled.asks.length > 0 || compiled.scheduler !== undefined) return undefined
    return [
      { ...ALWAYS_READ, reads: claimed },
      { ...ALWAYS_READ, reads: rulesOf(profile.compat).reads },
      ...compiled.filters.flatMap(({ filter, options, sinceLevel = 0 }) => {
        const needs = options.onlyWhereTold === true ? namespacesOf(filter) : []
        if (filter.readsRequest === undefined) return []
        return [{ reads: readsBy(filter.readsRequest, options), since: sinceLevel, needs, isFilter: true, ...maxAgeIn(options) }]
      }),
      // a weigher whose namespace has no document gives every host the same score, so it has no effect
      ...weighs.flatMap(({ weigher, options }) =>
        weigher.readsRequest === undefined
          ? []
          : [
              {
                ...{ reads: readsBy(weigher.readsRequest, options), since: 0, needs: namespacesOf(weigher) },
                ...{ isFilter: false, ...maxAgeIn(options) },
              },
            ],
      ),
    ]
  }),
)

/** The namespaces of the release that a filter or weigher reads. */
const namespacesOf = ({ reads }: Pick<Filter | Weigher, 'reads'>): readonly string[] =>
  Array.isArray(reads) ? [...fieldsIn(reads as readonly Read[]).keys()].filter(isRegistered) : []
