import { formatCount } from './format.ts'
import { shareText } from './share.ts'

/**
 * The proposals of a replica in the last minute, and how many of them had no effect (a conflict): they conflicted with an earlier entry of
 * the log, or the store refused their entry. Null if the replica does not report these counts.
 */
export interface Proposing {
  readonly live: boolean
  readonly proposals: number | null
  readonly conflicts: number | null
}

/**
 * The share of proposals of live replicas that had a conflict in the last minute. Replicas that do not report these counts are left out.
 */
export function conflictsLine(replicas: readonly Proposing[]): { readonly value: string; readonly title: string } {
  const live = replicas.filter((one) => one.live)
  const reporting = live.filter(({ proposals }) => proposals !== null)
  const proposed = reporting.reduce((sum, { proposals }) => sum + (proposals ?? 0), 0)
  const conflicts = reporting.reduce((sum, one) => sum + (one.conflicts ?? 0), 0)
  const silent = live.length - reporting.length
  return {
    value: shareText(conflicts, proposed),
    title: `Of ${formatCount(proposed)} proposals in the last minute, ${formatCount(conflicts)} had no effect, because they conflicted with an earlier entry of the log or the store refused their entry${silent === 0 ? '' : `; ${formatCount(silent)} of ${formatCount(live.length)} replicas do not report`}`,
  }
}
