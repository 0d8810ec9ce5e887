import type { FilterCount } from '../../records/decision.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { Steps } from '../../values/steps.ts'
import type { FilteredEach } from '../filtering/filter-each.ts'
import { best, type TieOrder } from '../weighing/pick.ts'
import type { TotalScores } from '../weighing/total-scores.ts'

/** The best hosts for an instance, best first: as many as were asked for, or all hosts that pass if there are fewer. */
export interface Ranked {
  readonly hosts: readonly HostIndex[]
  /** The total of each host in `hosts`. */
  readonly totals: readonly number[]
  /** The count of hosts that have the best total. 0 if no host passes. */
  readonly tied: number
}

/** The result of filtering and weighing the hosts for one instance. */
export interface BestHosts extends Ranked {
  readonly filters: readonly FilterCount[]
  /** The count of hosts that pass all filters. */
  readonly passed: number
  /** The total of a host. Undefined if the host does not pass. Valid until the fleet changes. */
  totalOf(host: HostIndex): number | undefined
  /** The raw scores that the weighers give the host with this rank, 0 for the best. Valid until the fleet changes. */
  rawAt(rank: number): readonly number[]
}

/** Searches the best hosts for one instance after another of one kind of request. */
export interface IndexedSearch {
  /**
   * The `count` best hosts, with the result of examining every host. Undefined if every host must be examined: the kind of request is new, or
   * its scores are not finite, or too many hosts changed. Yields after each `slice` of hosts for which filters or weighers were called.
   */
  find(count: number, tieOrder: TieOrder): Steps<BestHosts | undefined>
}

/** The `count` best hosts of all that pass. The raw scores are valid as long as `weighed` is. */
export function bestOfAll({ steps }: Pick<FilteredEach, 'steps'>, weighed: TotalScores, count: number, tieOrder: TieOrder): BestHosts {
  const { hosts, totals, raw } = weighed
  const ranked = best(weighed, count, tieOrder)
  const top = totals[ranked[0] ?? 0]
  let tied = 0
  for (let i = 0; i < totals.length; i++) if (totals[i] === top) tied++
  return {
    hosts: ranked.map((position) => hosts[position] as HostIndex),
    totals: ranked.map((position) => totals[position] as number),
    tied,
    filters: steps,
    passed: hosts.length,
    totalOf(host) {
      const position = hosts.indexOf(host)
      return position < 0 ? undefined : totals[position]
    },
    rawAt: (rank) => raw.map((scores) => scores[ranked[rank] as number] as number),
  }
}
