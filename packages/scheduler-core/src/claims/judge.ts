import type { Code } from '../codes.ts'
import type { ClaimConfirmed, ClaimExpired, ClaimExtended, ClaimReleased, ClaimsProposed, KeyAbandoned } from '../fleet/change.ts'
import type { HostIndex } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { groupAllows } from '../fleet/groups.ts'
import { isLive } from './claim.ts'
import { dropPart, grantsFit, holdPart, KEY_AFTERLIFE_MS } from './ledger.ts'

/**
 * The frozen page: what makes a proposal count at its place in the log. Every replica, of every release, must answer
 * alike, so it looks at whole numbers, names and revisions only: at no filter, profile, plug-in or clock. Golden tests
 * hold it; a change of rule is a new kind of entry, never an edit here.
 *
 * Each function answers undefined when the change counts (and has then taken effect), or the code of why it is void
 * (and then nothing has happened).
 */
export type Void = Code | undefined

/** Keys that one fleet remembers at most; beyond, new claims are void. */
export const KEY_CAP = 1_000_000

/** All parts count together, or none: unedited hosts and group since the basis, free key, room for every part in turn, group rule. */
export function judgeClaims(fleet: Fleet, basis: number, change: ClaimsProposed, fence: number): Void {
  const { hosts, groups, ledger } = fleet
  if (ledger.findKey(change.account, change.key) !== undefined) return 'claim.key_used'
  if (ledger.keyCount >= KEY_CAP) return 'claim.key_cap'
  if (change.notAfter !== null && fleet.now > change.notAfter) return 'claim.deadline'
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
  const refusal = consume(fleet, change)
  if (refusal !== undefined) return refusal
  for (const part of change.parts) {
    const record = hosts.find(part)
    if (record !== undefined) record.revision = fleet.place.revision
  }
  ledger.open(change, fence, fleet.place.revision, fleet.now)
  return undefined
}

/** Holds every part in turn, or leaves everything as it was. */
function consume({ hosts, groups }: Fleet, { parts, group }: ClaimsProposed): Void {
  const isNew = group !== null && groups.find(group.uuid) === undefined
  if (group !== null) groups.bind(group)
  for (const [i, part] of parts.entries()) {
    const record = hosts.find(part)
    const bound = group === null ? undefined : groups.find(group.uuid)
    const refusal: Void =
      record === undefined || !grantsFit(hosts, record, part.grants)
        ? 'claim.no_room'
        : bound !== undefined && !groupAllows(bound, record.index as HostIndex)
          ? 'claim.group_rule'
          : undefined
    if (refusal === undefined) {
      holdPart(hosts, groups, part, group)
      continue
    }
    for (const held of parts.slice(0, i).reverse()) dropPart(hosts, groups, held, group)
    if (isNew) groups.unbind(group.uuid)
    return refusal
  }
  return undefined
}

/** A reservation becomes lasting. Counts again for a claim that is confirmed already: a repeated call gets the same answer. */
export function judgeConfirm({ ledger, place, now }: Fleet, { claim: id, fence }: ClaimConfirmed): Void {
  const claim = ledger.claims.get(id)
  if (claim === undefined || claim.fence !== fence || !isLive(claim)) return 'claim.lost'
  if (claim.state === 'RESERVED') ledger.move(claim, 'CONFIRMED', place.revision)
  claim.confirmedAt ??= now
  return undefined
}

/** The end of a reservation moves to the later of its present end and now + ttl. */
export function judgeExtend({ ledger, place, now }: Fleet, { claim: id, fence, ttlMs }: ClaimExtended): Void {
  const claim = ledger.claims.get(id)
  if (claim === undefined || claim.fence !== fence || !isLive(claim)) return 'claim.lost'
  if (claim.state === 'RESERVED' && claim.expiresAt !== null) claim.expiresAt = Math.max(claim.expiresAt, now + ttlMs)
  claim.revision = place.revision
  return undefined
}

/** Counts again for a claim that is released already. */
export function judgeRelease({ ledger, place, now }: Fleet, { claim: id, fence, reason }: ClaimReleased): Void {
  const claim = ledger.claims.get(id)
  if (claim === undefined || claim.fence !== fence) return 'claim.lost'
  if (claim.state === 'RELEASED') return undefined
  if (!isLive(claim)) return 'claim.lost'
  ledger.end(claim, 'RELEASED', reason, place.revision, now)
  return undefined
}

/** A reservation ends only when the store's time has passed its present end: an extend may have come first. */
export function judgeExpire({ ledger, place, now }: Fleet, { claim: id }: ClaimExpired): Void {
  const claim = ledger.claims.get(id)
  if (claim === undefined || claim.state !== 'RESERVED' || claim.expiresAt === null || claim.expiresAt > now) return 'claim.not_expired'
  ledger.end(claim, 'EXPIRED', null, place.revision, now)
  return undefined
}

/** Binds an unused key to nothing, or releases what it holds. */
export function judgeAbandon({ ledger, place, now }: Fleet, { account, key }: KeyAbandoned): Void {
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
