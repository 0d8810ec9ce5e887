import { fromImage, fromOption, fromRequest, fromRule, type Source } from '../evidence.ts'
import type { Filter, FilterOptions } from '../filters/filter.ts'
import { prepareTraits } from '../filters/traits.ts'
import { ZONE_KEY } from '../fleet/aggregate-keys.ts'
import type { Aggregate } from '../fleet/aggregates.ts'
import { hostStatuses } from '../fleet/change.ts'
import { at } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { DEFAULT_ZONE } from '../fleet/hosts.ts'
import { PLACEMENT_RULES } from '../fleet/levels.ts'
import { aggregatesOf, membershipsOf, reportOf, statusOf } from '../fleet/sources.ts'
import type { HostIndex } from '../host-index.ts'
import { type Check, cell, forbidden, inAnyOf, memberships, preparedOf, whichPlaces } from '../pipeline/candidates.ts'
import type { PreparedFilter } from '../prepared-filter.ts'
import { type PlacementRules, type Profile, usualPlacement } from '../profiles/profile.ts'
import { keysFrom, namedKeys, type RequestReads, type RequestReadsBy, readsBy, TRAITS_IN_OBJECTS } from '../request/request-reads.ts'
import { demandOf, type RequestSpec } from '../request/request-spec.ts'
import { traitFrom } from '../request/sources.ts'
import { shortList } from '../short-list.ts'
import { novaNameLists } from './compat-candidates.ts'
import { NovaError } from './nova-error.ts'
import { isRebuild } from './nova-filter.ts'
import type { NovaImage } from './objects/request.ts'
import { novaRequestOf } from './own-request.ts'
import { toldService } from './told-service.ts'

/**
 * What Nova has Placement decide before it asks its own filters, under `compat: nova`: forced hosts are asked too, and of a rebuild nothing is
 * asked. They say what they were made of as every filter does.
 */
