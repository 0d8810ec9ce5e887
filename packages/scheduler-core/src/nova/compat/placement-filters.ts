import { type Check, cell, forbidden, inAnyOf, memberships, preparedOf, whichPlaces } from '../../contracts/candidates.ts'
import type { CompiledFilter } from '../../contracts/compiled-profile.ts'
import type { Filter, FilterOptions } from '../../contracts/filter.ts'
import { prepareTraits, whichTraits } from '../../filters/traits.ts'
import type { Aggregate } from '../../fleet/aggregates.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { at } from '../../hosts/columns.ts'
import { DEFAULT_ZONE } from '../../hosts/hosts.ts'
import { aggregatesOf, membershipsOf, reportOf, statusOf } from '../../hosts/sources.ts'
import { hostStatuses } from '../../records/change.ts'
import { type PlacementRules, type Profile, usualPlacement } from '../../records/profile.ts'
import { reportedService } from '../../report/reported-service.ts'
import { keysFrom, namedKeys, type RequestReads, type RequestReadsBy, readsBy, TRAITS_IN_OBJECTS } from '../../request/request-reads.ts'
import { demandOf, type RequestSpec } from '../../request/request-spec.ts'
import { traitFrom } from '../../request/sources.ts'
import { fromImage, fromOption, fromRequest, fromRule, type Source } from '../../text/evidence.ts'
import type { PreparedFilter } from '../../text/prepared-filter.ts'
import { shortList } from '../../text/short-list.ts'
import { TENANT_KEY, ZONE_KEY } from '../../values/aggregate-keys.ts'
import { canonicalJson } from '../../values/canonical-json.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { PLACEMENT_RULES } from '../../values/levels.ts'
import { computeFilter } from '../filters/compute.ts'
import type { NovaImage, NovaRequest } from '../objects/request.ts'
import { someHost } from '../own/some-host.ts'
import { isRebuild } from '../parts/nova-filter.ts'
import { novaRequestOf } from '../requests/own-request.ts'
import { NovaError } from '../text/nova-error.ts'
import { novaNameLists } from './compat-candidates.ts'

/**
 * Defines one of the filters that replace Placement for profiles with `compat: nova`. Nova calls Placement before its own filters run.
 * These filters also run on forced hosts, but not for a rebuild.
 */
interface Definition extends Pick<Filter, 'name' | 'description' | 'admits' | 'readsMetadata' | 'cacheKey'> {
  readonly readsRequest?: RequestReadsBy<PlacementRules>
  readonly reads?: Filter['reads']
  /** Undefined if the filter does not apply to the request, or if the profile disables it. */
  prepare(request: RequestSpec, fleet: Fleet, rules: PlacementRules): PreparedFilter | undefined
}

const placementFilter = ({ reads = [], readsRequest, prepare, ...others }: Definition): Filter => ({
  ...others,
  ...(readsRequest !== undefined && { readsRequest: (options) => readsBy(readsRequest, rulesOf(options)) }),
  reads,
  readsHostOnly: true,
  prepare(request, fleet, options) {
    if (fleet.featureLevel < PLACEMENT_RULES) return undefined
    const prepared = prepare(request, fleet, rulesOf(options))
    return prepared === undefined || isRebuild(novaRequestOf(request)) ? undefined : prepared
  },
})

const rulesOf = (options: FilterOptions): PlacementRules => ({ ...usualPlacement, ...options })

const isForced = ({ forceHosts, forceNodes }: RequestSpec): boolean => forceHosts.length + forceNodes.length > 0

const destination = placementFilter({
  name: 'PlacementDestination',
  description:
    'The host has the node of the requested destination, is in the requested cell and aggregates, and is not in a forbidden aggregate.',
  admits: {
    by: 'place',
    which(request) {
      const need = nodeAlone(request)
      return [...(need === undefined ? [] : [`of the node ${need}`]), ...whichPlaces(request)].join(', ')
    },
  },
  prepare(request, fleet) {
    const named = node(request, fleet)
    const aggregates = memberships(request, fleet)
    const allowing = [...novaNameLists(request, fleet), ...(named === undefined ? [] : [named]), ...aggregates]
    return preparedOf([named, cell(request, fleet), forbidden(request, fleet), ...aggregates], fleet, allowing)
  },
})

