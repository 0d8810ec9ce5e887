import { membersKeep, type OwnGroup } from '../hosts/groups.ts'
import type {
  ClaimConfirmed,
  ClaimExpired,
  ClaimExtended,
  ClaimReleased,
  ClaimRevoked,
  ClaimsProposed,
  GroupChanged,
  KeyAbandoned,
  MembershipChanged,
  MoveProposed,
  Proposal,
} from '../records/change.ts'
import { isLive } from '../records/claim.ts'
import type { Code } from '../text/codes.ts'
import type { HostIndex } from '../values/host-index.ts'
import { dropPart, grantsFit, holdMove, holdPart } from './held-amounts.ts'
import { KEY_AFTERLIFE_MS } from './idempotency-keys.ts'
import { growsInPlace } from './in-place.ts'
import type { JudgedFleet } from './judged-fleet.ts'

/**
 * Decides whether a proposal is valid at its position in the log. This file is frozen: every replica of every release must decide
 * identically. The judge therefore reads only whole numbers, names and revisions, and no filter, profile, plug-in or clock. Golden tests
 * check that the decisions do not change. A new rule needs a new type of change, never an edit of this file. Each function applies a valid
 * change and returns undefined. If the change is void, the function returns the code of the cause and changes nothing.
 */
export type Void = Code | undefined

/** A fleet remembers at most this many idempotency keys. When this limit is reached, new claims are void (refused). */
export const KEY_CAP = 1_000_000

/**
 * Judges a proposal as a whole. The proposal is valid if the hosts and the group were not edited after the revision `basis`, the key is
 * unused, each part fits together with the parts before it, and the group's rule is satisfied.
 */
export function judgeClaims(fleet: JudgedFleet, basis: number, change: ClaimsProposed, fence: number): Void {
  const refusal = judgeProposal(fleet, basis, change) ?? consume(fleet, change)
  if (refusal !== undefined) return refusal
  touchHosts(fleet, change)
  fleet.ledger.open(change, fence, fleet.place.revision, fleet.now)
  return undefined
}

/**
 * Moves a claim. Until the move is confirmed or the destination claim ends, resources are reserved for the source claim and for the
 * destination claim.
 */
export function judgeMove(fleet: JudgedFleet, basis: number, change: MoveProposed, fence: number): Void {
  return judgeProposal(fleet, basis, change) ?? moveClaim(fleet, change, fence)
}

/** Checks the rules that apply only to moves, and applies the move. */
export function moveClaim(fleet: JudgedFleet, change: MoveProposed, fence: number): Void {
  const { ledger, hosts, groups } = fleet
  const source = ledger.claims.get(change.source.claim)
  const [part, ...others] = change.parts
  if (part === undefined || others.length > 0) return 'claim.lost'
  if (source === undefined || source.fence !== change.source.fence || !isLive(source) || source.instance !== part.instance)
    return 'claim.lost'
  if (source.source !== null || source.target !== null) return 'claim.moving'
  // A move cannot change the group. The source claim and the new claim are members of the group until the move ends.
  if ((change.group?.uuid ?? null) !== source.group) return 'claim.group_mismatch'
  const record = hosts.find(part)
  if (record === undefined) return 'claim.no_room'
  // the grants of the source claim are free for its own move
  const restore = ledger.lift(source, growsInPlace(hosts, source, record.index, part.grants))
  const obstacle: Void = !grantsFit(hosts, record, part.grants)
    ? 'claim.no_room'
    : change.group !== null && !groups.allows(change.group.uuid, record.index)
      ? 'claim.group_rule'
      : undefined
  restore()
  if (obstacle !== undefined) return obstacle
  holdMove(hosts, groups, part, change.group, source)
  touchHosts(fleet, change)
  ledger.open(change, fence, fleet.place.revision, fleet.now, source)
  return undefined
}

/**
 * Checks the rules that apply to every proposal, except the rules about free capacity. `isFull` is true if the maximum count of keys is
 * reached.
 */
