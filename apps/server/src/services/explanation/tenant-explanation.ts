import {
  compileProfile,
  counted,
  currentSpec,
  demandOf,
  demandsOfFilter,
  type Profile,
  type RequestSpec,
  type TenantDemand,
  tenantDemandOf,
  tenantDemands,
} from '@gantt/scheduler-core'
import type { Replica } from '../../replica/replica.ts'
import type { RefusalReason, StoredDecision } from '../decision/decisions.ts'
import { foreignParts } from '../key/own-request.ts'
import { projectNoHostMessage } from '../placement/no-valid-host.ts'
import type { SpecDocument } from '../placement/placement-input.ts'
import type { Explain } from './explain.ts'

/**
 * The states of demands, in the order in which demands are listed. MET if a host meets all demands with this state. IN_THE_WAY if no host
 * meets these and all demands that are in the way. NOT_TOLD if the result is unknown or must not be shown to the tenant.
 */
const STATES = ['MET', 'IN_THE_WAY', 'NOT_TOLD'] as const

export type DemandState = (typeof STATES)[number]

/** One demand (requirement) of the request, with the result as the tenant sees it. */
export interface DemandTold {
  readonly demand: TenantDemand
  /** The value that the request states for this demand. */
  readonly asked: string
  readonly state: DemandState
  readonly text: string
}

/** A demand without its result in words. */
type Untold = Omit<DemandTold, 'text'>

/**
 * What a tenant (an OpenStack project) may know about its own decision: the request, and which demands of the request a host meets. An
 * explanation contains no data about any single host. The tenant could find out the same by placing parts of its request.
 */
export interface TenantExplanation {
  readonly outcome: StoredDecision['outcome']
  readonly instanceCount: number
  readonly placedCount: number
  readonly headline: string
  /** The demands in the order of their states, and with the same state in the order of evaluation. */
  readonly demands: readonly DemandTold[]
  /**
   * True if the tenant itself can change the demand that prevents the placement. Null if nothing prevents the placement, or if the tenant
   * must not learn the cause.
   */
  readonly isInYourHands: boolean | null
}

export interface TenantExplanations {
  ofDecision(decision: StoredDecision): TenantExplanation
  /** Explains the result that a placement of the request would have now. Nothing is claimed. Throws InputFault for an invalid request. */
  ofSpec(spec: SpecDocument, profile: string | null): Promise<TenantExplanation>
}

export function createTenantExplanations(replica: Replica, explain: Explain): TenantExplanations {
  return {
    ofDecision: ({ outcome, record, answer, reasons }) => {
      const { request, intent = 'CREATE' } = record
      const mayBeShown = isOwnWord(currentSpec(request)) && (intent === 'CREATE' || intent === 'UNSHELVE')
      const profile = replica.fleet.profiles.find(record.profile)
      return explainTo({
        request: currentSpec(request),
        outcome,
        placed: Math.max(answer.length, record.instances.length - 1),
        profile: mayBeShown ? profile : undefined,
        reasons,
      })
    },
    async ofSpec(spec, named) {
      const { question, steps } = await explain.explain({ type: 'spec', spec }, { profile: named, profilePath: ['profile'] })
      const request = currentSpec(question.record.request)
      const placed = question.answer.length
      const outcome = placed === request.numInstances ? 'PLACED' : placed === 0 ? 'NO_VALID_HOST' : 'PARTIAL'
      const reasons = outcome === 'PLACED' ? [] : steps.flatMap((step) => step.reasons)
      return explainTo({
        request,
        outcome,
        // The number of instances that would fit would reveal how much is free in the fleet.
        placed: outcome === 'PLACED' ? placed : null,
        profile: isOwnWord(request) ? question.profile : undefined,
        reasons,
      })
    },
  }
}

/**
 * True if the tenant itself could have made the request. Any other request can name hosts, and its explanation could reveal facts about
 * these hosts.
 */
const isOwnWord = (request: RequestSpec): boolean => request.projectId !== null && foreignParts(request, request.projectId, []).length === 0