/** The node of a requested destination without a host. Nova looks up the host of such a node before it calls Placement. */
const nodeAlone = ({ requestedDestination }: RequestSpec): string | undefined =>
  requestedDestination?.host ? undefined : (requestedDestination?.node ?? undefined)

function node(request: RequestSpec, { hosts }: Fleet): Check | undefined {
  const need = nodeAlone(request)
  if (need === undefined) return undefined
  return {
    which: `of the node ${need}`,
    passes: (host) => hosts.get(host).node === need,
    reason: { code: 'host.not_requested', need },
    field: 'requestedDestination',
    looksAt: 'name',
  }
}

/**
 * Checks the availability zone. If no aggregate has the requested zone, every host is refused, unless the request names the default zone.
 */
const zone = placementFilter({
  name: 'PlacementZone',
  description:
    'The host is in an aggregate of the requested availability zone. For the default zone, the host is in no aggregate with a zone.',
  admits: {
    by: 'place',
    which: ({ availabilityZone }) => `in availability zone ${availabilityZone}`,
  },
  readsMetadata: [{ key: ZONE_KEY, option: 'availabilityZone' }],
  readsRequest: ({ availabilityZone }) => (availabilityZone ? { fields: ['zone'] } : {}),
  cacheKey: ({ availabilityZone }) => availabilityZone ?? undefined,
  prepare(request, fleet, { availabilityZone: isAsked, defaultAvailabilityZone: byDefault }) {
    const need = request.availabilityZone
    if (!isAsked || !need) return undefined
    const { hosts, aggregates } = fleet
    const wanted = aggregatesWith(fleet, (key, value) => key === ZONE_KEY && value === need)
    // Nova's API turns the zone `nova:HOST` into the default zone and a forced host. This host can be in any zone.
    if (need === byDefault && wanted.length === 0 && isForced(request)) return undefined
    const isIn = inAnyOf(fleet, uuidsOf(wanted))
    const isInSome = (host: HostIndex): boolean =>
      hosts.get(host).zone !== DEFAULT_ZONE || aggregates.of(hosts.get(host).host).some(({ metadata }) => Object.hasOwn(metadata, ZONE_KEY))
    const zoneOf = (host: HostIndex): string => (isInSome(host) ? hosts.get(host).zone : byDefault)
    return {
      passes: need === byDefault ? (host) => isIn(host) || !isInSome(host) : isIn,
      reason: (host) => ({ code: 'zone.other', subject: 'availability zone', need, have: zoneOf(host) }),
      facts: (host) => [
        {
          subject: 'availability zone',
          required: need,
          actual: zoneOf(host),
          requiredFrom: fromRequest('availabilityZone'),
          actualFrom: isInSome(host)
            ? aggregatesOf(aggregates.of(hosts.get(host).host), ZONE_KEY)
            : fromOption('default_availability_zone'),
        },
      ],
    }
  },
})

const tenant = placementFilter({
  name: 'PlacementTenant',
  description: "The host is in an aggregate that lists the request's project, if there is such an aggregate.",
  admits: {
    by: 'property',
    which: ({ projectId }) =>
      `in aggregates with ${TENANT_KEY} ${projectId === null ? 'for requests without a project' : `of project ${projectId}`}`,
  },
  readsMetadata: [{ key: `${TENANT_KEY}*`, by: 'operators, one key for each project', option: 'limitTenants' }],
  cacheKey: ({ projectId }) => canonicalJson(projectId),
  prepare(request, fleet, { limitTenants, tenantsNeedAggregate }) {
    if (!limitTenants) return undefined
    const project = request.projectId
    // A key has one project as its value. An aggregate lists further projects under keys with a suffix, such as filter_tenant_id:2.
    const own = project === null ? [] : aggregatesWith(fleet, (key, value) => key.startsWith(TENANT_KEY) && value === project)
    if (own.length === 0 && !tenantsNeedAggregate) return undefined
    const need = own.length === 0 ? `aggregates with ${TENANT_KEY}` : `aggregates ${shortList(own.map(({ name }) => name))}`
    const subject = project === null ? 'A request without a project' : `Project ${project}`
    return {
      passes: inAnyOf(fleet, uuidsOf(own)),
      reason: () => ({ code: 'aggregate.tenant', subject, need }),
      facts: (host) => [
        {
          subject: TENANT_KEY,
          required: project ?? 'none',
          actual: namesOf(fleet, host),
          requiredFrom: fromRequest('projectId'),
          actualFrom: membershipsOf(fleet.hosts.get(host)),
        },
      ],
    }
  },
})

