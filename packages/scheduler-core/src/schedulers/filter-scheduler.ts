import type { CompiledProfile } from '../contracts/compiled-profile.ts'
import { createScheduler, type Scheduler, type Selection, type SelectOptions } from '../contracts/scheduler.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import { reserveInFigures } from '../hosts/allocation.ts'
import { at } from '../hosts/columns.ts'
import { allKinds } from '../kinds/index.ts'
import type { BestHosts } from '../pipeline/best-hosts/best-hosts.ts'
import { classCacheOf } from '../pipeline/best-hosts/class-cache.ts'
import { Finding } from '../pipeline/best-hosts/finding.ts'
import { prepareIndexedSearch } from '../pipeline/best-hosts/indexed-search.ts'
import { canBeKept, kindKeyOf, type PreparedKind } from '../pipeline/best-hosts/kept-kinds.ts'
import { type FilterStep, withoutKept } from '../pipeline/filtering/filter-step.ts'
import { isAsked, prepareFilters, prepareFiltersInSteps, runFiltersInSteps } from '../pipeline/filtering/run-filters.ts'
import { placeEachInSteps } from '../pipeline/place-each.ts'
import { createChanceOrder, createTieOrder, drawRank, rankAll, type TieOrder } from '../pipeline/weighing/pick.ts'
import { prepareWeighers, runWeighersInSteps, type WeighStep } from '../pipeline/weighing/run-weighers.ts'
import type { ClaimPart, Grants, GroupBinding } from '../records/change.ts'
import type { Destination, InstanceRecord, SelectedDestination } from '../records/decision.ts'
import { withOwnTexts } from '../request/for-instances.ts'
import { type Members, membersAt } from '../request/members.ts'
import { demandOf, type RequestSpec } from '../request/request-spec.ts'
import { byCodeUnit } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { LIMITS_WITH_RESERVES } from '../values/levels.ts'
import { NumberBuffers } from '../values/number-buffers.ts'
import { createRandom, type Random } from '../values/random.ts'
import { HOSTS_AT_ONCE, type Steps } from '../values/steps.ts'
import { findHostForAll, goTogether } from './host-for-all.ts'

/** A decision's record lists at most this many of the best hosts. */
export const BEST_KEPT = 10

/** Creates the scheduler FILTER. Among the hosts that pass the profile's filters, it chooses the host with the highest total score. */
export const createFilterScheduler = (compiled: CompiledProfile): Scheduler => createPipelineScheduler('filter', byScores(compiled))

/** Creates the scheduler CHANCE. It chooses a random host among the hosts that pass the profile's filters. No weigher runs. */
export const createChanceScheduler = (compiled: CompiledProfile): Scheduler =>
  createPipelineScheduler('chance', {
    compiled,
    createOrder: (_profile, seed, instance) => createChanceOrder(seed, instance),
    prepareScores: () => [],
    isIndexed: false,
  })

interface Pipeline {
  readonly compiled: CompiledProfile
  /** False if hosts are only ranked by the tie order. An index would not save examining every host. */
  readonly isIndexed: boolean
  readonly createOrder: (profile: CompiledProfile['profile'], seed: string, instance: number) => TieOrder
  readonly prepareScores: (compiled: CompiledProfile, request: RequestSpec, fleet: Fleet) => readonly WeighStep[]
}

const byScores = (compiled: CompiledProfile): Pipeline => ({
  compiled,
  createOrder: createTieOrder,
  prepareScores: prepareWeighers,
  isIndexed: true,
})

const createPipelineScheduler = (name: string, pipeline: Pipeline): Scheduler =>
  createScheduler(name, (...asked) => placeByPipeline(pipeline, ...asked))

/**
 * Places each instance on the host that `hosts` lists for it, if the host passes the profile's filters. The generator yields each time it
 * has examined `slice` hosts. No other code may use the fleet until the generator ends.
 */
export const placeOn = (
  compiled: CompiledProfile,
  hosts: readonly HostIndex[],
  request: RequestSpec,
  fleet: Fleet,
  overlay: Overlay,
  options: SelectOptions,
  slice: number,
): Steps<Selection> => placeByPipeline(byScores(compiled), request, fleet, overlay, options, slice, hosts)