/** The inputs of an explanation. Without a profile, the state of every demand is unknown. */
export interface Disclosed {
  readonly request: RequestSpec
  readonly outcome: StoredDecision['outcome']
  /**
   * For how many instances a host was found. If the request is all-or-nothing and one instance found no host, nothing is claimed for these
   * either. Null if the tenant (the OpenStack project) must not learn this number.
   */
  readonly placed: number | null
  readonly profile: Profile | undefined
  /** The reasons why no host was found for an instance, in the order of the filters. */
  readonly reasons: readonly Pick<RefusalReason, 'filter' | 'code'>[]
}

/** Derives the explanation from the request and from the filter after which no host was left. */
export function explainTo({ request, outcome, placed, profile, reasons }: Disclosed): TenantExplanation {
  const asked = askedOf(request)
  const states: ReadonlyMap<TenantDemand, DemandState> =
    outcome === 'PLACED' ? allMet(asked) : profile === undefined ? new Map() : statesOf(asked, profile, reasons)
  const order = profile === undefined ? [] : filtersOf(profile).flatMap((filter) => demandsOfFilter[filter] ?? [])
  const orderOf = (demand: TenantDemand): number => (order.indexOf(demand) + order.length + 1) % (order.length + 1)
  const demands = [...asked]
    .map(([demand, words]) => ({ demand, asked: words, state: states.get(demand) ?? 'NOT_TOLD' }))
    .sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state) || orderOf(a.demand) - orderOf(b.demand))
  const inTheWay = demands.filter(({ state }) => state === 'IN_THE_WAY')
  return {
    outcome,
    instanceCount: request.numInstances,
    placedCount: placed ?? 0,
    headline: headlineOf(outcome, placed, request.numInstances, inTheWay),
    demands: demands.map((each, i) => ({ ...each, text: textOf(each, i > 0 && demands[0]?.state === 'MET', inTheWay) })),
    isInYourHands: inTheWay.length > 0 ? true : null,
  }
}

/**
 * If a filter leaves no host, some host meets the demands evaluated before it, but no host also meets the demands of this filter. A tenant
 * can learn both facts by placing these parts of its request. They are shown only if the filters of operators come before the filters of
 * demands. Otherwise the states would reveal facts about hosts that operators closed to the tenant.
 */
function statesOf(
  asked: ReadonlyMap<TenantDemand, string>,
  profile: Profile,
  reasons: Disclosed['reasons'],
): ReadonlyMap<TenantDemand, DemandState> {
  const filters = filtersOf(profile)
  const last = reasons.at(-1)
  const at = last === undefined ? -1 : filters.indexOf(bareName(last.filter))
  const isOperators = (filter: string): boolean => demandsOfFilter[filter] === undefined
  if (at === -1 || filters.slice(at).some(isOperators)) return new Map()
  const codes = reasons.filter(({ filter }) => filter === last?.filter).map(({ code }) => code)
  const known: Readonly<Record<string, TenantDemand | null>> = tenantDemandOf
  const own = demandsOfFilter[filters[at] as string] ?? []
  // the code does not belong to a demand of this filter, for example because the filter failed
  if (codes.some((code) => !own.some((demand) => demand === known[code]))) return new Map()

  const states = new Map<TenantDemand, DemandState>()
  const later = new Set(filters.slice(at).flatMap((filter) => demandsOfFilter[filter] ?? []))
  for (const filter of filters.slice(0, at))
    for (const demand of demandsOfFilter[filter] ?? []) if (asked.has(demand) && !isAskedAgain(later, demand)) states.set(demand, 'MET')
  const inTheWay = own.filter((demand) => asked.has(demand))
  const unmet = inTheWay.filter((demand) => !states.has(demand))
  for (const demand of unmet.length > 0 ? unmet : inTheWay) states.set(demand, 'IN_THE_WAY')
  return states
}

/**
 * Demands that ResourceClassFilter checks again for the claim. If an earlier filter has passed hosts, these demands are MET nevertheless.
 */
const COUNTED: readonly TenantDemand[] = ['VCPUS', 'MEMORY', 'DISK']

const isAskedAgain = (later: ReadonlySet<TenantDemand>, demand: TenantDemand): boolean => later.has(demand) && !COUNTED.includes(demand)

const allMet = (asked: ReadonlyMap<TenantDemand, string>): ReadonlyMap<TenantDemand, DemandState> =>
  new Map([...asked.keys()].map((demand) => [demand, 'MET']))

