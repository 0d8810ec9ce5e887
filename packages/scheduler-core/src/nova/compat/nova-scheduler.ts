import type { CompiledProfile } from '../../contracts/compiled-profile.ts'
import { createScheduler, type Scheduler, type Selection } from '../../contracts/scheduler.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Overlay } from '../../fleet/overlay.ts'
import { type FilterStep, withoutKept } from '../../pipeline/filtering/filter-step.ts'
import { isAsked, prepareFiltersInSteps, runFiltersInSteps } from '../../pipeline/filtering/run-filters.ts'
import { withRounds } from '../../pipeline/rounds.ts'
import type { ClaimPart } from '../../records/change.ts'
import type { Destination, InstanceRecord } from '../../records/decision.ts'
import { omittedOf } from '../../report/stats-fields.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { BEST_KEPT, groupOf, prepareGrants, prepareLimits } from '../../schedulers/filter-scheduler.ts'
import type { PreparedFilter } from '../../text/prepared-filter.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { SPREAD_ASKED_AGAIN } from '../../values/levels.ts'
import { type Steps, WHOLE } from '../../values/steps.ts'
import { isSetInAggregates } from '../../weighers/aggregate-multiplier.ts'
import type { HostState } from '../objects/host-state.ts'
import type { NovaRequest } from '../objects/request.ts'
import { contextOf } from '../own/own-context.ts'
import { ownHostsOf } from '../own/own-hosts.ts'
import { prepareKeepsOwn } from '../parts/as-filter.ts'
import type { ServiceRules } from '../parts/service-rules.ts'
import { novaRequestOn } from '../requests/own-request.ts'
import { NovaError } from '../text/nova-error.ts'
import { type ColumnPlacement, fitsColumns, placeInColumns, type WeighedIndex } from './column-rounds.ts'
import { novaRulesOf } from './compat.ts'
import { explainRounds } from './explained-rounds.ts'
import { placementNames } from './placement-filters.ts'
import { type NovaRound, type NovaRules, placeInRoundsInSteps } from './rounds.ts'
import { placeSingle } from './single-placement.ts'

/**
 * Creates the scheduler for profiles with `compat: nova`. It runs Nova's scheduling algorithm with two differences. Every host, even a
 * forced one, needs enough free resources for the claim. And if a filter throws an error on a host, only this host is refused, not the
 * whole request.
 */
