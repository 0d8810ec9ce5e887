import type { HostTable } from '../hosts/hosts.ts'
import { isPart } from '../kinds/index.ts'
import type { Grants } from '../records/change.ts'
import { type Claim, isLive } from '../records/claim.ts'
import { HELD_RESERVATIONS } from '../values/levels.ts'
import { nullIfEmpty } from './in-place.ts'

/**
 * Since feature level HELD_RESERVATIONS, a reservation that ends when its host counts the instance (`untilCounted`) keeps its amounts until
 * its expiry if a call ends it earlier. The figures of its host do not show which of several instances has started. So the host may have
 * counted this instance, but ended the reservation of another one, which then needs these amounts; or it may still count this instance.
 */

/** The classes whose use a report without a list of instances states. */
export const FIGURES: ReadonlySet<string> = new Set(['VCPU', 'MEMORY_MB', 'DISK_GB'])

/** The part of a claim that stays reserved after the claim has ended, and for how long. */
export interface Kept {
  /** The grants that stay reserved in addition to the report of the host. */
  readonly extra: Grants | null
  /** The time until which they stay reserved. If null, they stay reserved until the next report of the host. */
  readonly heldUntil: number | null
}

export const NOTHING_KEPT: Kept = { extra: null, heldUntil: null }

/** An ended claim whose amounts stay held until `heldUntil`. */
type HeldClaim = Claim & { readonly heldUntil: number }

export const isHeldOnly = (claim: Claim): claim is HeldClaim => !isLive(claim) && claim.heldUntil !== null

/** The amounts in the grants that the figures of a host count. Null if there are none. */
const figuresIn = ({ classes = {} }: Grants): Grants | null =>
  nullIfEmpty({ classes: Object.fromEntries(Object.entries(classes).filter(([name]) => FIGURES.has(name))) })

/** The expiry of a reservation with `untilCounted`, also after it was confirmed. Null for other claims. */
export function heldUntilOf({ featureLevel }: HostTable, { untilCounted, expiresAt, heldUntil }: Claim): number | null {
  if (featureLevel < HELD_RESERVATIONS) return null
  return untilCounted === null || expiresAt === null ? heldUntil : Math.max(expiresAt, heldUntil ?? 0)
}

/**
 * The amounts of a claim that stay held if a call ends the claim before its expiry. `grants` are the grants of the claim for which the
 * instance has no other claim on the host. Null if no amount stays held.
 */
export const heldIfEnded = (hosts: HostTable, claim: Claim, grants = claim.grants): Grants | null =>
  heldUntilOf(hosts, claim) === null || hosts.get(claim.host).stats.instances !== null ? null : figuresIn(grants)

/** What stays reserved of a claim that ends now. `extra` are the grants that no report has counted. */
export function keptOf(hosts: HostTable, claim: Claim, now: number, extra: Grants | null, grants = claim.grants): Kept {
  const heldUntil = heldUntilOf(hosts, claim)
  const held = heldIfEnded(hosts, claim, grants)
  if (held === null || heldUntil === null || heldUntil <= now) return { extra, heldUntil: null }
  return { extra: { ...extra, classes: { ...extra?.classes, ...held.classes } }, heldUntil }
}

/**
 * True if an ended claim counts as an instance of its host: its amounts stay held, and are not only those by which a move within the host
 * made the instance smaller.
 */
export const countsAsInstance = (claim: Claim): boolean =>
  isHeldOnly(claim) && claim.extra !== null && isPart(figuresIn(claim.grants) ?? {}, claim.extra)
