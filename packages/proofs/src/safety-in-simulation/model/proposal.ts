import { amountsOf } from './allocation.ts'
import {
  claimsOf,
  gpusOf,
  growsInPlace,
  isListed,
  isLive,
  isOverdue,
  KEEPS_OWN,
  newClaim,
  ONE_CLAIM,
  scopeOf,
  takesDifference,
} from './claim.ts'
import { endClaim } from './claim-calls.ts'
import type { ModelChange } from './entry.ts'
import type { ModelFleet } from './fleet.ts'
import { apartOf, bindGroup, forgetEmptyGroups, markEdited, membersOf, wantsApartTooLate } from './group.ts'
import { wouldStayHeld } from './held.ts'
import { bindKey, forgetUnused } from './key.ts'
import { freeOf, gpusLeft } from './room.ts'
import type { ModelClaim } from './state.ts'

/**
 * From this feature level on, no instance gets more than the total of a host. A move on the same host is allowed even if the host is
 * over-full, as long as the instance needs no more of the class than before.
 */
const OWN_LIMITS = 8

export function judgeProposal(fleet: ModelFleet, change: ModelChange, basis: number): string | undefined {
  if (fleet.keys.some(({ account, key }) => account === change.account && key === change.key)) return 'claim.key_used'
  if (change.notAfter !== null && fleet.now > change.notAfter) return 'claim.deadline'
  const ids = change.parts.map(({ claim }: ModelChange) => claim)
  if (new Set(ids).size < ids.length || ids.some((id: string) => fleet.claim(id) !== undefined)) return 'claim.id_taken'
  if (change.group !== null) {
    const group = fleet.group(change.group.uuid)
    if (group !== undefined && (group.policy !== change.group.policy || group.max !== change.group.maxServerPerHost))
      return 'claim.group_mismatch'
    if (group !== undefined && group.edited > basis) return 'claim.edited'
  }
  for (const part of change.parts) {
    const host = fleet.host(part.host)
    if (host === undefined) return 'claim.no_room'
    if (host.edited > basis) return 'claim.edited'
  }
  return undefined
}

export function judgeClaims(fleet: ModelFleet, change: ModelChange, fence: number): string | undefined {
  const overdue: ModelClaim[] = []
  if (fleet.level >= ONE_CLAIM) {
    const named = change.parts.map(({ instance }: ModelChange) => instance).filter((instance: string | null) => instance !== null)
    if (new Set(named).size < named.length) return 'claim.instance_taken'
    for (const instance of named) {
      const there = claimsOf(fleet, instance, scopeOf(change))
      if (there.some((claim) => !isOverdue(fleet, claim))) return 'claim.instance_taken'
      overdue.push(...there)
    }
  }
  if (wantsApartTooLate(fleet, change.group)) return 'claim.group_mismatch'
  const before = { claims: [...fleet.claims], groups: [...fleet.groups] }
  bindGroup(fleet, change.group)
  for (const [i, part] of change.parts.entries()) {
    const refusal = mayStand(fleet, part, change.group?.uuid ?? null)
    if (refusal !== undefined) {
      fleet.claims = before.claims
      fleet.groups = before.groups
      return refusal
    }
    fleet.claims.push(newClaim(fleet, change, part, fence + i))
  }
  for (const claim of overdue) if (isLive(claim)) endClaim(fleet, claim, 'EXPIRED')
  bindKey(fleet, change)
  return undefined
}

/**
 * From this feature level on, an instance that runs without a claim can get a claim if its host lists the instance. The host's report
 * already includes the use of that claim.
 */
const LISTED_CLAIMS = 10

/**
 * Makes a claim for an instance that the host's report lists. The report already includes the use of the instance, so only the amounts
 * above this use must be free.
 */
