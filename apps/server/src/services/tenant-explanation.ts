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
import type { Replica } from '../replica/replica.ts'
import type { RefusalReason, StoredDecision } from './decisions.ts'
import type { Explain } from './explain.ts'
import { foreignParts } from './own-request.ts'
import type { SpecDocument } from './placement-input.ts'

/** MET: some host meets it, with those before it; IN_THE_WAY: none does; NOT_TOLD: neither is said. */
export type DemandState = 'MET' | 'IN_THE_WAY' | 'NOT_TOLD'

/** One thing that the request asks of a host. */
export interface DemandTold {
  readonly demand: TenantDemand
  /** In the words of the request. */
  readonly asked: string
  readonly state: DemandState
  readonly text: string
}

/**
 * What a project may know about a decision of its own: its own request, and how far the demands of it are met by any host
 * at all. Nothing in it comes from a single host: each word could be found out by placing parts of the same request.
 */
export interface TenantExplanation {
  readonly outcome: StoredDecision['outcome']
  readonly instanceCount: number
  readonly placedCount: number
  readonly headline: string
  /** In the order in which they are asked. */
  readonly demands: readonly DemandTold[]
  /** Whether the project itself can change what is in the way; null where nothing is, or it is not told. */
  readonly isInYourHands: boolean | null
}

export interface TenantExplanations {
  ofDecision(decision: StoredDecision): TenantExplanation
  /** What placing the request would meet now; nothing is claimed. Throws InputFault for what is not valid. */
  ofSpec(spec: SpecDocument, profile: string | null): Promise<TenantExplanation>
}

export function createTenantExplanations(replica: Replica, explain: Explain): TenantExplanations {
  return {
    ofDecision: ({ outcome, record, answer, reasons }) => {
      const { request, intent = 'CREATE' } = record
      const mayBeTold = isOwnWord(currentSpec(request)) && (intent === 'CREATE' || intent === 'UNSHELVE')
      const profile = replica.fleet.profiles.find(record.profile)
      return tell({
        request: currentSpec(request),
        outcome,
        placed: Math.max(answer.length, record.instances.length - 1),
        profile: mayBeTold ? profile : undefined,
        reasons,
      })
    },
    async ofSpec(spec, named) {
      const { question, steps } = await explain.explain({ type: 'spec', spec }, { profile: named, profilePath: ['profile'] })
      const request = currentSpec(question.record.request)
      const placed = question.answer.length
      const outcome = placed === request.numInstances ? 'PLACED' : placed === 0 ? 'NO_VALID_HOST' : 'PARTIAL'
      const reasons = outcome === 'PLACED' ? [] : steps.flatMap((step) => step.reasons)
      return tell({
        request,
        outcome,
        // how many would fit is the room of the fleet, for the asking
        placed: outcome === 'PLACED' ? placed : null,
        profile: isOwnWord(request) ? question.profile : undefined,
        reasons,
      })
    },
  }
}

/** A request that the project itself could have made: what comes of another one is about hosts that somebody named. */
const isOwnWord = (request: RequestSpec): boolean => request.projectId !== null && foreignParts(request, request.projectId, []).length === 0

/** What is to be told, and what of it may be: without a profile, no demand is. */
export interface Telling {
  readonly request: RequestSpec
  readonly outcome: StoredDecision['outcome']
  /** For how many a host was found: they hold nothing where it is all or none; null: not to be told. */
  readonly placed: number | null
  readonly profile: Profile | undefined
  /** Of the instance that found no host, in the order of the filters. */
  readonly reasons: readonly Pick<RefusalReason, 'filter' | 'code'>[]
}