/** The filters of a profile in the order of evaluation. */
const filtersOf = (profile: Profile): readonly string[] => compileProfile(profile).filters.map(({ filter }) => bareName(filter.name))

/**
 * The name of a filter without the suffix ` (claim)`. Filters with this suffix check, under Nova's rules, the demands that Nova's own
 * filters do not check.
 */
const bareName = (filter: string): string => filter.replace(/ \(claim\)$/, '')

/** The texts of the request's demands. Extra specs belong to the flavor, which operators define, so their texts are not shown. */
function askedOf(request: RequestSpec): ReadonlyMap<TenantDemand, string> {
  const { amounts, vcpus, memoryMib, diskGib, requiredTraits, forbiddenTraits } = demandOf(request)
  const { availabilityZone, numaTopology, pciRequests, gpus, image, instanceGroup, flavor } = request
  const others = Object.entries(amounts).filter(([name]) => !['VCPU', 'MEMORY_MB', 'DISK_GB'].includes(name))
  const traits = [...requiredTraits, ...forbiddenTraits.map((trait) => `not ${trait}`)]
  const devices = pciRequests.reduce((sum, { count }) => sum + count, 0)
  const hasExtraSpecs = Object.keys(flavor.extraSpecs).some((key) => !/^(resources|trait):/.test(key))
  const needs = Object.entries(image?.properties ?? {}).map(([key, value]) => `${key} = ${value}`)
  if (image?.architecture) needs.unshift(image.architecture)
  const words: readonly (readonly [TenantDemand, string | false | null])[] = [
    ['ZONE', availabilityZone],
    ['MEMORY', memoryMib > 0 && `${memoryMib} MiB`],
    ['VCPUS', vcpus > 0 && counted(vcpus, 'vCPU')],
    ['DISK', diskGib > 0 && `${diskGib} GiB`],
    ['EXTRA_SPECS', hasExtraSpecs && (flavor.name === null ? 'what the flavor asks for' : `what flavor ${flavor.name} asks for`)],
    ['IMAGE', needs.join(', ')],
    ['TRAITS', traits.join(', ')],
    ['SERVER_GROUP', instanceGroup?.policy ?? null],
    ['RESOURCES', others.map(([name, amount]) => `${amount} ${name}`).join(', ')],
    ['NUMA', numaTopology && counted(numaTopology.cells.length, 'cell')],
    ['PCI', devices > 0 && counted(devices, 'device')],
    ['GPUS', gpus && (gpus.shareMilli === 1_000 ? counted(gpus.count, 'GPU') : `${gpus.count} × ${gpus.shareMilli}/1000 GPU`)],
  ]
  return new Map(words.flatMap(([demand, text]) => (text ? [[demand, text] as const] : [])))
}

function headlineOf(outcome: TenantExplanation['outcome'], placed: number | null, asked: number, inTheWay: readonly Untold[]): string {
  if (outcome === 'PLACED') return asked === 1 ? 'The instance was placed.' : `All ${asked} instances were placed.`
  const words = inTheWay.map((each) => each.asked)
  const none = projectNoHostMessage(placed, asked)
  if (words.length === 0) return `${none} The cause is not shown; operators can see it with the id of the decision.`
  if (words.length === 1) return `${none} The cause: ${words[0]}.`
  return `${none} No host meets these requirements together: ${words.join(', ')}.`
}

/**
 * The result for a demand in words. If one filter refuses several demands (`inTheWay`), a host can meet each of them alone, so none of them
 * is said to be unmet by itself.
 */
function textOf(each: Untold, isAfterMet: boolean, inTheWay: readonly Untold[]): string {
  const { lacks, cure } = tenantDemands[each.demand]
  if (each.state === 'NOT_TOLD') return 'It is not shown whether this requirement is met.'
  if (each.state === 'MET')
    return `At least one host meets this requirement${isAfterMet ? ' together with all requirements listed above it' : ''}.`
  const others = inTheWay.filter((other) => other !== each).map(({ asked }) => asked)
  if (others.length === 0) return `No host ${isAfterMet ? 'that meets all requirements listed above this one ' : ''}${lacks}. ${cure}`
  return `No host ${isAfterMet ? 'that meets all requirements listed as met ' : ''}meets this requirement together with ${others.join(', ')}. ${cure}`
}
