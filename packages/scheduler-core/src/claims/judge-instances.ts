import { isPlain } from '../kinds/index.ts'
import {
  type AttemptProposed,
  type ClaimsProposed,
  type InstancesProposed,
  type KeyAbandoned,
  type KeyLimitsChanged,
  type MoveProposed,
  type Proposal,
  projectOf,
} from '../records/change.ts'
import { type Claim, isLive } from '../records/claim.ts'
import { OWNERS_ATTEMPTS } from '../values/levels.ts'
import { grantsFit, holdMove } from './held-amounts.ts'
import { growsInPlace } from './in-place.ts'
import { type InstanceScope, isSameScope, scopeOf } from './instances.ts'
import { consume, judgeAbandon, judgeProposal, moveClaim, touchHosts, type Void } from './judge.ts'
import type { JudgedFleet } from './judged-fleet.ts'

/**
 * Decides since feature level 8 whether a proposal counts. In addition to the rules of judge.ts, an instance has one live claim in its
 * project, and the keys of live claims do not count against the cap.
 * Frozen like judge.ts and checked by golden tests: a new rule is a new kind of entry behind a new level. Proposals of types from before
 * level 8 are judged by these rules too, with the project of their request. No proposal that was in flight when the level rose escapes
 * them.
 */

const isFull = ({ ledger }: JudgedFleet): boolean => ledger.endedKeyCount >= ledger.keyLimits.cap

/** Applies the rules of `judgeClaims`, and the rule that none of the instances has a live claim. Either all parts count or none. */
export function judgeInstances(fleet: JudgedFleet, basis: number, change: ClaimsProposed | InstancesProposed, fence: number): Void {
  const scope = { account: change.account, project: projectOf(change) }
  const refusal =
    judgeProposal(fleet, basis, change, isFull(fleet)) ?? (isTaken(fleet, change, scope) ? 'claim.instance_taken' : consume(fleet, change))
  if (refusal !== undefined) return refusal
  touchHosts(fleet, change)
  for (const { instance } of change.parts) if (instance !== null) expireOverdue(fleet, instance, scope)
  fleet.ledger.open(change, fence, fleet.place.revision, fleet.now)
  return undefined
}

/** Moves a claim by the rules of `judgeMove`, with the cap of keys that operators set. The instance stays the same. */
export const judgeMoveOfInstance = (fleet: JudgedFleet, basis: number, change: MoveProposed, fence: number): Void =>
  judgeProposal(fleet, basis, change, isFull(fleet)) ?? moveClaim(fleet, change, fence)

/**
 * A further attempt to move an instance: the destination of its open move is released, and a move to another host begins. Either both
 * happen or neither.
 */
export function judgeAttempt(fleet: JudgedFleet, basis: number, change: AttemptProposed, fence: number): Void {
  const { ledger, hosts, groups, place, now } = fleet
  const refusal = judgeProposal(fleet, basis, change, isFull(fleet))
  if (refusal !== undefined) return refusal
  const [part, ...others] = change.parts
  const source = ledger.claims.get(change.source.claim)
  if (part === undefined || others.length > 0) return 'claim.lost'
  if (!mayAttempt(fleet, change, source) || source.instance === null || source.instance !== part.instance) return 'claim.lost'
  if (!isSameScope(scopeOf(source), change)) return 'claim.lost'
  const ended = source.target === null ? undefined : ledger.claims.get(source.target)
  // the caller names the destination that it releases, so that it cannot release a move that another attempt began meanwhile
  if (source.source !== null || (ended?.id ?? null) !== (change.ends?.claim ?? null)) return 'claim.moving'
  if (ended !== undefined && !isOwn(change, ended, change.ends?.fence)) return 'claim.lost'
  // the instance may have no claim apart from this move; a claim from before level 8 may still exist
  if (ledger.rivalsOf(part.instance, change, now).some(({ claim }) => claim.id !== source.id)) return 'claim.instance_taken'
  if ((change.group?.uuid ?? null) !== source.group) return 'claim.group_mismatch'
  const record = hosts.find(part)
  if (record === undefined) return 'claim.no_room'
  const restore = [
    ...(ended === undefined ? [] : [ledger.liftDestination(ended, isPlain(part.grants))]),
    ledger.lift(source, growsInPlace(hosts, source, record.index, part.grants)),
  ]
  const obstacle: Void = !grantsFit(hosts, record, part.grants)
    ? 'claim.no_room'
    : change.group !== null && !groups.allows(change.group.uuid, record.index)
      ? 'claim.group_rule'
      : undefined
  for (const undo of restore.reverse()) undo()
  if (obstacle !== undefined) return obstacle
  if (ended !== undefined) ledger.end(ended, 'RELEASED', 'tried elsewhere', place.revision, now)
  holdMove(hosts, groups, part, change.group, source)
  touchHosts(fleet, change)
  ledger.open(change, fence, place.revision, now, source)
  return undefined
}

/** Whether this is a live claim of the caller's account with the fence that the caller names. */
const isOwn = ({ account }: Proposal, claim: Claim | undefined, fence: number | undefined): claim is Claim =>
  claim !== undefined && claim.account === account && claim.fence === fence && isLive(claim)

/** Like `isOwn`, but also true if the instance belongs to the account and another account moved its claim. */
const mayAttempt = ({ featureLevel }: JudgedFleet, change: AttemptProposed, claim: Claim | undefined): claim is Claim =>
  claim !== undefined &&
  (claim.account === change.account || (featureLevel >= OWNERS_ATTEMPTS && scopeOf(claim).account === change.account)) &&
  claim.fence === change.source.fence &&
  isLive(claim)

function isTaken({ ledger, now }: JudgedFleet, { parts }: Proposal, scope: InstanceScope): boolean {
  const seen = new Set<string>()
  for (const { instance } of parts) {
    if (instance === null) continue
    if (seen.has(instance) || ledger.rivalsOf(instance, scope, now).length > 0) return true
    seen.add(instance)
  }
  return false
}

/** Expires overdue reservations of an instance when the instance is claimed again. Otherwise a late extend could revive them. */
function expireOverdue({ ledger, place, now }: JudgedFleet, instance: string, scope: InstanceScope): void {
  for (const { claim, destination } of ledger.liveClaimsIn(instance, scope))
    for (const end of [destination, claim]) if (end !== null && isLive(end)) ledger.end(end, 'EXPIRED', null, place.revision, now)
}

/** Like `judgeAbandon`, but with the cap that operators set. */
export function judgeAbandonByLimits(fleet: JudgedFleet, change: KeyAbandoned): Void {
  const { ledger, place, now } = fleet
  const { account, key } = change
  if (ledger.findKey(account, key) !== undefined) return judgeAbandon(fleet, change)
  if (isFull(fleet)) return 'claim.key_cap'
  const { afterlifeMs } = ledger.keyLimits
  ledger.bind({
    ...{ account, key, digest: '', answer: null, claims: [], decision: null },
    revision: place.revision,
    boundAt: now,
    forgottenAt: now + afterlifeMs,
  })
  return undefined
}

/** Sets new limits. Counts only if the limits still have the version on which the change is based. */
export function judgeKeyLimits({ ledger }: JudgedFleet, { expectedVersion, cap, afterlifeMs }: KeyLimitsChanged): Void {
  if (ledger.keyLimits.version !== expectedVersion) return 'claim.key_limits'
  ledger.setKeyLimits({ cap, afterlifeMs, version: expectedVersion + 1 })
  return undefined
}