function* placeByPipeline(
  pipeline: Pipeline,
  request: RequestSpec,
  fleet: Fleet,
  overlay: Overlay,
  options: SelectOptions,
  slice: number,
  given?: readonly HostIndex[],
): Steps<Selection> {
  const { allOrNothing } = options
  const { seed, alternatesPerInstance, claimIds, isExhaustive } = options
  const placing = new Placing(pipeline, request, fleet, { seed, alternatesPerInstance, claimIds, isExhaustive, slice, given })
  const { instances } = placing
  const before = overlay.size
  const placed = yield* placeEachInSteps(request.numInstances, allOrNothing, groupOf(request), overlay, (instance) =>
    placing.placeOne(instance),
  )
  if (given === undefined && placed.length < request.numInstances && goTogether(request, fleet)) {
    overlay.rollback(before)
    const host = yield* hostForAll(pipeline, request, fleet, overlay, options, slice)
    if (host !== undefined) {
      const all = new Array<HostIndex>(request.numInstances).fill(host)
      return yield* placeByPipeline(pipeline, request, fleet, overlay, options, slice, all)
    }
    if (!allOrNothing) for (const { part } of placed) overlay.hold(part, groupOf(request))
  }
  const kept = allOrNothing && placed.length < request.numInstances ? [] : placed
  return { parts: kept.map(({ part }) => part), answer: kept.map(({ answer }) => answer), instances, found: placed.length }
}

/** The steps of filters, without kept verdicts if every filter is to be called. */
const keptUnless = (isExhaustive: boolean | undefined, steps: readonly FilterStep[]): readonly FilterStep[] =>
  isExhaustive === true ? withoutKept(steps) : steps

/** Finds the best host on which all instances of the request fit together. */
function* hostForAll(
  { compiled, createOrder, prepareScores }: Pipeline,
  request: RequestSpec,
  fleet: Fleet,
  overlay: Overlay,
  { seed, isExhaustive }: Pick<SelectOptions, 'seed' | 'isExhaustive'>,
  slice: number,
): Steps<HostIndex | undefined> {
  const askOf = byMembers(request, ({ request: asked }) => ({
    asked,
    steps: keptUnless(isExhaustive, prepareFilters(compiled, asked, fleet)).filter(isAsked),
    grantsOn: prepareGrants(compiled, asked, fleet),
  }))
  const { asked, steps } = askOf(0)
  const { hosts } = yield* runFiltersInSteps(steps, fleet, slice)
  const weighed = yield* runWeighersInSteps(prepareScores(compiled, asked, fleet), Int32Array.from(hosts), slice)
  const ranked = yield* rankAll(weighed, createOrder(compiled.profile, seed, 0))
  const inOrder = ranked.map((position) => weighed.hosts[position] as HostIndex)
  return yield* findHostForAll(request, fleet, overlay, askOf, groupOf(request), inOrder)
}

interface Placed {
  readonly part: ClaimPart
  readonly answer: SelectedDestination
}

/** What was prepared for an earlier request of the kind, or else what is prepared now. */
function* preparedKind(pipeline: Pipeline, members: Members, fleet: Fleet, slice: number, isExhaustive: boolean): Steps<PreparedKind> {
  const { compiled, isIndexed } = pipeline
  const key = isIndexed && !isExhaustive ? kindKeyOf(compiled, members.request, fleet, members.count, slice) : undefined
  if (key === undefined) return yield* prepareKind(pipeline, members, fleet, slice, isExhaustive)
  const { kinds } = classCacheOf(fleet)
  const known = kinds.get(key)
  if (known !== undefined) return known
  const own = { ...members, request: withOwnTexts(members.request) }
  const prepared = yield* prepareKind(pipeline, own, fleet, slice, isExhaustive)
  if (canBeKept(prepared)) kinds.set(key, prepared)
  return prepared
}

function* prepareKind(
  { compiled, prepareScores, isIndexed }: Pipeline,
  { request, count }: Members,
  fleet: Fleet,
  slice: number,
  isExhaustive: boolean,
): Steps<PreparedKind> {
  const filters = keptUnless(isExhaustive, yield* prepareFiltersInSteps(compiled, request, fleet))
  const weighers = prepareScores(compiled, request, fleet)
  const search = { instances: count, isByIndex: compiled.profile.tieOrder === 'first-seen', slice }
  return {
    filters,
    weighers,
    indexed: isIndexed && !isExhaustive ? prepareIndexedSearch(filters.filter(isAsked), weighers, fleet, search) : undefined,
    grantsOn: prepareGrants(compiled, request, fleet),
    limitsOf: prepareLimits(request, fleet),
  }
}

