import { type Claim, isLive } from '../../claims/claim.ts'
import type { HostRecord } from '../../fleet/hosts.ts'
import type { ProposedChange } from './remedy.ts'

/** What claims of a host hold of what is short. */
export interface HeldRoom {
  /** How much of it a claim holds; 0: nothing. */
  sizeOf(claim: Claim): number
  /** Whether the host has enough once these claims have ended. */
  isEnough(ended: readonly Claim[]): boolean
}

/** Whether some claim of a host could end: the room of a MATERIALISED one is in the figures of the host's own report. */
export const hasEndingClaims = ({ claims }: HostRecord): boolean => {
  for (const claim of claims) if (isLive(claim) && claim.state !== 'MATERIALISED') return true
  return false
}

/** Reservations that end soonest and free enough together; else the one lasting claim that frees enough and least beyond. */
export function endingClaims(record: HostRecord, { sizeOf, isEnough }: HeldRoom): ProposedChange[] {
  const held = [...record.claims].filter((claim) => (claim.state === 'RESERVED' || claim.state === 'CONFIRMED') && sizeOf(claim) > 0)
  const changes: ProposedChange[] = []
  const ending = held
    .filter(({ state, expiresAt }) => state === 'RESERVED' && expiresAt !== null)
    .sort((a, b) => (a.expiresAt as number) - (b.expiresAt as number))
  const enough = ending.findIndex((_, i) => isEnough(ending.slice(0, i + 1)))
  if (enough >= 0) {
    const waited = ending.slice(0, enough + 1)
    const end = new Date(waited.at(-1)?.expiresAt as number).toISOString()
    const ids = waited.map(({ id }) => id)
    changes.push({
      kind: 'FLEET',
      subject: `reservations on ${record.host}`,
      from: `${ids.length} that end by ${end}`,
      to: ids.length === 1 ? `wait for ${ids[0]} to expire at ${end}` : `wait for ${ids.length} of them to expire by ${end}`,
      effort: Math.min(10, 1.5 + ids.length / 10),
      edits: { releaseClaims: ids },
    })
  }
  const [lasting] = held
    .filter((claim) => claim.state === 'CONFIRMED' && isEnough([claim]))
    .sort((a, b) => sizeOf(a) - sizeOf(b) || a.createdAt - b.createdAt)
  if (lasting !== undefined)
    changes.push({
      kind: 'FLEET',
      subject: `claim ${lasting.id} on ${record.host}`,
      from: 'CONFIRMED',
      to: 'released',
      effort: 4,
      edits: { releaseClaims: [lasting.id] },
    })
  return changes
}
