import { isHeldOnly } from '../../../claims/held-until.ts'
import { hostAddress } from '../../../hosts/host-address.ts'
import type { HostRecord } from '../../../hosts/hosts.ts'
import { type Claim, isLive, lapsesAt } from '../../../records/claim.ts'
import type { ProposedChange } from './remedy.ts'

/** The hosts of the fleet, which are needed to name a host with its node if it has several nodes. */
type Hosts = Parameters<typeof hostAddress>[0]

/** How much of a missing resource each claim of a host holds, and whether the host has enough after some of them end. */
export interface HeldRoom {
  /** The amount of the missing resource that a claim holds. 0 if it holds none. */
  sizeOf(claim: Claim): number
  /** True if the host has enough after these claims have ended. */
  isEnough(ended: readonly Claim[]): boolean
}

/**
 * True if the host has a claim whose end frees resources: a live claim, or an ended one whose amounts stay held. The end of a MATERIALISED
 * claim frees nothing, because the host's report counts its instance.
 */
export const hasEndingClaims = ({ claims }: HostRecord): boolean => {
  for (const claim of claims) if (isHeldOnly(claim) || (isLive(claim) && claim.state !== 'MATERIALISED')) return true
  return false
}

/** The claims of a host. Of ended claims, only those whose amounts stay held, and only with these amounts. */
const holdingOn = ({ claims }: HostRecord): readonly Claim[] =>
  [...claims].flatMap((claim) =>
    isLive(claim) ? [claim] : isHeldOnly(claim) ? [{ ...claim, grants: claim.extra ?? {}, instance: null, group: null }] : [],
  )

/** `waitsOn` considers at most this many reservations of a host: the reservations that expire first. */
export const MAX_AWAITED_CLAIMS = 16

/**
 * Proposes to wait until enough reservations have expired. The reservations that expire first are used. Also proposes, as a last resort, to
 * release the smallest confirmed claim that frees enough.
 */
export function endingClaims(hosts: Hosts, record: HostRecord, { sizeOf, isEnough }: HeldRoom): ProposedChange[] {
  const address = hostAddress(hosts, record)
  const held = holdingOn(record).filter((claim) => claim.state !== 'MATERIALISED' && sizeOf(claim) > 0)
  const changes: ProposedChange[] = []
  const ending = expiring(held)
  const enough = ending.findIndex((_, i) => isEnough(ending.slice(0, i + 1)))
  if (enough >= 0) changes.push(waitFor(address, onlyNeeded(ending.slice(0, enough + 1), { sizeOf, isEnough })))
  const [lasting] = held
    .filter((claim) => claim.state === 'CONFIRMED' && isEnough([claim]))
    .sort((a, b) => sizeOf(a) - sizeOf(b) || a.createdAt - b.createdAt)
  if (lasting !== undefined)
    changes.push({
      kind: 'FLEET',
      subject: `claim ${lasting.id} on ${address}`,
      from: 'CONFIRMED',
      to: 'released',
      effort: 4,
      lastResort: true,
      edits: { releaseClaims: [lasting.id] },
    })
  return changes
}

/** Leaves out reservations that need not expire, because the remaining reservations free enough. Tries the smallest reservations first. */
function onlyNeeded(ending: readonly Ending[], { sizeOf, isEnough }: HeldRoom): readonly Ending[] {
  let needed = ending
  for (const claim of [...ending].sort((a, b) => sizeOf(a) - sizeOf(b))) {
    const others = needed.filter((one) => one !== claim)
    if (isEnough(others)) needed = others
  }
  return needed
}

/**
 * Proposes to wait for the reservations on a host for which `isInTheWay` is true, because they can cause the refusal. The search then
 * leaves out reservations that need not expire.
 */
export function waitsOn(hosts: Hosts, record: HostRecord, isInTheWay: (claim: Claim) => boolean): ProposedChange[] {
  const ending = expiring(holdingOn(record).filter(isInTheWay)).slice(0, MAX_AWAITED_CLAIMS)
  return ending.length === 0 ? [] : [waitFor(hostAddress(hosts, record), ending)]
}

interface Ending extends Claim {
  /** The time at which the claim, or its hold, ends. */
  readonly endsAt: number
}

const expiring = (claims: readonly Claim[]): Ending[] =>
  claims
    .flatMap((claim) => {
      const endsAt = lapsesAt(claim)
      return endsAt === null ? [] : [{ ...claim, endsAt }]
    })
    .sort((a, b) => a.endsAt - b.endsAt || a.fence - b.fence)

/** The proposal to wait until `claims` have expired. The claims must be sorted by their expiry time. */
function waitFor(address: string, claims: readonly Ending[]): ProposedChange {
  const end = new Date(claims.at(-1)?.endsAt ?? 0).toISOString()
  const ids = claims.map(({ id }) => id)
  return {
    kind: 'FLEET',
    subject: `reservations on ${address}`,
    from: null,
    to:
      ids.length === 1 ? `wait until claim ${ids[0]} expires at ${end}` : `wait until claims ${ids.join(', ')} expire, the last at ${end}`,
    effort: Math.min(10, 1.5 + ids.length / 10),
    edits: { releaseClaims: ids },
    waits: true,
    parts: {
      names: ids,
      of: (some) =>
        waitFor(
          address,
          claims.filter(({ id }) => some.includes(id)),
        ),
    },
  }
}