interface Definition extends Pick<Filter, 'name' | 'description' | 'admits' | 'readsMetadata'> {
  readonly readsRequest?: RequestReadsBy<PlacementRules>
  readonly reads?: Filter['reads']
  /** Undefined: the request, or the profile, asks nothing of it. */
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
  description: 'The host has the node of the requested destination, is in its cell and aggregates, and in none of the forbidden ones.',
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

/** A node that is named without its host: Nova looks the host up before it asks Placement. */
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

/** A zone that no aggregate has is the default one, or there is no such zone: then no host is in it. */
const zone = placementFilter({
  name: 'PlacementZone',
  description: 'The host is in an aggregate of the availability zone asked for, or in none of any zone where the default one is.',
  admits: {
    by: 'place',
    which: ({ availabilityZone }) => `in availability zone ${availabilityZone}`,
  },
  readsMetadata: [{ key: ZONE_KEY, option: 'availabilityZone' }],
  readsRequest: ({ availabilityZone }) => (availabilityZone ? { fields: ['zone'] } : {}),
  prepare(request, fleet, { availabilityZone: isAsked, defaultAvailabilityZone: byDefault }) {
    const need = request.availabilityZone
    if (!isAsked || !need) return undefined
    const { hosts, aggregates } = fleet
    const wanted = aggregatesWith(fleet, (key, value) => key === ZONE_KEY && value === need)
    // Nova restricts nothing by a zone that no aggregate has: `nova:HOST` forces a host, whatever its zone is
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

/** Aggregates name their projects under keys that begin so. */
export const TENANT_KEY = 'filter_tenant_id'

const tenant = placementFilter({
  name: 'PlacementTenant',
  description: 'The host is in an aggregate that names the project, where one does.',
  admits: {
    by: 'property',
    which: ({ projectId }) => `in the aggregates of project ${projectId ?? 'none'}`,
  },
  readsMetadata: [{ key: `${TENANT_KEY}*`, by: 'operators, one key for each project', option: 'limitTenants' }],
  prepare(request, fleet, { limitTenants, tenantsNeedAggregate }) {
    if (!limitTenants) return undefined
    const project = request.projectId
    // a value names one project; several have keys of their own, filter_tenant_id:2
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

/** Of an image Nova takes traits that are required: it forbids none, and knows no other value. */
const traitKeys: RequestReads = {
  extraSpecs: keysFrom(TRAIT_PREFIX),
  imageProperties: (key, value) => (key.startsWith(TRAIT_PREFIX) && value === 'required') || key === TRAITS_IN_OBJECTS,
}

const isolation = placementFilter({
  name: 'PlacementIsolation',
  description: 'No aggregate of the host is kept for requests that require a trait which this one does not.',
  admits: { by: 'property', which: () => 'in no aggregate that is kept for requests with other traits' },
  readsMetadata: [{ key: `${TRAIT_PREFIX}*`, by: 'operators, one key for each trait', option: 'isolateAggregates' }],
  readsRequest: ({ isolateAggregates }) => (isolateAggregates ? traitKeys : {}),
  prepare(request, fleet, { isolateAggregates }) {
    if (!isolateAggregates) return undefined
    const asked = new Set(requiredTraits(request))
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
  description: 'The host has every trait that flavor and image require, and none that they forbid.',
  readsRequest: { ...traitKeys, fields: ['traits'] },
  admits: {
    by: 'property',
    which(request) {
      const [required, forbidden] = [requiredTraits(request), demandOf(request).forbiddenTraits]
      return [
        ...(required.length === 0 ? [] : [`with ${shortList(required)}`]),
        ...(forbidden.length === 0 ? [] : [`without ${shortList(forbidden)}`]),
      ].join(', ')
    },
  },
  reads: ['traits'],
  prepare(request, fleet) {
    const required = requiredTraits(request)
    const ofImage = new Set(imageTraits(request))
    const from = (trait: string): Source =>
      ofImage.has(trait) && !demandOf(request).requiredTraits.includes(trait) ? fromImage(TRAIT_PREFIX + trait) : traitFrom(request, trait)
    return prepareTraits(fleet, required, demandOf(request).forbiddenTraits, from)
  },
})

/** Disk formats for which there is a trait; of any other nothing is asked. */
const IMAGE_TYPES: ReadonlySet<string> = new Set('AKI AMI ARI ISO PLOOP QCOW2 RAW VDI VHD VHDX VMDK'.split(' '))

const imageType = placementFilter({
  name: 'PlacementImageType',
  description: 'The host has the trait of the disk format of the image.',
  readsRequest: ({ imageType: isAsked }) => (isAsked ? { imageProperties: namedKeys('disk_format') } : {}),
  admits: { by: 'property', which: (request) => `with ${imageTypeTrait(request)}` },
  reads: ['traits'],
  prepare(request, fleet, { imageType: isAsked }) {
    const trait = isAsked ? imageTypeTrait(request) : undefined
    return trait === undefined ? undefined : prepareTraits(fleet, [trait], [], () => fromImage('disk_format'))
  },
})

/** Others are ComputeFilter's, which is not asked about forced hosts. */
const status = placementFilter({
  name: 'PlacementStatus',
  description: 'A forced host is enabled.',
  prepare(request, { hosts }) {
    if (!isForced(request)) return undefined
    const told = (host: HostIndex) => toldService(hosts.get(host).stats)
    const isEnabled = (host: HostIndex): boolean => at(hosts.columns.status, host) === 0
    return {
      passes: (host) => isEnabled(host) && told(host)?.disabled !== true,
      reason: (host) =>
        isEnabled(host)
          ? { code: 'host.disabled', have: 'DISABLED', source: told(host)?.disabledReason ?? '' }
          : {
              code: 'host.disabled',
              have: hostStatuses[at(hosts.columns.status, host)] as string,
              source: hosts.get(host).statusReason,
            },
      facts: (host) => [
        {
          subject: 'status',
          required: 'ENABLED',
          actual: isEnabled(host) ? 'DISABLED' : (hostStatuses[at(hosts.columns.status, host)] as string),
          requiredFrom: fromRule('a forced host must be enabled'),
          actualFrom: isEnabled(host) ? { ...reportOf(hosts.get(host)), kind: 'service' } : statusOf(hosts.get(host)),
        },
      ],
    }
  },
})

/** In the order in which they are asked: places before properties. */
export const placementFilters: readonly Filter[] = [destination, zone, tenant, isolation, traits, imageType, status]

export const placementNames: ReadonlySet<string> = new Set(placementFilters.map(({ name }) => name))

/** What a profile says of them; where it says nothing, what Nova does by default. */
export const placementOptions = ({ nova }: Profile): FilterOptions => nova?.placement ?? usualPlacement

/** Traits that the flavor, groups of resources, or the image require. */
function requiredTraits(request: RequestSpec): readonly string[] {
  return [...new Set([...demandOf(request).requiredTraits, ...imageTraits(request)])]
}

function imageTraits(request: RequestSpec): readonly string[] {
  const told = imageOf(request)?.properties.traits_required
  return Array.isArray(told) ? told.map(String) : []
}

/** An image that cannot be read says nothing here: the candidates refuse every host for it, with what is wrong. */
function imageOf(request: RequestSpec): NovaImage | null | undefined {
  try {
    return novaRequestOf(request).image
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return undefined
  }
}

/** Of what boots from a volume no host reads an image. */
function imageTypeTrait(request: RequestSpec): string | undefined {
  const format = request.isBfv ? undefined : imageOf(request)?.diskFormat?.toUpperCase()
  return format !== undefined && IMAGE_TYPES.has(format) ? `COMPUTE_IMAGE_TYPE_${format}` : undefined
}

/** Aggregates with such an entry in their metadata. */
const aggregatesWith = ({ aggregates }: Fleet, isWanted: (key: string, value: string) => boolean): readonly Aggregate[] =>
  [...aggregates.byUuid.values()].filter(({ metadata }) => Object.entries(metadata).some(([key, value]) => isWanted(key, value)))

const uuidsOf = (aggregates: readonly Aggregate[]): readonly string[] => aggregates.map(({ uuid }) => uuid)

const namesOf = ({ hosts, aggregates }: Fleet, host: HostIndex): string =>
  shortList(aggregates.of(hosts.get(host).host).map(({ name }) => name)) || 'none'
