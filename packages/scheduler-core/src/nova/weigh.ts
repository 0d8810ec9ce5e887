import { atOnce, type Steps, WHOLE } from '../fleet/steps.ts'
import { leastFloat } from './aggregate-metadata.ts'
import { multiplierFor } from './aggregate-multiplier.ts'
import type { HostState } from './host-state.ts'
import { NovaError } from './nova-error.ts'
import type { NovaWeigher } from './nova-weigher.ts'
import type { NovaRequest } from './objects/request.ts'
import type { ServiceRules } from './service-rules.ts'

/** A weigher as a profile lists it. */
export interface ChosenWeigher {
  readonly weigher: NovaWeigher
  readonly options: Readonly<Record<string, unknown>>
  /** What the weigher's multiplier option says; aggregates may say otherwise for their hosts. */
  readonly multiplier: number
}

/** What a weigher made of the hosts; every list is parallel to them. */
export interface WeigherRun {
  readonly name: string
  readonly raw: readonly number[]
  /** 0..1 as measured from the least (or the weigher's minval) to the greatest. */
  readonly normalised: readonly number[]
  readonly multipliers: readonly number[]
}

export interface WeighedHosts {
  /** Each the sum over the weighers, in their order, of multiplier x normalised. */
  readonly totals: readonly number[]
  readonly runs: readonly WeigherRun[]
}

/**
 * Weighs hosts as Nova does, to the last bit. With one host, or none, no weigher runs and the weight is 0, so none can fail either.
 * Throws NovaError where a weigher of Nova's raises, unless a service asks: then that host has the least number of the others, as has one
 * that does not report what the weigher reads, and multipliers of aggregates that no profile could have count as not said.
 */
export const weighHosts = (
  chosen: readonly ChosenWeigher[],
  request: NovaRequest,
  hosts: readonly HostState[],
  service?: Pick<ServiceRules, 'isTold'>,
): WeighedHosts => atOnce(weighHostsInSteps(chosen, request, hosts, service, WHOLE))

/** The same with pauses between the weighers, and after each `slice` of hosts. */
export function* weighHostsInSteps(
  chosen: readonly ChosenWeigher[],
  request: NovaRequest,
  hosts: readonly HostState[],
  service: Pick<ServiceRules, 'isTold'> | undefined,
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
  { weigher, options, multiplier }: ChosenWeigher,
  request: NovaRequest,
  hosts: readonly HostState[],
  service: Pick<ServiceRules, 'isTold'> | undefined,
  slice: number,
): Steps<WeigherRun> {
  const { key, isNegated } = weigher.multiplier
  const multiplierOf = (host: HostState) => {
    const { value } = (service === undefined ? leastFloat : multiplierFor)(host, key, multiplier)
    return isNegated ? -value : value
  }
  const { minval } = weigher
  const prepare = () => liftedTo(minval, weigher.prepare(request, options, multiplierOf, multiplier))
  const isTold = (host: HostState) => service?.isTold?.(host, weigher.reads) !== false
  const raw = service === undefined ? yield* mapInSteps(hosts, prepare(), slice) : yield* forgiving(prepare, hosts, isTold, slice)
  const low = minval ?? raw.reduce((a, b) => Math.min(a, b))
  const high = raw.reduce((a, b) => Math.max(a, b))
  return {
    name: weigher.name,
    raw,
    // in this order of operations: it is Nova's, to the last bit
    normalised: raw.map((value) => (high === low ? 0 : (value - low) / (high - low))),
    multipliers: yield* mapInSteps(hosts, multiplierOf, slice),
  }
}

/** What becomes of each host, with a pause after each slice of them. */
function* mapInSteps<T>(hosts: readonly HostState[], make: (host: HostState) => T, slice: number): Steps<T[]> {
  let made: T[] = []
  for (let from = 0; from < hosts.length; from += slice) {
    if (from > 0) yield
    made = made.concat(hosts.slice(from, from + slice).map(make))
  }
  return made
}

const liftedTo = (minval: number | undefined, rawOf: (host: HostState) => number): ((host: HostState) => number) =>
  minval === undefined ? rawOf : (host) => Math.max(rawOf(host), minval)

/** The raw numbers; where the weigher raises, or the host does not report what it reads, the least of the others; 0 everywhere where it raises before it looks at hosts. */
function* forgiving(
  prepare: () => (host: HostState) => number,
  hosts: readonly HostState[],
  isTold: (host: HostState) => boolean,
  slice: number,
): Steps<readonly number[]> {
  const rawOf = orNothing(prepare)
  const told = yield* mapInSteps(hosts, (host) => (rawOf === undefined || !isTold(host) ? undefined : orNothing(() => rawOf(host))), slice)
  const least = told.reduce<number | undefined>((low, value) => (value !== undefined && !(value > (low ?? value)) ? value : low), undefined)
  return told.map((value) => value ?? least ?? 0)
}

/** What it makes, finite if a number; undefined where Nova would raise. */
function orNothing<T>(make: () => T): T | undefined {
  try {
    const made = make()
    return typeof made === 'number' && !Number.isFinite(made) ? undefined : made
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return undefined
  }
}