const TRAIT_PREFIX = 'trait:'

/**
 * The keys from which Nova reads traits. An image can require traits, but not forbid them: its trait properties with a value other than
 * `required` are ignored.
 */
const traitKeys: RequestReads = {
  extraSpecs: keysFrom(TRAIT_PREFIX),
  imageProperties: (key, value) => (key.startsWith(TRAIT_PREFIX) && value === 'required') || key === TRAITS_IN_OBJECTS,
}

const isolation = placementFilter({
  name: 'PlacementIsolation',
  description: 'The host is in no aggregate that is reserved for requests with traits that this request does not require.',
  admits: { by: 'property', which: () => 'in no aggregate that is reserved for requests with other traits' },
  readsMetadata: [{ key: `${TRAIT_PREFIX}*`, by: 'operators, one key for each trait', option: 'isolateAggregates' }],
  readsRequest: ({ isolateAggregates }) => (isolateAggregates ? traitKeys : {}),
  cacheKey: (request) => canonicalJson(requiredTraits(withoutRootTraits(request))),
  prepare(request, fleet, { isolateAggregates }) {
    if (!isolateAggregates) return undefined
    const asked = new Set(requiredTraits(withoutRootTraits(request)))
    const isKept = (key: string, value: string): boolean =>
      key.startsWith(TRAIT_PREFIX) && value === 'required' && !asked.has(key.slice(TRAIT_PREFIX.length))
    const kept = aggregatesWith(fleet, isKept)
    if (kept.length === 0) return undefined
    const isIn = inAnyOf(fleet, uuidsOf(kept))
    const keys = ({ metadata }: Aggregate): string[] => Object.keys(metadata).filter((key) => isKept(key, metadata[key] ?? ''))
    const keeping = (host: HostIndex) => fleet.aggregates.of(fleet.hosts.get(host).host).filter((one) => keys(one).length > 0)
    const traitsOf = (aggregate: Aggregate) => keys(aggregate).map((key) => key.slice(TRAIT_PREFIX.length))
    return {
      passes: (host) => !isIn(host),
      reason(host) {
        const [first] = keeping(host)
        return { code: 'aggregate.trait', need: first === undefined ? '' : (traitsOf(first)[0] ?? ''), have: first?.name ?? '' }
      },
      facts: (host) =>
        keeping(host).flatMap((aggregate) =>
          keys(aggregate).map((key) => ({
            subject: key,
            required: 'required by the request',
            actual: 'not required',
            requiredFrom: aggregatesOf([aggregate], key),
            actualFrom: fromRequest('the traits of flavor and image'),
          })),
        ),
    }
  },
})

const traits = placementFilter({
  name: 'PlacementTraits',
  description: 'The host has every trait that the flavor or the image requires, and no trait that the flavor forbids.',
  readsRequest: { ...traitKeys, fields: ['traits'] },
  admits: {
    by: 'property',
    which: (request) => whichTraits(requiredTraits(request), demandOf(request).forbiddenTraits),
  },
  reads: ['traits'],
  cacheKey: (request) => canonicalJson([requiredTraits(request), demandOf(request).forbiddenTraits]),
  prepare(request, fleet) {
    const required = requiredTraits(request)
    const ofImage = new Set(imageTraits(request))
    const from = (trait: string): Source =>
      ofImage.has(trait) && !demandOf(request).requiredTraits.includes(trait) ? fromImage(TRAIT_PREFIX + trait) : traitFrom(request, trait)
    return prepareTraits(fleet, required, demandOf(request).forbiddenTraits, from)
  },
})

