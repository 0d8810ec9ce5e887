import { amountsOf, CLASSES } from './allocation.ts'
import { ENDS_AS_HELD, growsInPlace, holdInAddition, holdNothingInAddition, isLive, isLiveState, LISTED_ANEW } from './claim.ts'
import { endClaim } from './claim-calls.ts'
import type { ModelChange } from './entry.ts'
import type { ModelFleet } from './fleet.ts'
import { endHold, isHeldOnly, stopExpiring } from './held.ts'
import { findForgotten, findRenamed, newHost } from './host.ts'
import { forgetUnused } from './key.ts'
import type { ModelClaim, ModelHost } from './state.ts'

export function takeReport(fleet: ModelFleet, change: ModelChange): string | undefined {
  const returning = findForgotten(fleet, change.host)
  const known = fleet.host(change.host) ?? returning
  if (returning?.gone === 'forgotten') return 'report.host_forgotten'
  if (known === undefined && findRenamed(fleet, change.host) !== undefined) return 'report.host_replaced'
  if (known !== undefined) {
    const isSame = known.incarnation === change.incarnation
    if (isSame ? change.sequence <= known.sequence : known.pastIncarnations.includes(change.incarnation)) return 'report.stale'
    if (!isSame) known.pastIncarnations = [known.incarnation, ...known.pastIncarnations].slice(0, 8)
  }
  const host = known ?? newHost(change.host)
  host.gone = null
  host.incarnation = change.incarnation
  host.sequence = change.sequence
  host.reportedAt = fleet.now
  if (known === undefined) fleet.hosts.push(host)
  fleet.reported.add(change.host)
  takeFull(fleet, host, change.full)
  return undefined
}

/**
 * Applies a full report. If two hosts are merged, `full` is the last report under the other name, and `earlier` is the time of that report.
 */
export function takeFull(fleet: ModelFleet, host: ModelHost, full: ModelChange, earlier?: number): void {
  const isOfBefore = fleet.level >= ENDS_AS_HELD && earlier !== undefined
  const before = host.present
  const paid = full.instances === null && earlier === undefined ? countedReservations(fleet, host, full) : []
  host.full = full
  const gpus: { index: number; usedMilli: number | null }[] = full.gpus ?? []
  host.gpus = gpus.map(({ index }) => index).sort((a, b) => a - b)
  host.gpusUsed = gpus.filter(({ usedMilli }) => (usedMilli ?? 0) > 0).map(({ index }) => index)
  host.machine = full.machineId ?? null
  host.listsNothing = full.instances === null
  if (full.instances === null) {
    if (fleet.level >= ENDS_AS_HELD && !isOfBefore)
      for (const claim of fleet.claims)
        if (claim.host === host.name && !growsInPlace(fleet, claim) && !isHeldOnly(claim)) holdNothingInAddition(claim)
    // A report without a list shows no instance as running.
    if (fleet.level >= 8) for (const claim of fleet.claims) if (claim.host === host.name) unlist(fleet, claim)
    for (const claim of paid) endPaid(fleet, claim)
    if (fleet.level >= 9) releaseEnded(fleet, host)
    return
  }
  host.present = [...full.instances]
  for (const claim of fleet.claims) {
    if (claim.host !== host.name) continue
    // An ended claim that has released its amounts does not get them back when a report lists its instance again.
    const isHeld = claim.lingers || (!isLiveState(claim.state) && claim.extra !== null)
    if (claim.instance !== null) claim.lingers = isHeld && host.present.includes(claim.instance)
    if (growsInPlace(fleet, claim)) continue
    // From now on the list shows which instances run.
    if (isHeldOnly(claim)) endHold(claim)
    if (!isOfBefore) holdNothingInAddition(claim)
    if (claim.instance === null || !isLive(claim)) continue
    const listed = host.present.includes(claim.instance)
    if (listed && claim.state !== 'MATERIALISED' && isShown(fleet, claim, before)) {
      claim.state = 'MATERIALISED'
      stopExpiring(fleet, claim)
      claim.unlistedAt = null
      // The report lists the instance but is older than this claim, so its amounts do not include the claim.
      if (isOfBefore && claim.createdAt >= earlier) holdInAddition(claim)
    } else if (!listed) unlist(fleet, claim)
  }
  // An ended claim holds nothing if its instance now has another claim on the host.
  const shown = fleet.claims.filter((claim) => claim.host === host.name && claim.state === 'MATERIALISED')
  // If the usage of a host is computed from claims, no report shows whether an instance has the size of its reservation.
  const isKnown = ({ isConfirmed }: ModelClaim) => isConfirmed || !host.fromClaims || fleet.level < ENDS_AS_HELD
  const counted = shown.filter(isKnown).map(({ instance }) => instance)
  if (fleet.level >= 9)
    for (const claim of fleet.claims.filter((one) => one.host === host.name && one.lingers && one.extra === null))
      if (counted.includes(claim.instance) || fleet.claims.some((other) => holdsAsMuch(fleet, other, claim))) claim.lingers = false
  forgetUnused(fleet)
}