export function judgeProposal(
  { hosts, groups, ledger, now }: JudgedFleet,
  basis: number,
  change: Proposal,
  isFull = ledger.keyCount >= KEY_CAP,
): Void {
  if (ledger.findKey(change.account, change.key) !== undefined) return 'claim.key_used'
  if (isFull) return 'claim.key_cap'
  if (change.notAfter !== null && now > change.notAfter) return 'claim.deadline'
  const ids = new Set(change.parts.map(({ claim }) => claim))
  if (ids.size < change.parts.length || change.parts.some(({ claim }) => ledger.claims.has(claim))) return 'claim.id_taken'
  if (change.group !== null) {
    if (!groups.accepts(change.group)) return 'claim.group_mismatch'
    if ((groups.find(change.group.uuid)?.lastEdit ?? 0) > basis) return 'claim.edited'
  }
  for (const part of change.parts) {
    const record = hosts.find(part)
    if (record === undefined) return 'claim.no_room'
    if ((hosts.columns.lastEdit[record.index] as number) > basis) return 'claim.edited'
  }
  return undefined
}

export function touchHosts({ hosts, place }: JudgedFleet, { parts }: Proposal): void {
  for (const part of parts) {
    const record = hosts.find(part)
    if (record !== undefined) hosts.own(record.index).revision = place.revision
  }
}

/** Reserves the grants of all parts in order. If a part is refused, nothing changes. */
export function consume({ hosts, groups }: JudgedFleet, { parts, group }: Pick<ClaimsProposed, 'parts' | 'group'>): Void {
  if (group !== null && groups.sharesWith(group) !== undefined) return 'claim.group_mismatch'
  const unbind = group === null ? undefined : groups.bind(group)
  for (const [i, part] of parts.entries()) {
    const record = hosts.find(part)
    const refusal: Void =
      record === undefined || !grantsFit(hosts, record, part.grants)
        ? 'claim.no_room'
        : group !== null && !groups.allows(group.uuid, record.index as HostIndex)
          ? 'claim.group_rule'
          : undefined
    if (refusal === undefined) {
      holdPart(hosts, groups, part, group)
      continue
    }
    for (const held of parts.slice(0, i).reverse()) dropPart(hosts, groups, held, group)
    unbind?.()
    return refusal
  }
  return undefined
}

/**
 * Confirms a claim. If the claim is the destination of an open move, it replaces the source claim. The change is also valid if the claim is
 * confirmed already. Therefore, a repeated call gets the same answer.
 */
export function judgeConfirm({ ledger, place, now }: JudgedFleet, { claim: id, fence }: ClaimConfirmed): Void {
  const found = ledger.claims.get(id)
  if (found === undefined || found.fence !== fence || !isLive(found)) return 'claim.lost'
  const claim = ledger.own(found)
  if (claim.state === 'RESERVED') ledger.move(claim, 'CONFIRMED', place.revision)
  claim.confirmedAt ??= now
  if (claim.source !== null) ledger.settleMove(claim, place.revision, now)
  return undefined
}

/** Sets the end of a reservation to now + ttl, if this is later than the present end. */
export function judgeExtend({ ledger, place, now }: JudgedFleet, { claim: id, fence, ttlMs }: ClaimExtended): Void {
  const found = ledger.claims.get(id)
  if (found === undefined || found.fence !== fence || !isLive(found)) return 'claim.lost'
  const claim = ledger.own(found)
  if (claim.state === 'RESERVED' && claim.expiresAt !== null) claim.expiresAt = Math.max(claim.expiresAt, now + ttlMs)
  ledger.touch(claim, place.revision)
  return undefined
}

/** Releases a claim. The change is also valid if the claim is released already. */
export function judgeRelease({ ledger, place, now }: JudgedFleet, { claim: id, fence, reason }: ClaimReleased): Void {
  const claim = ledger.claims.get(id)
  if (claim === undefined || claim.fence !== fence) return 'claim.lost'
  if (claim.state === 'RELEASED') return undefined
  if (!isLive(claim)) return 'claim.lost'
  ledger.end(claim, 'RELEASED', reason, place.revision, now)
  return undefined
}

