import { atOnce, type Steps, WHOLE } from '../../values/steps.ts'
import { minFloat } from '../../weighers/aggregate-metadata.ts'
import { multiplierFor } from '../../weighers/aggregate-multiplier.ts'
import type { HostState } from '../objects/host-state.ts'
import type { NovaRequest } from '../objects/request.ts'
import { NovaError } from '../text/nova-error.ts'
import type { NovaWeigher } from './nova-weigher.ts'
import type { ServiceRules } from './service-rules.ts'

/** A weigher with its options, as a profile or a configuration lists it. */
export interface ChosenWeigher {
  readonly weigher: NovaWeigher
  readonly options: Readonly<Record<string, unknown>>
  /** The value of the weigher's multiplier option. Aggregates can set a different multiplier for their hosts. */
  readonly multiplier: number
}

/** The scores of a weigher. Each list has one item for each host, in the order of the hosts. */
export interface WeigherRun {
  readonly name: string
  readonly raw: readonly number[]
  /** Scores from 0 to 1: 0 for the lowest raw score (or the weigher's minval), and 1 for the highest. */
  readonly normalised: readonly number[]
  readonly multipliers: readonly number[]
}

export interface WeighedHosts {
  /** The total of each host: the sum of multiplier x normalised score over all weighers. */
  readonly totals: readonly number[]
  readonly runs: readonly WeigherRun[]
}

export type ScoreOfState = (host: HostState) => number

/** The rules of a service that weighers follow. */
type WeighingRules = Pick<ServiceRules, 'isReported' | 'isMultiplierSet'>

/**
 * Weighs hosts exactly as Nova does, to the last bit. If there is only one host, no weigher runs and the weight is 0. Throws NovaError
 * where Nova would raise an exception. With the rules of a service, there are two differences. A host on which a weigher throws an error,
 * or that does not report a field of the weigher, gets the lowest score of the other hosts. And a multiplier in an aggregate is ignored if
 * it is out of the range that profiles allow.
 */
export const weighHosts = (
  chosen: readonly ChosenWeigher[],
  request: NovaRequest,
  hosts: readonly HostState[],
  service?: WeighingRules,
): WeighedHosts => atOnce(weighHostsInSteps(chosen, request, hosts, service, WHOLE))

/** `weighHosts` as a generator that yields between weighers and after each `slice` of hosts. */
export function* weighHostsInSteps(
  chosen: readonly ChosenWeigher[],
  request: NovaRequest,
  hosts: readonly HostState[],
  service: WeighingRules | undefined,
  slice: number,
): Steps<WeighedHosts> {
  const totals = hosts.map(() => 0)
  if (hosts.length < 2) return { totals, runs: [] }
  const runs: WeigherRun[] = []
  for (const weigher of chosen) {
    runs.push(yield* runWeigher(weigher, request, hosts, service, slice))
    yield
  }
  for (const { normalised, multipliers } of runs)
    for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] as number) + (multipliers[i] as number) * (normalised[i] as number)
  return { totals, runs }
}

function* runWeigher(
  chosen: ChosenWeigher,
  request: NovaRequest,
  hosts: readonly HostState[],
  service: WeighingRules | undefined,
  slice: number,
): Steps<WeigherRun> {
  const { weigher } = chosen
  const { minval } = weigher
  const multiplierOf = prepareMultiplier(chosen, service)
  const raw =
    service === undefined
      ? yield* mapInSteps(hosts, prepareRaw(chosen, request, multiplierOf), slice)
      : yield* forgiving(prepareScore(chosen, request, service), hosts, slice)
  const low = minval ?? raw.reduce((a, b) => Math.min(a, b))
  const high = raw.reduce((a, b) => Math.max(a, b))
  return {
    name: weigher.name,
    raw,
    // The order of the operations matters. The result must equal Nova's result to the last bit.
    normalised: raw.map((value) => (high === low ? 0 : (value - low) / (high - low))),
    multipliers: yield* mapInSteps(hosts, multiplierOf, slice),
  }
}

function prepareMultiplier({ weigher, multiplier }: ChosenWeigher, service: WeighingRules | undefined): (host: HostState) => number {
  const { key, isNegated } = weigher.multiplier
  const signed = (value: number) => (isNegated ? -value : value)
  const ofHost = service === undefined ? minFloat : multiplierFor
  // Usually no aggregate has the key. Then the aggregates of the hosts are not read.
  const isSet = service?.isMultiplierSet?.(key) !== false
  return (host) => signed(isSet ? ofHost(host, key, multiplier).value : multiplier)
}

const prepareRaw = (
  { weigher, options, multiplier }: ChosenWeigher,
  request: NovaRequest,
  multiplierOf: (host: HostState) => number,
): ScoreOfState => liftedTo(weigher.minval, weigher.prepare(request, options, multiplierOf, multiplier))

/**
 * The raw score of each host by the rules of a service. NaN for a host on which the weigher throws an error, or that does not report a field
 * of the weigher, and for every host if the weigher throws an error before it reads hosts.
 */
export function prepareScore(chosen: ChosenWeigher, request: NovaRequest, service: WeighingRules): ScoreOfState {
  const rawOf = preparedOrNothing(() => prepareRaw(chosen, request, prepareMultiplier(chosen, service)))
  if (rawOf === undefined) return () => Number.NaN
  const { reads } = chosen.weigher
  return (host) => (service.isReported?.(host, reads) === false ? Number.NaN : scoreOrNaN(rawOf, host))
}

/** Calls `make` for each host, and yields after each `slice` of hosts. */
function* mapInSteps<T>(hosts: readonly HostState[], make: (host: HostState) => T, slice: number): Steps<T[]> {
  const made: T[] = []
  // An iterator would create an object for each host, because a generator keeps it between its steps.
  for (let i = 0; i < hosts.length; i++) {
    if (i > 0 && i % slice === 0) yield
    made.push(make(hosts[i] as HostState))
  }
  return made
}

const liftedTo = (minval: number | undefined, rawOf: (host: HostState) => number): ((host: HostState) => number) =>
  minval === undefined ? rawOf : (host) => Math.max(rawOf(host), minval)

/** Computes the raw scores. A host whose score is NaN gets the lowest score of the other hosts. If there are no others, all scores are 0. */
function* forgiving(scoreOf: ScoreOfState, hosts: readonly HostState[], slice: number): Steps<readonly number[]> {
  // NaN marks a host without a score, because a list of numbers alone needs no object for each of them.
  const scores = yield* mapInSteps(hosts, scoreOf, slice)
  let least = Number.NaN
  for (const score of scores) if (!Number.isNaN(score) && !(score > least)) least = score
  if (Number.isNaN(least)) least = 0
  return scores.map((score) => (Number.isNaN(score) ? least : score))
}

/** The scoring function of a weigher. Undefined if its preparation throws NovaError. */
function preparedOrNothing(prepare: () => (host: HostState) => number): ((host: HostState) => number) | undefined {
  try {
    return prepare()
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return undefined
  }
}

/** The score of a host. NaN if the weigher throws NovaError, or if the score is not finite. */
function scoreOrNaN(rawOf: (host: HostState) => number, host: HostState): number {
  try {
    const score = rawOf(host)
    return Number.isFinite(score) ? score : Number.NaN
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return Number.NaN
  }
}