export function createNovaScheduler(compiled: CompiledProfile): Scheduler {
  const rules = novaRulesOf(compiled.profile)
  return createScheduler('nova', function* (request, fleet, overlay, asked, slice) {
    const { seed, alternatesPerInstance, allOrNothing, claimIds, isExplained, isExhaustive } = asked
    const prepared = yield* prepareFiltersInSteps(compiled, request, fleet)
    const steps = isExhaustive === true ? withoutKept(prepared) : prepared
    const wanted = readRequest(fleet, request)
    // Nova's algorithm places instances of one flavor only, so a gang is refused. The API refuses gangs for these profiles earlier.
    if (wanted === undefined || request.gang.length > 0) return yield* refusedByAll(fleet, steps, slice)

    if (request.numInstances === 1 && wanted.instanceGroup?.hosts !== null)
      return yield* placeSingle(compiled, rules, asInRound(steps, fleet), request, fleet, overlay, asked, slice)
    const { service, nets, parts, indexOf, takeBack } = prepareService(compiled, steps, request, fleet, overlay, claimIds)
    const hostOf = ownHostsOf(fleet)
    const limitsOf = prepareLimits(request, fleet)
    const countFound = (): number => {
      const found = parts.length
      if (allOrNothing && found < request.numInstances) takeBack()
      return found
    }
    const limited = withAlternates(rules, alternatesPerInstance)
    if (isExhaustive !== true && isExplained !== true && service.askedAgain.length === 0 && fitsColumns(fleet, wanted, rules)) {
      const placed = yield* placeInColumns({
        ...{ compiled, rules, steps: asInRound(steps, fleet), nets, request, wanted, fleet, seed, service, slice },
        mostAlternates: alternatesPerInstance > 0 ? limited.maxAttempts - 1 : 0,
      })
      if (placed !== undefined) {
        const found = countFound()
        return { parts, answer: answerOf(placed, parts, fleet, limitsOf), instances: placed.records, found }
      }
      takeBack()
    }
    const placement = yield* placeInRoundsInSteps({
      slice,
      rules: limited,
      request: wanted,
      hosts: fleet.hosts.present.map(({ index }) => hostOf(index)),
      instances: Array.from({ length: request.numInstances }, (_, i) => request.instanceUuids[i] ?? null),
      withAlternates: alternatesPerInstance > 0,
      now: fleet.now,
      seed,
      service,
    })
    // There is no round if hosts are forced and the hints are null, because Nova throws an error before its first round.
    if (placement.rounds.length === 0) return yield* refusedByAll(fleet, steps, slice)
    const found = countFound()
    const weightOf = prepareWeights(placement.alternateRound ?? placement.rounds.at(-1))
    const isRestricted = steps[0]?.prepared !== undefined
    const instances: InstanceRecord[] = []
    for (const round of placement.rounds) {
      instances.push(recordOf(round, isRestricted))
      if (slice < WHOLE) yield
    }
    const weighedAs = (host: HostState, weight: number): WeighedIndex => ({ host: indexOf(host), weight })
    const selected = placement.selected.map((host, i) => weighedAs(host, placement.rounds[i]?.weighed?.[0]?.weight ?? 0))
    const alternates = placement.alternates.map((hosts) => hosts.map((host) => weighedAs(host, weightOf(host))))
    return {
      parts,
      answer: answerOf({ selected, alternates }, parts, fleet, limitsOf),
      instances,
      found,
      ...(isExplained === true && { judged: withRounds(compiled.profile, explainRounds(compiled, fleet, placement.rounds)) }),
    }
  })
}

/** The rules of this service that hold in each of Nova's rounds, and the claims of the instances that were placed. */
function prepareService(
  compiled: CompiledProfile,
  steps: readonly FilterStep[],
  request: RequestSpec,
  fleet: Fleet,
  overlay: Overlay,
  claimIds: readonly string[],
) {
  const before = overlay.size
  const indexOf = prepareIndex(fleet)
  const grantsOn = prepareGrants(compiled, request, fleet)
  const group = groupOf(request)
  const parts: ClaimPart[] = []
  const asHostRule = ({ name, prepared }: FilterStep) => ({
    name,
    passes: (host: HostState) => prepared?.passes(indexOf(host)) === true,
  })
  const nets = steps.filter((step) => step.isNet && isAsked(step))
  const isAskedAgain = prepareAskedAgain(fleet)
  const service: ServiceRules = {
    context: contextOf(fleet),
    before: steps.filter((step) => placementNames.has(step.name) && isAsked(step)).map(asHostRule),
    nets: nets.filter((step) => !isAskedAgain(step)).map(asHostRule),
    askedAgain: nets.filter(isAskedAgain).map(asHostRule),
    isMultiplierSet: (key) => isSetInAggregates(fleet, key),
    ...(fleet.hosts.omitting > 0 && {
      isReported: (host, fields) => omittedOf(fleet.hosts.get(indexOf(host)), fields).length === 0,
    }),
    ...(fleet.hosts.mover !== null && {
      keepsOwn: (filter, host) => prepareKeepsOwn(filter, request, fleet.hosts)(indexOf(host)),
    }),
    take(host, instance) {
      const part: ClaimPart = {
        claim: claimIds[instance] as string,
        instance: request.instanceUuids[instance] ?? null,
        host: host.host,
        node: host.node,
        grants: grantsOn(indexOf(host)),
      }
      overlay.hold(part, group)
      parts.push(part)
    },
  }
  const takeBack = (): void => {
    overlay.rollback(before)
    parts.length = 0
  }
  return { service, nets, parts, indexOf, takeBack }
}