export function judgeListed(fleet: ModelFleet, change: ModelChange, fence: number): string | undefined {
  const [part] = change.parts
  const { instance, host: name } = part
  const host = fleet.host(name)
  if (change.parts.length !== 1 || fleet.level < LISTED_CLAIMS || host === undefined || instance === null) return 'claim.not_listed'
  if (host.listsNothing || !host.present.includes(instance)) return 'claim.not_listed'
  const overdue = fleet.claims.filter((claim) => claim.instance === instance && isLive(claim))
  if (overdue.some((claim) => !isOverdue(fleet, claim))) return 'claim.instance_taken'
  if (gpusOf(part).length > 0) return 'claim.no_room'
  const claim = { ...newClaim(fleet, change, part, fence), state: 'MATERIALISED', isConfirmed: true, expiresAt: null }
  const ended = () => fleet.claims.filter((one) => one.host === name && one.instance === instance && one.lingers && one.extra === null)
  const room = () => Object.keys(claim.amounts).map((resourceClass) => freeOf(fleet, host, resourceClass))
  const lingering = ended()
  for (const one of lingering) one.lingers = false
  const before = room()
  fleet.claims.push(claim)
  const refusal = room().some((free, i) => free < Math.min(0, before[i] ?? 0))
    ? 'claim.no_room'
    : change.group !== null
      ? 'claim.group_mismatch'
      : undefined
  if (refusal !== undefined) {
    fleet.claims.pop()
    for (const one of lingering) one.lingers = true
    return refusal
  }
  for (const one of overdue) if (isLive(one)) endClaim(fleet, one, 'EXPIRED')
  // The report includes the instance only once. Its use is now counted for the new claim, and not for a claim that has just expired.
  for (const one of ended()) one.lingers = false
  bindKey(fleet, change)
  forgetUnused(fleet)
  return undefined
}

/**
 * Applies a further attempt to place an instance. The attempt releases the destination of the instance's unfinished move, and then moves
 * the claim to the new host. Returns why the attempt has no effect, or undefined.
 */
export function judgeAttempt(fleet: ModelFleet, change: ModelChange, fence: number): string | undefined {
  const [part] = change.parts
  const source = fleet.claim(change.source.claim)
  const isOwn = (claim: ModelClaim | undefined, at: number | undefined): claim is ModelClaim =>
    isLive(claim) && claim.account === change.account && claim.fence === at
  const isOfOwner = fleet.level >= 9 && source?.within === change.account
  if (change.parts.length !== 1 || !isLive(source) || source.fence !== change.source.fence) return 'claim.lost'
  if (source.account !== change.account && !isOfOwner) return 'claim.lost'
  if (source.instance === null || source.instance !== part.instance) return 'claim.lost'
  const inScope = claimsOf(fleet, source.instance, scopeOf(change))
  if (!inScope.includes(source)) return 'claim.lost'
  if (source.source !== null || source.target !== (change.ends?.claim ?? null)) return 'claim.moving'
  const ended = source.target === null ? undefined : fleet.claim(source.target)
  if (ended !== undefined && !isOwn(ended, change.ends?.fence)) return 'claim.lost'
  if (inScope.some((claim) => claim !== source && claim !== ended && !isOverdue(fleet, claim))) return 'claim.instance_taken'
  if ((change.group?.uuid ?? null) !== source.group) return 'claim.group_mismatch'
  const refusal = mayStand(fleet, part, source.group, source, ended)
  if (refusal !== undefined) return refusal
  if (ended !== undefined) endClaim(fleet, ended, 'RELEASED')
  beginMove(fleet, change, part, fence, source)
  return undefined
}

export function judgeMove(fleet: ModelFleet, change: ModelChange, fence: number): string | undefined {
  const source = fleet.claim(change.source.claim)
  const [part] = change.parts
  if (change.parts.length !== 1) return 'claim.lost'
  if (!isLive(source) || source.fence !== change.source.fence || source.instance !== part.instance) return 'claim.lost'
  if (source.source !== null || source.target !== null) return 'claim.moving'
  if ((change.group?.uuid ?? null) !== source.group) return 'claim.group_mismatch'
  const refusal = mayStand(fleet, part, source.group, source)
  if (refusal !== undefined) return refusal
  beginMove(fleet, change, part, fence, source)
  return undefined
}

export function beginMove(fleet: ModelFleet, change: ModelChange, part: ModelChange, fence: number, source: ModelClaim): void {
  const claim = { ...newClaim(fleet, change, part, fence), project: source.project, within: source.within }
  claim.source = source.id
  source.target = claim.id
  if (takesDifference(fleet, claim.host, claim.gpus, source)) {
    claim.extra = {}
    for (const [resourceClass, amount] of Object.entries(claim.amounts))
      claim.extra[resourceClass] = Math.max(0, amount - (source.amounts[resourceClass] ?? 0))
  }
  fleet.claims.push(claim)
  bindKey(fleet, change)
}