interface PlacingOptions extends Omit<SelectOptions, 'allOrNothing'> {
  /** The placing yields each time it has examined this many hosts. */
  readonly slice: number
  /** The host on which each instance must be placed. Absent: each instance is placed on the best host. */
  readonly given?: readonly HostIndex[] | undefined
}

/** Data for one kind of instances: the gang members with equal requests. Prepared when the first instance of the kind is placed. */
interface Kind {
  readonly prepared: PreparedKind
  readonly finding: Finding
}

/**
 * Finds a host for each instance, one at a time. The caller must reserve each result in the overlay before the next call. Its generators are
 * methods, because a generator that is created in a function gets a hidden class and a prototype each time.
 */
class Placing {
  /** One record for each instance for which a host was searched. */
  readonly instances: InstanceRecord[] = []
  readonly #pipeline: Pipeline
  readonly #request: RequestSpec
  readonly #fleet: Fleet
  readonly #options: PlacingOptions
  readonly #kinds = new Map<Members, Kind>()
  readonly #random: Random

  constructor(pipeline: Pipeline, request: RequestSpec, fleet: Fleet, options: PlacingOptions) {
    this.#pipeline = pipeline
    this.#request = request
    this.#fleet = fleet
    this.#options = options
    this.#random = createRandom(options.seed)
  }

  /** Undefined if no host was found. */
  *placeOne(instance: number): Steps<Placed | undefined> {
    const buffers = new NumberBuffers()
    try {
      return yield* this.#placeWith(buffers, instance)
    } finally {
      buffers.end()
    }
  }

