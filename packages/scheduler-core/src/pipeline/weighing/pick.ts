import type { Profile } from '../../records/profile.ts'
import { hash32, mix32, type Random } from '../../values/random.ts'
import { type Steps, sortIndexesInSteps } from '../../values/steps.ts'
import type { TotalScores } from './total-scores.ts'

/** The hosts that passed all filters, with their totals. */
type Totals = Pick<TotalScores, 'hosts' | 'totals'>

/** The sort key of a host among hosts with equal totals. The host with the lowest key is best. */
export type TieOrder = (host: number) => number

/** The tie order of the profile: hosts in the order of their first reports, or shuffled by the seed. No two hosts have the same key. */
export function createTieOrder(profile: Profile, seed: string): TieOrder {
  return profile.tieOrder === 'first-seen' ? (host) => host : shuffled(seed)
}

/** The order of hosts for the scheduler `chance`. It is shuffled by the seed, differently for each instance. */
export const createChanceOrder = (seed: string, instance: number): TieOrder => shuffled(`${seed}/${instance}`)

function shuffled(seed: string): TieOrder {
  const salt = hash32(seed)
  return (host) => mix32(host ^ salt)
}

/** The rank of the host that is chosen among `passed` hosts: 0, or random among the `hostSubsetSize` best hosts. */
export const drawRank = ({ hostSubsetSize }: Profile, passed: number, random: Random): number =>
  hostSubsetSize === 1 ? 0 : random.below(Math.min(hostSubsetSize, passed))

/**
 * To find up to this many best hosts, insertion into a sorted list is faster than sorting all hosts. The cost of insertion is quadratic in
 * the count of best hosts.
 */
export const SHORT = 64

/** All hosts as indexes in `weighed.hosts`, best first. The order is that of `best`. Yields while it sorts. */
export function* rankAll({ hosts, totals }: Totals, tieOrder: TieOrder): Steps<number[]> {
  // a tie order can return large numbers, for each of which V8 would make an object, so each host is asked once
  const ties = new Float64Array(hosts.length)
  for (let i = 0; i < hosts.length; i++) ties[i] = tieOrder(hosts[i] as number)
  const order = yield* sortIndexesInSteps(hosts.length, (a, b) => {
    const one = totals[a] as number
    const other = totals[b] as number
    return one === other ? (ties[a] as number) < (ties[b] as number) : one > other
  })
  const ranked: number[] = []
  for (let i = 0; i < order.length; i++) ranked.push(order[i] as number)
  return ranked
}

/**
 * The `count` best hosts as indexes in `weighed.hosts`, best first. Uses insertion for a small `count` and otherwise sorts. No two hosts
 * rank equally, so both algorithms give the same order.
 */
export function best({ hosts, totals }: Totals, count: number, tieOrder: TieOrder): number[] {
  const ranked: number[] = []
  const isBetter = (a: number, b: number): boolean => {
    const difference = (totals[a] as number) - (totals[b] as number)
    return difference !== 0 ? difference > 0 : tieOrder(hosts[a] as number) < tieOrder(hosts[b] as number)
  }
  if (count > SHORT)
    return Array.from(hosts.keys())
      .sort((a, b) => (isBetter(a, b) ? -1 : 1))
      .slice(0, count)
  /** The total of the last of `count` ranked hosts. Until there are so many, no total is below it. */
  let least = Number.NEGATIVE_INFINITY
  for (let i = 0; i < hosts.length; i++) {
    // on a large fleet, this ends the work for nearly every host
    if ((totals[i] as number) < least) continue
    if (ranked.length === count && !isBetter(i, ranked[count - 1] as number)) continue
    let position = ranked.length === count ? count - 1 : ranked.length
    while (position > 0 && isBetter(i, ranked[position - 1] as number)) {
      ranked[position] = ranked[position - 1] as number
      position--
    }
    ranked[position] = i
    if (ranked.length === count) least = totals[ranked[count - 1] as number] as number
  }
  return ranked
}
