import type { ClaimExpired } from '../records/change.ts'
import { isHeldOnly } from './held-until.ts'
import { judgeExpire, type Void } from './judge.ts'
import type { JudgedFleet } from './judged-fleet.ts'

/** Ends a reservation whose time is over (`judgeExpire`), or the hold of an ended one (since feature level HELD_RESERVATIONS). */
export function judgeExpiry(fleet: JudgedFleet, change: ClaimExpired): Void {
  const { ledger, place, now } = fleet
  const claim = ledger.claims.get(change.claim)
  if (claim === undefined || !isHeldOnly(claim)) return judgeExpire(fleet, change)
  if (claim.heldUntil > now) return 'claim.not_expired'
  ledger.endHold(claim, place.revision)
  return undefined
}