/** Ends a claim on behalf of an operator, without a check of its fence. The change is also valid if the claim is revoked already. */
export function judgeRevoke({ ledger, place, now }: JudgedFleet, { claim: id, reason }: ClaimRevoked): Void {
  const claim = ledger.claims.get(id)
  if (claim?.state === 'REVOKED') return undefined
  if (claim === undefined || !isLive(claim)) return 'claim.lost'
  ledger.end(claim, 'REVOKED', reason, place.revision, now)
  return undefined
}

/**
 * Expires a reservation if the time of the log has reached the reservation's end. The end can have been extended after the change was
 * proposed.
 */
export function judgeExpire({ ledger, place, now }: JudgedFleet, { claim: id }: ClaimExpired): Void {
  const claim = ledger.claims.get(id)
  if (claim === undefined || claim.state !== 'RESERVED' || claim.expiresAt === null || claim.expiresAt > now) return 'claim.not_expired'
  ledger.end(claim, 'EXPIRED', null, place.revision, now)
  return undefined
}

/**
 * Abandons a key. A key without claims is bound to an empty list of claims and cannot be used later. If the key has claims, they are
 * released.
 */
export function judgeAbandon({ ledger, place, now }: JudgedFleet, { account, key }: KeyAbandoned): Void {
  const bound = ledger.findKey(account, key)
  if (bound === undefined) {
    if (ledger.keyCount >= KEY_CAP) return 'claim.key_cap'
    ledger.bind({
      account,
      key,
      digest: '',
      answer: null,
      claims: [],
      decision: null,
      revision: place.revision,
      boundAt: now,
      forgottenAt: now + KEY_AFTERLIFE_MS,
    })
    return undefined
  }
  for (const id of bound.claims) {
    const claim = ledger.claims.get(id)
    if (claim !== undefined && isLive(claim)) ledger.end(claim, 'RELEASED', 'abandoned', place.revision, now)
  }
  return undefined
}

/** Changes the rule of a group, but only if its members already satisfy the new rule. */
export function judgeGroup({ groups, place }: JudgedFleet, { uuid, expectedVersion, policy, maxServerPerHost }: GroupChanged): Void {
  const found = groups.find(uuid)
  if (found === undefined) return 'group.unknown'
  if (found.version !== expectedVersion) return 'group.version'
  if (!membersKeep({ policy, maxServerPerHost, members: found.members })) return 'group.conflict'
  const group = groups.own(uuid)
  if (group === undefined) return 'group.unknown'
  group.policy = policy
  group.maxServerPerHost = maxServerPerHost
  markEdited(group, place.revision)
  return undefined
}

/**
 * Moves a claim from its group to another group, if the rule of the new group allows the claim's host. The former and the new group are
 * then marked as edited at this revision.
 */
export function judgeMembership({ groups, ledger, place }: JudgedFleet, { claim: id, fence, group }: MembershipChanged): Void {
  const claim = ledger.claims.get(id)
  if (claim === undefined || claim.fence !== fence || !isLive(claim)) return 'claim.lost'
  if (claim.source !== null || claim.target !== null) return 'claim.moving'
  if (claim.group === (group?.uuid ?? null)) return undefined
  if (group !== null) {
    if (!groups.accepts(group)) return 'claim.group_mismatch'
    if (!groups.allows(group.uuid, claim.host)) return 'group.conflict'
    groups.bind(group)
    markEdited(groups.own(group.uuid), place.revision)
  }
  markEdited(claim.group === null ? undefined : groups.own(claim.group), place.revision)
  ledger.changeGroup(claim, group?.uuid ?? null, place.revision)
  return undefined
}

function markEdited(group: OwnGroup | undefined, revision: number): void {
  if (group === undefined) return
  group.version++
  group.lastEdit = revision
}
