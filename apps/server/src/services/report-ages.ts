import type { HostName } from '@gantt/scheduler-core'
import type { StoredDecision } from '../db/rows.ts'
import type { History } from '../replica/history.ts'
import type { Replica } from '../replica/replica.ts'
import { inBatches } from './in-batches.ts'

/** When something was decided, and on which state: what a decision's record holds. */
export interface Decided {
  /** Store time, milliseconds since 1970. */
  readonly at: number
  readonly basis: number
}

export const decidedOf = ({ at, place }: Pick<StoredDecision, 'at' | 'place'>): Decided => ({ at, basis: place.basis })

/** How old the reports were that decisions rest on. */
export interface ReportAges {
  /**
   * Milliseconds from a host's last report in the log to the decision; null where it had never reported, or the log does not reach back
   * there. It follows from the log, so it is the same on every replica, and nothing is recorded for it.
   */
  of(host: HostName, decided: Decided): Promise<number | null>
}

export function createReportAges(replica: Pick<Replica, 'fleet'>, history: Pick<History, 'read'>): ReportAges {
  const read = inBatches<readonly [HostName, number], number | null>(async (asked) => {
    const known = new Map<string, number | null>()
    // in the order of the log, so that one state of the past is moved on to the next
    for (const basis of [...new Set(asked.map(([, revision]) => revision))].sort((a, b) => a - b)) {
      const hosts = asked.filter(([, revision]) => revision === basis).map(([host]) => host)
      const times = await history
        .read(basis, (past) => hosts.map((host) => past.hosts.find(host)?.reportedAt ?? null))
        .catch((error: unknown) => {
          // the log does not reach there any more
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
      // who has not reported since had that report then
      const reportedAt = now > 0 && now < at ? now : await read([host, basis])
      return reportedAt === null || reportedAt === 0 ? null : Math.max(0, at - reportedAt)
    },
  }
}

const keyOf = ({ host, node }: HostName, basis: number): string => `${basis} ${host}\u0000${node}`