/** The answer for each claim, from the hosts and weights of the rounds. */
function answerOf(
  { selected, alternates }: Pick<ColumnPlacement, 'selected' | 'alternates'>,
  parts: readonly ClaimPart[],
  fleet: Fleet,
  limitsOf: (host: HostIndex) => Destination['limits'],
): Selection['answer'] {
  const destination = ({ host: index, weight }: WeighedIndex): Destination => {
    const { host, node } = fleet.hosts.get(index)
    return { host, node, weight, limits: limitsOf(index) }
  }
  return parts.map(({ instance }, i) => ({
    instance,
    selected: destination(selected[i] as WeighedIndex),
    alternates: (alternates[i] ?? []).map(destination),
  }))
}

/**
 * A filter that reads other hosts (topology spread) can refuse a host for one instance and pass it for a later one, after further instances
 * are placed elsewhere. Therefore the hosts that only such filters refuse are checked again for each instance, and these filters run last.
 */
const prepareAskedAgain =
  ({ featureLevel }: Fleet) =>
  ({ isNet, readsOtherHosts }: FilterStep): boolean =>
    isNet && featureLevel >= SPREAD_ASKED_AGAIN && readsOtherHosts

/**
 * The steps in the order in which a round runs them. A round counts no errors of a rule of this service whose preparation failed: the rule
 * refuses every host.
 */
function asInRound(steps: readonly FilterStep[], fleet: Fleet): readonly FilterStep[] {
  const isAskedAgain = prepareAskedAgain(fleet)
  return [...steps.filter((step) => !isAskedAgain(step)), ...steps.filter(isAskedAgain)].map((step) =>
    step.failed && (step.isNet || placementNames.has(step.name))
      ? { ...step, cacheName: undefined, prepared: refusesAll, failed: false }
      : step,
  )
}

const refusesAll: PreparedFilter = { passes: () => false, reason: () => ({ code: 'host.excluded' }) }

/** Converts the request to Nova's form. Undefined if Nova could not read the request. Every host is then refused. */
function readRequest(fleet: Fleet, request: RequestSpec): NovaRequest | undefined {
  try {
    return novaRequestOn(fleet, request)
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return undefined
  }
}

function* refusedByAll(fleet: Fleet, steps: readonly FilterStep[], slice: number): Steps<Selection> {
  const { steps: filters } = yield* runFiltersInSteps(steps, fleet, slice)
  return { parts: [], answer: [], instances: [{ candidates: fleet.hosts.presentCount, filters, best: [], tied: 0 }], found: 0 }
}

/**
 * In Nova, the setting `max_attempts` limits the number of alternates. Callers of this service request a number of alternates. The lower of
 * the two limits applies.
 */
const withAlternates = (rules: NovaRules, alternates: number): NovaRules => ({
  ...rules,
  maxAttempts: Math.min(rules.maxAttempts, alternates + 1),
})

const prepareIndex = (fleet: Fleet) => (host: HostState) => {
  const record = fleet.hosts.find(host)
  if (record === undefined) throw new Error(`the host ${host.host} is not in the fleet`)
  return record.index
}

function prepareWeights(round: NovaRound | undefined): (host: HostState) => number {
  const weights = new Map(round?.ranked?.map(({ host, weight }) => [host, weight]))
  return (host) => weights.get(host) ?? 0
}

function recordOf({ input, candidates, filters, ranked = [], runs, index }: NovaRound, isRestricted: boolean): InstanceRecord {
  let entered = candidates.length
  const counts = filters.flatMap(({ filter, survivors, isAsked, errors }) => {
    const count = { filter, entered, passed: survivors.length, ...(errors > 0 && { errors }) }
    entered = survivors.length
    return isAsked ? [count] : []
  })
  const restricted = isRestricted && index === 0 ? [{ filter: 'Candidates', entered: input.length, passed: candidates.length }] : []
  return {
    candidates: input.length,
    filters: [...restricted, ...counts],
    best: ranked.slice(0, BEST_KEPT).map(({ host: { host, node }, weight, position }) => ({
      host,
      node,
      raw: runs.map(({ raw }) => raw[position] as number),
      total: weight,
    })),
    tied: ranked.filter(({ weight }) => weight === ranked[0]?.weight).length,
  }
}