/** The explanation from the request, and from the one filter that left no host. */
export function tell({ request, outcome, placed, profile, reasons }: Telling): TenantExplanation {
  const asked = askedOf(request)
  const states = outcome === 'PLACED' ? allMet(asked) : profile === undefined ? new Map() : statesOf(asked, profile, reasons)
  const order = profile === undefined ? [] : filtersOf(profile).flatMap((filter) => demandsOfFilter[filter] ?? [])
  const place = (demand: TenantDemand): number => (order.indexOf(demand) + order.length + 1) % (order.length + 1)
  const demands = [...asked]
    .sort(([a], [b]) => place(a) - place(b))
    .map(([demand, words]) => ({ demand, asked: words, state: (states.get(demand) ?? 'NOT_TOLD') as DemandState }))
  const isAfterOthers = demands.some(({ state }) => state === 'MET')
  const isInTheWay = demands.some(({ state }) => state === 'IN_THE_WAY')
  return {
    outcome,
    instanceCount: request.numInstances,
    placedCount: placed ?? 0,
    headline: headlineOf(outcome, placed, request.numInstances, demands),
    demands: demands.map((each) => ({ ...each, text: textOf(each.demand, each.state, isAfterOthers) })),
    isInYourHands: isInTheWay ? true : null,
  }
}

/**
 * The filter after which no host is left tells two things: that some host meets what was asked before it, and that none
 * meets it as well. Both are what a project learns by placing those parts of its request. That holds only where the
 * operators' own questions come first: else how far the request comes would tell of hosts that are closed to it.
 */
function statesOf(
  asked: ReadonlyMap<TenantDemand, string>,
  profile: Profile,
  reasons: Telling['reasons'],
): ReadonlyMap<TenantDemand, DemandState> {
  const filters = filtersOf(profile)
  const last = reasons.at(-1)
  const at = last === undefined ? -1 : filters.indexOf(bareName(last.filter))
  const isOperators = (filter: string): boolean => demandsOfFilter[filter] === undefined
  if (at === -1 || filters.slice(at).some(isOperators)) return new Map()
  const codes = reasons.filter(({ filter }) => filter === last?.filter).map(({ code }) => code)
  const known: Readonly<Record<string, TenantDemand | null>> = tenantDemandOf
  const own = demandsOfFilter[filters[at] as string] ?? []
  // a code that is not this filter's to give: it failed, or is not what it was
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

/** ResourceClassFilter counts once more for the claim what other filters may have counted before it. */
const COUNTED: readonly TenantDemand[] = ['VCPUS', 'MEMORY', 'DISK']

const isAskedAgain = (later: ReadonlySet<TenantDemand>, demand: TenantDemand): boolean => later.has(demand) && !COUNTED.includes(demand)

const allMet = (asked: ReadonlyMap<TenantDemand, string>): ReadonlyMap<TenantDemand, DemandState> =>
  new Map([...asked.keys()].map((demand) => [demand, 'MET']))

/** The filters of a profile in the order in which they are asked. */
const filtersOf = (profile: Profile): readonly string[] => compileProfile(profile).filters.map(({ filter }) => bareName(filter.name))

/** What Nova's own filters leave out is asked once more for the claim, under a longer name. */
const bareName = (filter: string): string => filter.replace(/ \(claim\)$/, '')

/** What the request asks of a host, in its words. Extra specs are the flavor's, and the operators': their words are not told. */
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

function headlineOf(
  outcome: TenantExplanation['outcome'],
  placed: number | null,
  asked: number,
  demands: readonly Omit<DemandTold, 'text'>[],
) {
  if (outcome === 'PLACED') return asked === 1 ? 'The instance was placed.' : `All ${asked} instances were placed.`
  const inTheWay = demands.filter(({ state }) => state === 'IN_THE_WAY').map((each) => each.asked)
  const none =
    placed === null && asked > 1 ? `No host was found for one of the ${asked} instances.` : noHostFoundMessage(placed ?? 0, asked)
  if (inTheWay.length === 0) return `${none} What is in the way is not told; the operators can see it by the id of the decision.`
  return `${none} In the way: ${inTheWay.join(', ')}.`
}

function textOf(demand: TenantDemand, state: DemandState, isAfterOthers: boolean): string {
  const { lacks, cure } = tenantDemands[demand]
  if (state === 'NOT_TOLD') return 'Whether this is met is not told.'
  if (state === 'MET') return 'Some host meets this, and the demands before it.'
  return `No host ${isAfterOthers ? 'that meets the demands before it ' : ''}${lacks}. ${cure}`
}

/** What a project is told at once where it finds no host. */
export const noHostFoundMessage = (placed: number, asked: number): string =>
  `No host was found for ${asked === 1 ? 'the instance' : `instance ${placed + 1} of ${asked}`}.`