/**
 * Why a part of a proposal does not fit on its host; undefined if it fits. Resources of the claim that moves (`mover`), and of the
 * destination that it gives up (`given`), are treated as free.
 */
export function mayStand(
  fleet: ModelFleet,
  part: ModelChange,
  uuid: string | null,
  mover?: ModelClaim,
  given?: ModelClaim,
): string | undefined {
  const host = fleet.host(part.host)
  if (host === undefined) return 'claim.no_room'
  const gpus = gpusOf(part)
  const isGivenUp =
    given !== undefined &&
    given.state !== 'MATERIALISED' &&
    !growsInPlace(fleet, given) &&
    (fleet.level >= KEEPS_OWN || (given.gpus.length === 0 && gpus.length === 0))
  const without = isGivenUp ? [given] : []
  // If the host lists the instance, the host's report still includes the resources of the former destination. These resources are not free
  // yet.
  const lingering = fleet.level >= 9 ? without.filter((claim) => isListed(fleet, claim)) : []
  // The amounts of a former destination that stay held are not free either.
  const held = isGivenUp && given.host === host.name && wouldStayHeld(fleet, given) ? given.amounts : {}
  const isOwn = mover !== undefined && takesDifference(fleet, host.name, gpus, mover)
  for (const [resourceClass, amount] of Object.entries<number>(part.grants.classes ?? {})) {
    const own = isOwn ? (mover.amounts[resourceClass] ?? 0) : 0
    const isWithinOwn = fleet.level >= OWN_LIMITS && amount <= own
    if (freeOf(fleet, host, resourceClass, without, lingering) - (held[resourceClass] ?? 0) + own < amount && !isWithinOwn)
      return 'claim.no_room'
    const { total } = amountsOf(fleet, host, resourceClass)
    if (fleet.level >= OWN_LIMITS && amount > total && !isWithinOwn) return 'claim.no_room'
  }
  // A claim that moves on its own host can use only the GPUs that it already holds.
  const left = isOwn ? mover.gpus : gpusLeft(fleet, host, without, lingering)
  if (new Set(gpus).size < gpus.length || gpus.some((gpu) => !left.includes(gpu))) return 'claim.no_room'
  const isApart = uuid !== null && apartOf(fleet, uuid).some((other) => membersOf(fleet, other).some((member) => member.host === host.name))
  if (isApart) return 'claim.group_rule'
  const group = fleet.group(uuid)
  if (group === undefined) return undefined
  const others = membersOf(fleet, group.uuid).filter((member) => member !== mover && member !== given)
  const here = others.filter((member) => member.host === host.name)
  if (group.policy === 'ANTI_AFFINITY' && here.length >= (group.max ?? 1)) return 'claim.group_rule'
  if (group.policy === 'AFFINITY' && others.some((member) => member.host !== host.name)) return 'claim.group_rule'
  return undefined
}

/**
 * Applies a change of a claim's group: the claim joins a group, leaves one, or joins another. Returns why the change has no effect, or
 * undefined.
 */
export function judgeMembership(fleet: ModelFleet, change: ModelChange): string | undefined {
  const claim = fleet.claim(change.claim)
  if (claim === undefined || claim.fence !== change.fence || !isLive(claim)) return 'claim.lost'
  if (claim.source !== null || claim.target !== null) return 'claim.moving'
  const { group } = change
  if (claim.group === (group?.uuid ?? null)) return undefined
  if (group !== null) {
    const bound = fleet.group(group.uuid)
    if (bound !== undefined && (bound.policy !== group.policy || bound.max !== group.maxServerPerHost)) return 'claim.group_mismatch'
    if (mayStand(fleet, { host: claim.host, grants: {} }, group.uuid) !== undefined) return 'group.conflict'
    bindGroup(fleet, group)
    markEdited(fleet, group.uuid)
  }
  markEdited(fleet, claim.group)
  claim.group = group?.uuid ?? null
  forgetEmptyGroups(fleet)
  return undefined
}
