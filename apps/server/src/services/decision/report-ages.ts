import type { HostName } from '@gantt/scheduler-core'
import type { StoredDecision } from '../../db/tables/rows.ts'
import type { History } from '../../replica/follow/history.ts'
import type { Replica } from '../../replica/replica.ts'
import { inBatches } from '../calls/in-batches.ts'

/** The time of a decision and the revision of the state on which it was decided. */
export interface Decided {
  /** Store time, milliseconds since 1970. */
  readonly at: number
  readonly basis: number
}

export const decidedOf = ({ at, place }: Pick<StoredDecision, 'at' | 'place'>): Decided => ({ at, basis: place.basis })

/** How old hosts' reports were when decisions were made. */
export interface ReportAges {
  /**
   * Milliseconds from a host's last report in the log to the decision; null if the host had never reported, or if the log does not reach
   * back far enough. The age is computed from the log. Therefore all replicas return the same age, although it is not stored.
   */
  of(host: HostName, decided: Decided): Promise<number | null>
}

export function createReportAges(replica: Pick<Replica, 'fleet'>, history: Pick<History, 'read'>): ReportAges {
  const read = inBatches<readonly [HostName, number], number | null>(async (asked) => {
    const known = new Map<string, number | null>()
    // sorted by revision, because each past state is derived from the preceding past state
    for (const basis of [...new Set(asked.map(([, revision]) => revision))].sort((a, b) => a - b)) {
      const hosts = asked.filter(([, revision]) => revision === basis).map(([host]) => host)
      const times = await history
        .read(basis, (past) => hosts.map((host) => past.hosts.find(host)?.reportedAt ?? null))
        .catch((error: unknown) => {
          // the log no longer reaches this revision
          if (error instanceof RangeError) return hosts.map(() => null)
          throw error
        })
      for (const [i, host] of hosts.entries()) known.set(keyOf(host, basis), times[i] ?? null)
    }
    return ([host, basis]) => known.get(keyOf(host, basis)) ?? null
  })
  return {
    async of(host, { at, basis }) {
      const now = replica.fleet.hosts.find(host)?.reportedAt ?? 0
      // if the host's present report was sent before the decision, it was also the latest report at the time of the decision
      const reportedAt = now > 0 && now < at ? now : await read([host, basis])
      return reportedAt === null || reportedAt === 0 ? null : Math.max(0, at - reportedAt)
    },
  }
}

const keyOf = ({ host, node }: HostName, basis: number): string => `${basis} ${host}\u0000${node}`
