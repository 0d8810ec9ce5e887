import { type Change, type Fleet, lapsesAt } from '@gantt/scheduler-core'
import { UnavailableError } from '../../unavailable.ts'

/** One entry ends at most this many claims. */
const AT_ONCE = 1_000

/** The part of a replica that expiry needs. */
export interface Expiring {
  readonly fleet: Fleet
  /** The replica's estimate of the store's time. */
  readonly storeTime: number
  propose(changes: readonly Change[]): Promise<unknown>
}

/**
 * Returns a function that proposes to end expired reservations, and to free the amounts of ended ones that were held until now. Any replica
 * may propose this, and the first entry in the log takes effect.
 */
export function createExpiry(replica: Expiring): () => void {
  let isUnderway = false
  return () => {
    if (isUnderway) return
    const now = replica.storeTime
    const overdue = [...replica.fleet.ledger.lapsing.values()]
      .filter((claim) => (lapsesAt(claim) ?? Number.POSITIVE_INFINITY) <= now)
      .slice(0, AT_ONCE)
    isUnderway = true
    void replica
      .propose(overdue.map(({ id }) => ({ type: 'expire', claim: id })))
      .catch((error: unknown) => {
        if (!(error instanceof UnavailableError)) throw error
      })
      .finally(() => {
        isUnderway = false
      })
  }
}
