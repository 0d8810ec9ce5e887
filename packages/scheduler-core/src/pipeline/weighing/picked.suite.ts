import type { Profile } from '../../records/profile.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { Random } from '../../values/random.ts'
import { bestOfAll } from '../best-hosts/best-hosts.ts'
import { drawRank, type TieOrder } from './pick.ts'
import type { TotalScores } from './total-scores.ts'

export interface Picked {
  readonly host: HostIndex
  /** The best hosts as indexes in `weighed.hosts`, best first. */
  readonly ranked: readonly number[]
  /** The index of the chosen host in `ranked`. */
  readonly rank: number
  /** The count of hosts that have the best total. */
  readonly tied: number
}

/** Chooses a host as the scheduler FILTER does, if it examines every host. Undefined if there are no hosts. */
export function pick(
  { hosts, totals }: Pick<TotalScores, 'hosts' | 'totals'>,
  want: number,
  profile: Profile,
  tieOrder: TieOrder,
  random: Random,
): Picked | undefined {
  const found = bestOfAll({ steps: [] }, { hosts, totals, raw: [] }, Math.max(want, profile.hostSubsetSize), tieOrder)
  if (found.hosts.length === 0) return undefined
  const rank = drawRank(profile, found.passed, random)
  const ranked = found.hosts.map((host) => hosts.indexOf(host))
  return { host: found.hosts[rank] as HostIndex, ranked, rank, tied: found.tied }
}