/** From this feature level on, a reservation can end because the figures of a host that lists nothing count its instance. */
const COUNTED = 11

/**
 * The reservations that end because the usage of the host rose, and the ended reservations whose amounts are freed for this reason. They end
 * in the order of expiry as long as the rest of the rise, of each class and of the number of instances, covers the next one.
 */
function countedReservations(fleet: ModelFleet, host: ModelHost, full: ModelChange): readonly ModelClaim[] {
  const there = fleet.claims.filter((claim) => claim.host === host.name)
  const live = there.filter(isLive)
  if (fleet.level < COUNTED || host.full === null || host.fromClaims) return []
  if (live.some((claim) => claim.state !== 'RESERVED' || !claim.untilCounted)) return []
  const accounts: Record<string, number> = {}
  const next = { ...host, full }
  for (const name of CLASSES) accounts[name] = amountsOf(fleet, next, name).used - amountsOf(fleet, host, name).used
  accounts.count = (full.runningVms ?? 0) - (host.full.runningVms ?? 0)
  const endOf = (claim: ModelClaim) => Number(isHeldOnly(claim) ? claim.heldUntil : claim.expiresAt)
  const inOrder = [...live, ...there.filter(isHeldOnly)].sort((a, b) => endOf(a) - endOf(b) || a.fence - b.fence)
  const unpaid = inOrder.findIndex((claim) => {
    const isMoving = claim.source !== null || claim.target !== null || (!isHeldOnly(claim) && claim.extra !== null)
    const price = Object.entries({ ...(isHeldOnly(claim) ? claim.extra : claim.amounts), count: 1 })
    const hasGpus = claim.gpus.length > 0 && (!isHeldOnly(claim) || claim.extraGpus)
    for (const [name, amount] of price) accounts[name] = (accounts[name] ?? Number.NEGATIVE_INFINITY) - amount
    return isMoving || hasGpus || price.some(([name]) => (accounts[name] ?? 0) < 0)
  })
  return unpaid < 0 ? inOrder : inOrder.slice(0, unpaid)
}

/** Ends a reservation that is covered by the rise of the usage, or frees the amounts of an ended one. */
function endPaid(fleet: ModelFleet, claim: ModelClaim): void {
  if (isHeldOnly(claim)) {
    endHold(claim)
    return
  }
  claim.untilCounted = false
  claim.heldUntil = null
  endClaim(fleet, claim, 'RELEASED')
}

/**
 * Whether a report that lists the instance includes it with the size of this claim. `before` is the previous list of the host. If the
 * instance was in that list, it has the claim's size only after the claim is confirmed.
 */
function isShown(fleet: ModelFleet, { instance, state, source }: ModelClaim, before: readonly string[]): boolean {
  const isConfirmed = state !== 'RESERVED' && source === null
  return fleet.level < LISTED_ANEW || isConfirmed || (instance !== null && !before.includes(instance))
}

/**
 * Whether the ended claim `other` of the same instance holds all amounts and GPUs of `claim`. If both hold the same, this is true only if
 * `other` is the later claim, so that exactly one of them holds the resources.
 */
function holdsAsMuch(fleet: ModelFleet, other: ModelClaim, claim: ModelClaim): boolean {
  if (fleet.level < ENDS_AS_HELD || other === claim || other.host !== claim.host || other.instance !== claim.instance) return false
  if (!other.lingers || other.extra !== null) return false
  const has = (one: ModelClaim, more: ModelClaim) =>
    Object.entries(one.amounts).every(([name, amount]) => amount <= (more.amounts[name] ?? 0)) &&
    one.gpus.every((gpu) => more.gpus.includes(gpu))
  return has(claim, other) && (other.fence > claim.fence || !has(other, claim))
}

/** Changes a MATERIALISED claim to CONFIRMED, because the report of its host no longer lists its instance. */
function unlist(fleet: ModelFleet, claim: ModelClaim): void {
  if (claim.state !== 'MATERIALISED') return
  claim.state = 'CONFIRMED'
  claim.unlistedAt = fleet.now
}

/**
 * Frees the amounts of ended claims on a host whose report has no list of instances, because such a report shows no instances. The last
 * list is kept, because it shows which instances ran there before.
 */
export function releaseEnded(fleet: ModelFleet, host: ModelHost): void {
  for (const claim of fleet.claims) if (claim.host === host.name) claim.lingers = false
  forgetUnused(fleet)
}
