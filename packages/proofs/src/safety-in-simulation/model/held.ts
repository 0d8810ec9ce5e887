import { CLASSES } from './allocation.ts'
import { holdNothingInAddition, isLiveState } from './claim.ts'
import type { ModelFleet } from './fleet.ts'
import type { ModelClaim } from './state.ts'

/** From this feature level on, a reservation with `untilCounted` that a call ends keeps its amounts until it would have expired. */
const HELD = 12

/** When the reservation of a live claim expires, or would have expired. Null if it does not end when its host counts the instance. */
export function heldUntilOf(fleet: ModelFleet, { untilCounted, expiresAt, heldUntil }: ModelClaim): number | null {
  if (fleet.level < HELD) return null
  return untilCounted && expiresAt !== null ? Math.max(expiresAt, heldUntil ?? 0) : heldUntil
}

/** Whether the claim has ended and holds amounts until a known time. */
export const isHeldOnly = (claim: ModelClaim): boolean => !isLiveState(claim.state) && claim.heldUntil !== null

/** Whether the amounts of the claim stay held if a call ends it. */
export const wouldStayHeld = (fleet: ModelFleet, claim: ModelClaim): boolean =>
  heldUntilOf(fleet, claim) !== null && fleet.host(claim.host)?.listsNothing === true

/** Marks that a claim no longer expires, because it was confirmed or its host lists the instance. */
export function stopExpiring(fleet: ModelFleet, claim: ModelClaim): void {
  claim.heldUntil = heldUntilOf(fleet, claim)
  claim.expiresAt = null
}

/** Keeps amounts of a claim that ends until the given time. */
export function keepHeld(fleet: ModelFleet, claim: ModelClaim, amounts: Record<string, number>, until: number): void {
  const kept = Object.entries(amounts).filter(([name, amount]) => CLASSES.includes(name) && amount > 0)
  if (until <= fleet.now || kept.length === 0) return
  claim.extra = { ...claim.extra, ...Object.fromEntries(kept) }
  claim.heldUntil = until
}

/** Frees the amounts that an ended claim holds. */
export function endHold(claim: ModelClaim): void {
  holdNothingInAddition(claim)
  claim.heldUntil = null
}