  *#placeWith(buffers: NumberBuffers, instance: number): Steps<Placed | undefined> {
    const fleet = this.#fleet
    const { profile } = this.#pipeline.compiled
    const { seed, alternatesPerInstance, claimIds, given } = this.#options
    const { prepared, finding } = yield* this.#kindOf(instance)
    const { grantsOn, limitsOf } = prepared
    const order = this.#pipeline.createOrder(profile, seed, instance)
    const found = yield* finding.find(buffers, Math.max(BEST_KEPT, alternatesPerInstance + 1, profile.hostSubsetSize), order)
    const { hosts, totals } = found
    this.instances.push({ candidates: fleet.hosts.presentCount, filters: found.filters, best: recordBest(fleet, found), tied: found.tied })
    if (hosts.length === 0) return undefined
    const drawn = hosts[drawRank(profile, found.passed, this.#random)]
    const host = given === undefined ? drawn : given[instance]
    const total = host === undefined ? undefined : found.totalOf(host)
    if (host === undefined || total === undefined) return undefined
    const uuid = this.#request.instanceUuids[instance] ?? null
    const { host: name, node } = fleet.hosts.get(host)
    const part: ClaimPart = { claim: claimIds[instance] as string, instance: uuid, host: name, node, grants: grantsOn(host) }
    const alternates: Destination[] = []
    for (let rank = 0; rank < hosts.length && alternates.length < alternatesPerInstance; rank++)
      if (hosts[rank] !== host) alternates.push(destination(fleet, hosts[rank] as HostIndex, totals[rank] as number, limitsOf))
    return { part, answer: { instance: uuid, selected: destination(fleet, host, total, limitsOf), alternates } }
  }

  *#kindOf(instance: number): Steps<Kind> {
    const members = membersAt(this.#request, instance)
    const known = this.#kinds.get(members)
    if (known !== undefined) return known
    const { slice, isExhaustive } = this.#options
    const prepared = yield* preparedKind(this.#pipeline, members, this.#fleet, slice, isExhaustive === true)
    const kind: Kind = { prepared, finding: new Finding(prepared, this.#fleet, members.count, slice) }
    this.#kinds.set(members, kind)
    return kind
  }
}

const destination = (fleet: Fleet, index: HostIndex, weight: number, limitsOf: PreparedKind['limitsOf']): Destination => {
  const { host, node } = fleet.hosts.get(index)
  return { host, node, weight, limits: limitsOf(index) }
}

/**
 * Returns the hosts that the scheduler FILTER chooses for the instances of a request. Empty if it cannot place all instances. The overlay
 * is unchanged when the generator ends.
 */
export function* arrangeByFilter(
  compiled: CompiledProfile,
  request: RequestSpec,
  fleet: Fleet,
  overlay: Overlay,
  seed: string,
): Steps<readonly HostIndex[]> {
  const before = overlay.size
  const pipeline = byScores(compiled)
  const claimIds = new Array<string>(request.numInstances).fill('')
  const placing = new Placing(pipeline, request, fleet, { seed, alternatesPerInstance: 0, claimIds, slice: HOSTS_AT_ONCE })
  const hosts: HostIndex[] = []
  for (let instance = 0; instance < request.numInstances; instance++) {
    const placed = yield* placing.placeOne(instance)
    const host = placed && fleet.hosts.find(placed.part)?.index
    if (placed === undefined || host === undefined) break
    overlay.hold(placed.part, groupOf(request))
    hosts.push(host)
    yield
  }
  overlay.rollback(before)
  return hosts.length === request.numInstances ? hosts : []
}

/** Returns a function that gives a value for each instance. Instances of one kind share a value, which is created at its first use. */
export function byMembers<Made>(request: RequestSpec, make: (members: Members) => Made): (instance: number) => Made {
  const made = new Map<Members, Made>()
  return (instance) => {
    const members = membersAt(request, instance)
    let known = made.get(members)
    if (known === undefined) {
      known = make(members)
      made.set(members, known)
    }
    return known
  }
}

/** The server group of the request, in the form in which claims store it. */
export const groupOf = ({ instanceGroup }: RequestSpec): GroupBinding | null =>
  instanceGroup === null
    ? null
    : {
        uuid: instanceGroup.uuid,
        policy: instanceGroup.policy,
        maxServerPerHost: instanceGroup.policy === 'ANTI_AFFINITY' ? (instanceGroup.maxServerPerHost ?? 1) : null,
        ...(instanceGroup.apartFrom.length > 0 && { apartFrom: [...new Set(instanceGroup.apartFrom)].sort(byCodeUnit) }),
      }

/**
 * Returns a function that chooses the resources of an instance (its grants) on a host that passed the filters, by the profile's assignment
 * rules.
 */
export function prepareGrants(compiled: CompiledProfile, request: RequestSpec, { hosts }: Fleet): (host: HostIndex) => Grants {
  const asks = allKinds.flatMap((kind) => {
    const ask = kind.isThere?.(hosts) === false ? undefined : kind.ask(request)
    return ask === undefined ? [] : [{ name: kind.name, isPlain: kind.isPlain === true, ask, assign: compiled.assign[kind.name] }]
  })
  return (host) => {
    // Each resource kind is given the grants that the earlier kinds chose on this host.
    let grants: Grants = {}
    for (const { name, isPlain, ask, assign } of asks) {
      const grant = assign(hosts, host, ask, grants)
      if (grant === undefined) throw new Error(`the resource kind ${name} found no grants on a host that passed its filter`)
      // An empty grant is left out if the grants of the kind are amounts by name (`isPlain`).
      if (!isPlain || Object.keys(grant as object).length > 0) grants = { ...grants, [name]: grant }
    }
    return grants
  }
}

/**
 * Returns a function that gives the limits of a host in an answer: for each requested resource class, the amount that the usage of the host
 * may reach. As in Nova, the host checks the limits again, by its own figures. In the figures of Nova, reserved amounts count as used.
 */
export function prepareLimits(request: RequestSpec, { hosts }: Fleet): (host: HostIndex) => Record<string, number> {
  const classes = Object.keys(demandOf(request).amounts)
  const inFigures = (host: HostIndex, resourceClass: string): number =>
    hosts.featureLevel < LIMITS_WITH_RESERVES ? 0 : reserveInFigures(hosts, hosts.get(host), resourceClass)
  return (host) =>
    Object.fromEntries(
      classes.map((resourceClass) => [
        resourceClass,
        at(hosts.classColumns(resourceClass).capacity, host) + inFigures(host, resourceClass),
      ]),
    )
}

function recordBest(fleet: Fleet, { hosts, totals, rawAt }: BestHosts): InstanceRecord['best'] {
  return hosts.slice(0, BEST_KEPT).map((index, rank) => {
    const { host, node } = fleet.hosts.get(index)
    return { host, node, raw: rawAt(rank), total: totals[rank] as number }
  })
}
