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
 * Since feature level 8, decides whether a proposal is valid. There are two rules in addition to those of judge.ts: an instance has at most
 * one live claim in its project, and only keys whose claims have all ended are limited by the cap.
 *
 * This file is frozen like judge.ts, and golden tests check it. A new rule needs a new type of change behind a new feature level. The two
 * rules also apply to the older types of proposals, with the project of their request, and therefore also to proposals that were sent
 * before the level was raised.
 */

const isFull = ({ ledger }: JudgedFleet): boolean => ledger.endedKeyCount >= ledger.keyLimits.cap

/**
 * Applies the rules of `judgeClaims`, and the rule that none of the instances has a live claim. If one part is refused, the whole proposal
 * is void.
 */
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

/** Moves a claim by the rules of `judgeMove`, with the cap for ended keys that operators set. */
export const judgeMoveOfInstance = (fleet: JudgedFleet, basis: number, change: MoveProposed, fence: number): Void =>
  judgeProposal(fleet, basis, change, isFull(fleet)) ?? moveClaim(fleet, change, fence)

/**
 * Judges a further attempt to place an instance that has a live claim. In one step, the destination claim of an open move is released, if
 * there is one, and a move to another host begins.
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
  // the caller names the destination claim that the attempt releases; otherwise the attempt could release the claim of a move that another
  // attempt began meanwhile
  if (source.source !== null || (ended?.id ?? null) !== (change.ends?.claim ?? null)) return 'claim.moving'
  if (ended !== undefined && !isOwn(change, ended, change.ends?.fence)) return 'claim.lost'
  // The instance must have no live claim besides the source claim. Before level 8, an instance could get several live claims.
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

/** Returns true if the claim is live, belongs to the caller's account and has the fence that the caller names. */
const isOwn = ({ account }: Proposal, claim: Claim | undefined, fence: number | undefined): claim is Claim =>
  claim !== undefined && claim.account === account && claim.fence === fence && isLive(claim)

/**
 * Returns true if `isOwn` does. From feature level OWNERS_ATTEMPTS on, also returns true if the instance belongs to the account and the
 * claim belongs to another account that moved the instance.
 */
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

/**
 * Expires overdue reservations of an instance when the instance is claimed again. Otherwise, a later call could extend these reservations.
 */
function expireOverdue({ ledger, place, now }: JudgedFleet, instance: string, scope: InstanceScope): void {
  for (const { claim, destination } of ledger.liveClaimsIn(instance, scope))
    for (const end of [destination, claim]) if (end !== null && isLive(end)) ledger.end(end, 'EXPIRED', null, place.revision, now)
}

/** Abandons a key like `judgeAbandon`, but with the cap and the retention time that operators set. */
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

/** Sets new key limits. The change is refused if the limits do not have the version that the change expects. */
export function judgeKeyLimits({ ledger }: JudgedFleet, { expectedVersion, cap, afterlifeMs }: KeyLimitsChanged): Void {
  if (ledger.keyLimits.version !== expectedVersion) return 'claim.key_limits'
  ledger.setKeyLimits({ cap, afterlifeMs, version: expectedVersion + 1 })
  return undefined
}