/** Disk formats for which a trait COMPUTE_IMAGE_TYPE_... exists. Images with other formats need no trait. */
const IMAGE_TYPES: ReadonlySet<string> = new Set('AKI AMI ARI ISO PLOOP QCOW2 RAW VDI VHD VHDX VMDK'.split(' '))

const imageType = placementFilter({
  name: 'PlacementImageType',
  description: "The host has the trait for the image's disk format, such as COMPUTE_IMAGE_TYPE_QCOW2.",
  readsRequest: ({ imageType: isAsked }) => (isAsked ? { imageProperties: namedKeys('disk_format') } : {}),
  admits: { by: 'property', which: (request) => `with trait ${imageTypeTrait(request)}` },
  reads: ['traits'],
  prepare(request, fleet, { imageType: isAsked }) {
    const trait = isAsked ? imageTypeTrait(request) : undefined
    return trait === undefined ? undefined : prepareTraits(fleet, [trait], [], () => fromImage('disk_format'))
  },
})

/** The trait that Nova gives to hosts whose service is disabled. Since release Train no request is placed on a host that has it. */
const DISABLED_TRAIT = 'COMPUTE_STATUS_DISABLED'

const isTraitReported = someHost(({ hosts }, host) => hosts.get(host).traits.has(DISABLED_TRAIT))
/** Where a host is marked as disabled: the operators' status, the reported service of Nova, or the reported trait. */
type MarkedBy = 'status' | 'service' | 'trait'

function whereDisabled({ hosts }: Fleet, host: HostIndex): MarkedBy | undefined {
  if (at(hosts.columns.status, host) !== 0) return 'status'
  const { stats, traits } = hosts.get(host)
  if (reportedService(stats)?.disabled === true) return 'service'
  return traits.has(DISABLED_TRAIT) ? 'trait' : undefined
}

/**
 * Checks that the host is enabled. Where the profile lists ComputeFilter, only forced hosts and the trait are checked: ComputeFilter checks
 * all others, and a host that two filters refuse for one reason would look as if it lacked two things.
 */
const statusFor = (hasComputeFilter: boolean): Filter =>
  placementFilter({
    name: 'PlacementStatus',
    description: hasComputeFilter
      ? `The host does not have the trait ${DISABLED_TRAIT}, and a forced host is enabled.`
      : 'The host is enabled.',
    cacheKey: (request) => String(isForced(request)),
    prepare(request, fleet) {
      const isLeft = hasComputeFilter && !isForced(request)
      if (isLeft && !isTraitReported(fleet)) return undefined
      const { hosts } = fleet
      return {
        passes(host) {
          const marked = whereDisabled(fleet, host)
          return marked === undefined || (isLeft && marked !== 'trait')
        },
        reason(host) {
          const record = hosts.get(host)
          const have = hostStatuses[at(hosts.columns.status, host)] as string
          switch (whereDisabled(fleet, host)) {
            case 'status':
              return { code: 'host.disabled', have, source: record.statusReason }
            case 'service':
              return { code: 'host.disabled', have: 'DISABLED', source: reportedService(record.stats)?.disabledReason ?? '' }
            default:
              return { code: 'host.disabled', have: 'DISABLED', source: `it reports the trait ${DISABLED_TRAIT}` }
          }
        },
        facts(host) {
          const record = hosts.get(host)
          const marked = whereDisabled(fleet, host)
          const report = reportOf(record)
          return [
            {
              subject: marked === 'trait' ? 'trait' : 'status',
              required: 'ENABLED',
              actual:
                marked === 'status'
                  ? (hostStatuses[at(hosts.columns.status, host)] as string)
                  : marked === 'trait'
                    ? DISABLED_TRAIT
                    : 'DISABLED',
              requiredFrom: fromRule(isForced(request) ? 'a forced host must be enabled' : 'a host must be enabled'),
              actualFrom: marked === 'status' ? statusOf(record) : marked === 'trait' ? report : { ...report, kind: 'service' },
            },
          ]
        },
      }
    },
  })

