import type { HostIndex } from '../values/host-index.ts'
import type { Own } from '../values/owner.ts'
import type { Grants } from './change.ts'

/**
 * The states of a claim. RESERVED: expires unless it is confirmed. CONFIRMED: does not expire. MATERIALISED: the host's report lists the
 * instance. RELEASED, EXPIRED, REVOKED: ended.
 */
export const claimStates = ['RESERVED', 'CONFIRMED', 'MATERIALISED', 'RELEASED', 'EXPIRED', 'REVOKED'] as const
export type ClaimState = (typeof claimStates)[number]

/**
 * Resources of one host that are reserved for one instance. Only the judge and reports write claims, after `own` of the ledger has made a
 * claim writable. Copies of a fleet share claim objects. Therefore, an object that was read earlier can have a former state.
 */
export interface Claim {
  readonly id: string
  readonly instance: string | null
  readonly account: string
  /**
   * An instance can have only one live claim in this project. If the project is null, an instance can have only one live claim in the
   * account. Claims from before feature level 8 have no project.
   */
  readonly project: string | null
  /** If another account moved the claim, this is the account in which the instance id is unique. Null if that account is `account`. */
  readonly instanceAccount: string | null
  readonly key: string
  readonly host: HostIndex
  readonly grants: Grants
  /** The uuid of the instance's server group. */
  readonly group: string | null
  readonly decision: string
  /**
   * A number that is computed from the claim's position in the log. Callers send the fence with each call about the claim. A call with an
   * outdated fence is refused.
   */
  readonly fence: number
  readonly createdAt: number
  readonly state: ClaimState
  /** The end of the reservation in store time, in milliseconds since 1970. Null after the confirmation. */
  readonly expiresAt: number | null
  /** True if the reservation also ends when the figures of its host count the instance (claims/counted.ts). Null otherwise, and after the end. */
  readonly untilCounted: true | null
  /**
   * For a claim that was reserved with `untilCounted`, after it was confirmed or after a call ended it: the time at which the reservation
   * would have expired. If the claim ends earlier, its amounts stay held until then (claims/held-until.ts). Null otherwise. Stored since
   * feature level HELD_RESERVATIONS.
   */
  readonly heldUntil: number | null
  readonly confirmedAt: number | null
  readonly endedAt: number | null
  readonly reason: string | null
  /** The revision of the last change of the claim. */
  readonly revision: number
  /** While a move is open: the id of the claim that this claim will replace. */
  readonly source: string | null
  /** While a move is open: the id of the claim that will replace this claim. */
  readonly target: string | null
  /**
   * For an ended claim: the grants that stay reserved in addition to the host's report. For a move within one host: the grants that the instance needs in addition to those of the source claim. While the move is open, the
   * destination claim reserves only these grants. After the confirmation and until the next report, these are the grants that the host's
   * report does not include. From feature level ADDED_IN_PLACE on, they are also stored if the report includes no grant of the claim.
   */
  readonly extra: Grants | null
  /**
   * The earlier claim that first added grants to `extra` by a move within the host. Null if only this claim added grants. Stored since
   * feature level ADDED_IN_PLACE.
   */
  readonly extraSince: Pick<Claim, 'createdAt' | 'fence'> | null
  /**
   * The store time (the database's clock) since which the host's reports do not list the instance: the time of the first report without the
   * instance, or the end of a move, because the instance could be on the host of the move's other claim until then. Null while the instance
   * is listed, if it was never listed, and after the claim ended. Stored since feature level 9. For instances that were unlisted when the
   * log reached level 9, this is the time at which the log reached that level.
   */
  readonly unlistedAt: number | null
}

/**
 * Each entry has this many fences. A fence is the revision times this number, plus the index of the claim in its entry. Fences therefore
 * increase along the log.
 */
const CLAIMS_PER_ENTRY = 65_536

export const firstFenceOf = (revision: number): number => revision * CLAIMS_PER_ENTRY

/** The revision of the entry that created the claim with this fence. */
export const madeAt = (fence: number): number => Math.floor(fence / CLAIMS_PER_ENTRY)

/** A claim that belongs only to one fleet. The fleet can write it. */
export type OwnClaim = Own<Claim>

/** The time at which an `expire` entry ends a reservation, or the hold of an ended one. Null for other claims. */
export const lapsesAt = (claim: Pick<Claim, 'state' | 'expiresAt' | 'heldUntil'>): number | null =>
  claim.state === 'RESERVED' ? claim.expiresAt : isLive(claim) ? null : claim.heldUntil

export const isLive = ({ state }: Pick<Claim, 'state'>): boolean =>
  state === 'RESERVED' || state === 'CONFIRMED' || state === 'MATERIALISED'

/**
 * A claim as plain data for checkpoints. The host is stored by its name. The project and the fields of moves are present only if they are
 * not null.
 */
export type StoredClaim = Omit<Claim, 'host' | LeftOutIfNull> &
  Partial<Pick<Claim, LeftOutIfNull>> & {
    readonly host: string
    readonly node: string
    /** Present only for a host that left the fleet, because another host can have its name now. */
    readonly index?: HostIndex
  }

type LeftOutIfNull =
  | 'untilCounted'
  | 'heldUntil'
  | 'project'
  | 'instanceAccount'
  | 'source'
  | 'target'
  | 'extra'
  | 'extraSince'
  | 'unlistedAt'
