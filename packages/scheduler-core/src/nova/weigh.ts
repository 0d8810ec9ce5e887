import { leastFloat } from './aggregate-metadata.ts'
import type { HostState } from './host-state.ts'
import type { NovaWeigher } from './nova-weigher.ts'
import type { NovaRequest } from './objects/request.ts'

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
 * Throws NovaError where a weigher of Nova's raises.
 */
export function weighHosts(chosen: readonly ChosenWeigher[], request: NovaRequest, hosts: readonly HostState[]): WeighedHosts {
  const totals = hosts.map(() => 0)
  if (hosts.length < 2) return { totals, runs: [] }
  const runs = chosen.map((weigher) => runWeigher(weigher, request, hosts))
  for (const { normalised, multipliers } of runs)
    for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] as number) + (multipliers[i] as number) * (normalised[i] as number)
  return { totals, runs }
}

function runWeigher({ weigher, options, multiplier }: ChosenWeigher, request: NovaRequest, hosts: readonly HostState[]): WeigherRun {
  const { key, isNegated } = weigher.multiplier
  const multiplierOf = (host: HostState) => {
    const { value } = leastFloat(host, key, multiplier)
    return isNegated ? -value : value
  }
  const rawOf = weigher.prepare(request, options, multiplierOf)
  const { minval } = weigher
  const raw = hosts.map((host) => (minval === undefined ? rawOf(host) : Math.max(rawOf(host), minval)))
  const low = minval ?? raw.reduce((a, b) => Math.min(a, b))
  const high = raw.reduce((a, b) => Math.max(a, b))
  return {
    name: weigher.name,
    raw,
    // in this order of operations: it is Nova's, to the last bit
    normalised: raw.map((value) => (high === low ? 0 : (value - low) / (high - low))),
    multipliers: hosts.map(multiplierOf),
  }
}