const withStatus = (status: Filter): readonly Filter[] => [destination, zone, tenant, isolation, traits, imageType, status]

/** The filters in the order in which they run. */
export const placementFilters = withStatus(statusFor(true))

const withoutComputeFilter = withStatus(statusFor(false))

export const placementNames: ReadonlySet<string> = new Set(placementFilters.map(({ name }) => name))

const checksStatus = (filters: Profile['filters']): boolean =>
  filters.some(({ name, shadow }) => name === computeFilter.name && shadow !== true)

/** The Placement filters for a profile, with the profile's settings or Nova's defaults. */
export const filtersOfPlacement = ({ filters, nova }: Profile): readonly CompiledFilter[] =>
  (checksStatus(filters) ? placementFilters : withoutComputeFilter).map((filter) => ({
    filter,
    options: nova?.placement ?? usualPlacement,
    isNet: false,
    isOutside: false,
    verifiedAt: 'HARD',
    sinceLevel: PLACEMENT_RULES,
  }))

/**
 * The request without the traits that `root_required` of a Nova document names, if no other part requires them. Nova does not compare these
 * traits with isolated aggregates.
 */
function withoutRootTraits(request: RequestSpec): RequestSpec {
  const params = request.nova === null ? undefined : readNova(request)?.requestLevelParams
  if (!params || params.rootRequired.length === 0) return request
  const isRoot = ({ amounts, requiredTraits: required, forbiddenTraits }: RequestSpec['requestedResources'][number]): boolean =>
    amounts.length === 0 && required.join() === params.rootRequired.join() && forbiddenTraits.join() === params.rootForbidden.join()
  const root = request.requestedResources.findLastIndex(isRoot)
  return { ...request, requestedResources: request.requestedResources.filter((_, i) => i !== root) }
}

/** All traits that the request requires: by its flavor, its resource groups and its image. */
function requiredTraits(request: RequestSpec): readonly string[] {
  return [...new Set([...demandOf(request).requiredTraits, ...imageTraits(request)])]
}

function imageTraits(request: RequestSpec): readonly string[] {
  const required = imageOf(request)?.properties.traits_required
  return Array.isArray(required) ? required.map(String) : []
}

/** The image of the request in Nova's form. Undefined if Nova cannot read the image. */
const imageOf = (request: RequestSpec): NovaImage | null | undefined => readNova(request)?.image

/**
 * The request in Nova's form. Undefined if Nova cannot read it. No error is needed here, because the filter `Candidates` then refuses every
 * host and states the error.
 */
function readNova(request: RequestSpec): NovaRequest | undefined {
  try {
    return novaRequestOf(request)
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return undefined
  }
}

/**
 * The trait for the image's disk format. An instance that boots from a volume needs no such trait, because the host does not read the
 * image.
 */
function imageTypeTrait(request: RequestSpec): string | undefined {
  const format = request.isBfv ? undefined : imageOf(request)?.diskFormat?.toUpperCase()
  return format !== undefined && IMAGE_TYPES.has(format) ? `COMPUTE_IMAGE_TYPE_${format}` : undefined
}

/** Finds the aggregates that have a metadata entry for which `isWanted` returns true. */
const aggregatesWith = ({ aggregates }: Fleet, isWanted: (key: string, value: string) => boolean): readonly Aggregate[] =>
  [...aggregates.byUuid.values()].filter(({ metadata }) => Object.entries(metadata).some(([key, value]) => isWanted(key, value)))

const uuidsOf = (aggregates: readonly Aggregate[]): readonly string[] => aggregates.map(({ uuid }) => uuid)

const namesOf = ({ hosts, aggregates }: Fleet, host: HostIndex): string =>
  shortList(aggregates.of(hosts.get(host).host).map(({ name }) => name)) || 'none'
