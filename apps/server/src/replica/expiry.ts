import type { Change, Fleet } from '@gantt/scheduler-core'
import { UnavailableError } from './placement.ts'

/** Claims that one entry ends at most. */
const AT_ONCE = 1_000

/** What expiry needs of its replica. */
export interface Expiring {
  readonly fleet: Fleet
  /** The store's time as estimated. */
  readonly storeTime: number
  propose(changes: readonly Change[]): Promise<unknown>
}

/** Answers how to say that the reservations that are over have ended. Any replica may say it; the log decides which entry counts. */
export function createExpiry(replica: Expiring): () => void {
  let isUnderway = false
  return () => {
    if (isUnderway) return
    const now = replica.storeTime
    const overdue = [...replica.fleet.ledger.reserved.values()]
      .filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now)
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
