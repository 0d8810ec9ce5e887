import type { Profile } from '../../records/profile.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { hash32, mix32, type Random } from '../../values/random.ts'
import { type Steps, sortInSteps } from '../../values/steps.ts'
import type { Weighed } from './run-weighers.ts'

export interface Picked {
  readonly host: HostIndex
  /** The best hosts as indexes in `weighed.hosts`, best first. At least `want` hosts, if there are that many. */
  readonly ranked: readonly number[]
  /** The index of the chosen host in `ranked`. It is above 0 only if `hostSubsetSize` is above 1. */
  readonly rank: number
  /** The number of hosts that share the best total. */
  readonly tied: number
}

/** The order of hosts with equal totals: lower keys first. */
export type TieOrder = (host: number) => number

/**
 * The order of the profile: by the first report of the hosts, or shuffled by the seed. It is a bijection, so no two hosts have the same
 * key.
 */
export function createTieOrder(profile: Profile, seed: string): TieOrder {
  return profile.tieOrder === 'first-seen' ? (host) => host : shuffled(seed)
}

/** The order of a chance decision: shuffled by the seed, separately for each instance. */
export const createChanceOrder = (seed: string, instance: number): TieOrder => shuffled(`${seed}/${instance}`)

function shuffled(seed: string): TieOrder {
  const salt = hash32(seed)
  return (host) => mix32(host ^ salt)
}

/** The best host, or one of the `hostSubsetSize` best by the seed; undefined when no host is left. */
export function pick(weighed: Weighed, want: number, profile: Profile, tieOrder: TieOrder, random: Random): Picked | undefined {
  const { hosts, totals } = weighed
  if (hosts.length === 0) return undefined
  const ranked = best(weighed, Math.max(want, profile.hostSubsetSize), tieOrder)
  const rank = profile.hostSubsetSize === 1 ? 0 : random.below(Math.min(profile.hostSubsetSize, hosts.length))
  const top = totals[ranked[0] as number] as number
  let tied = 0
  for (let i = 0; i < totals.length; i++) if (totals[i] === top) tied++
  return { host: hosts[ranked[rank] as number] as HostIndex, ranked, rank, tied }
}

/**
 * Up to this many hosts, insertion into a sorted list is faster than sorting all hosts. The cost of insertion is quadratic in this number.
 */
const SHORT = 64

/** The indexes of all hosts, best first, in the same order as `best`. Yields while it sorts. */
export const rankAll = ({ hosts, totals }: Weighed, tieOrder: TieOrder): Steps<number[]> =>
  sortInSteps(
    Array.from(hosts.keys()),
    (a, b) => (totals[b] as number) - (totals[a] as number) || tieOrder(hosts[a] as number) - tieOrder(hosts[b] as number),
  )

/** The indexes of the `count` best hosts, best first. No two hosts have the same rank, so both algorithms find the same order. */
export function best({ hosts, totals }: Weighed, count: number, tieOrder: TieOrder): number[] {
  const ranked: number[] = []
  const isBetter = (a: number, b: number): boolean => {
    const difference = (totals[a] as number) - (totals[b] as number)
    return difference !== 0 ? difference > 0 : tieOrder(hosts[a] as number) < tieOrder(hosts[b] as number)
  }
  if (count > SHORT)
    return Array.from(hosts.keys())
      .sort((a, b) => (isBetter(a, b) ? -1 : 1))
      .slice(0, count)
  for (let i = 0; i < hosts.length; i++) {
    if (ranked.length === count && !isBetter(i, ranked[count - 1] as number)) continue
    let position = ranked.length === count ? count - 1 : ranked.length
    while (position > 0 && isBetter(i, ranked[position - 1] as number)) {
      ranked[position] = ranked[position - 1] as number
      position--
    }
    ranked[position] = i
  }
  return ranked
}
