import { ENDS_AS_HELD, growsInPlace, holdInAddition, holdNothingInAddition, isListed, isLive } from './claim.ts'
import type { ModelChange } from './entry.ts'
import type { ModelFleet } from './fleet.ts'
import { forgetEmptyGroups } from './group.ts'
import { endHold, heldUntilOf, isHeldOnly, keepHeld, stopExpiring, wouldStayHeld } from './held.ts'
import type { ModelClaim } from './state.ts'

export function endClaim(fleet: ModelFleet, claim: ModelClaim, state: string): void {
  const target = claim.target === null ? undefined : fleet.claim(claim.target)
  const source = claim.source === null ? undefined : fleet.claim(claim.source)
  const isAlone = !growsInPlace(fleet, claim)
  const heldUntil = isAlone && wouldStayHeld(fleet, claim) ? heldUntilOf(fleet, claim) : null
  claim.lingers = isListed(fleet, claim) && isAlone
  if (fleet.level < ENDS_AS_HELD || !isAlone) holdNothingInAddition(claim)
  else if (claim.lingers) {
    // No report includes the confirmed claim yet, so its resources are held in addition to the reported use.
    if (claim.state === 'CONFIRMED' && source === undefined) holdInAddition(claim)
  } else if (claim.instance !== null && !fleet.host(claim.host)?.listsNothing) holdNothingInAddition(claim)
  // A move on the same host that adds no resources holds nothing in addition to the reported use.
  if (!claim.extraGpus && Object.values(claim.extra ?? {}).every((amount) => amount === 0)) claim.extra = null
  claim.heldUntil = null
  if (heldUntil !== null) keepHeld(fleet, claim, claim.amounts, heldUntil)
  // If the source of a move on the same host ends, its destination ends too.
  if (target !== undefined && target.host === claim.host) endClaim(fleet, target, state)
  else if (target !== undefined) leaveMove(fleet, target)
  if (source !== undefined) leaveMove(fleet, source)
  claim.source = null
  claim.target = null
  claim.state = state
  claim.endedAt = fleet.now
  const key = fleet.keys.find((one) => one.account === claim.account && one.key === claim.key)
  if (key?.forgottenAt === null && !key.claims.some((id) => isLive(fleet.claim(id)))) key.forgottenAt = fleet.now + fleet.afterlife
  forgetEmptyGroups(fleet)
}

/** Ends the move of a claim. From this time on, the host of the claim must list the instance. */
function leaveMove(fleet: ModelFleet, claim: ModelClaim): void {
  claim.source = null
  claim.target = null
  claim.askedAt = fleet.now
}

export function settleMove(fleet: ModelFleet, claim: ModelClaim): void {
  const source = fleet.claim(claim.source as string)
  const inPlace = growsInPlace(fleet, claim)
  if (source === undefined) return
  leaveMove(fleet, claim)
  source.target = null
  if (inPlace && source.state === 'MATERIALISED' && claim.extra !== null) claim.state = 'MATERIALISED'
  // From feature level 10 on, the amount that a resize on the same host adds is held in addition to the reported use until the next report.
  else if (!inPlace || fleet.level < 10) claim.extra = null
  if (fleet.level >= 10 && inPlace) {
    if (claim.extra === null) holdInAddition(claim)
    for (const [resourceClass, amount] of Object.entries(claim.extraGpus ? {} : claim.amounts)) {
      const atReport = (source.amounts[resourceClass] ?? 0) - (source.extra?.[resourceClass] ?? 0)
      claim.extra = { ...claim.extra, [resourceClass]: Math.max(0, amount - atReport) }
    }
    claim.extraGpus ||= source.extraGpus
  }
  const heldUntil = heldUntilOf(fleet, source)
  const staysHeld = wouldStayHeld(fleet, source)
  endClaim(fleet, source, 'RELEASED')
  if (!inPlace) return
  source.lingers = false
  holdNothingInAddition(source)
  source.heldUntil = null
  if (heldUntil === null) return
  claim.heldUntil = Math.max(claim.heldUntil ?? 0, heldUntil)
  // The new claim holds its amounts. If these are smaller than the amounts of the old claim, the difference stays held.
  const rest = Object.entries(source.amounts).map(([name, amount]) => [name, amount - (claim.amounts[name] ?? 0)] as const)
  if (staysHeld) keepHeld(fleet, source, Object.fromEntries(rest), heldUntil)
}

/** Applies a call about one claim. Returns why the call has no effect, or undefined. */
export function judgeClaimCall(fleet: ModelFleet, change: ModelChange): string | undefined {
  const claim = fleet.claim(change.claim)
  const isOwn = claim !== undefined && claim.fence === change.fence
  switch (change.type) {
    case 'confirm':
      if (!isOwn || !isLive(claim)) return 'claim.lost'
      if (claim.state === 'RESERVED') {
        claim.state = 'CONFIRMED'
        claim.askedAt = fleet.now
      }
      claim.isConfirmed = true
      stopExpiring(fleet, claim)
      if (claim.source !== null) settleMove(fleet, claim)
      return undefined
    case 'extend':
      if (!isOwn || !isLive(claim)) return 'claim.lost'
      if (claim.expiresAt !== null) claim.expiresAt = Math.max(claim.expiresAt, fleet.now + change.ttlMs)
      return undefined
    case 'release':
      if (!isOwn) return 'claim.lost'
      if (claim.state === 'RELEASED') return undefined
      if (!isLive(claim)) return 'claim.lost'
      endClaim(fleet, claim, 'RELEASED')
      return undefined
    case 'revoke':
      if (claim?.state === 'REVOKED') return undefined
      if (!isLive(claim)) return 'claim.lost'
      endClaim(fleet, claim, 'REVOKED')
      return undefined
    case 'expire':
      if (claim !== undefined && isHeldOnly(claim)) {
        if (Number(claim.heldUntil) > fleet.now) return 'claim.not_expired'
        endHold(claim)
        return undefined
      }
      if (claim?.state !== 'RESERVED' || claim.expiresAt === null || claim.expiresAt > fleet.now) return 'claim.not_expired'
      endClaim(fleet, claim, 'EXPIRED')
      return undefined
    default:
      throw new Error(`the model does not know changes of type ${change.type}`)
  }
}
