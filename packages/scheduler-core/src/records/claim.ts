import type { HostIndex } from '../values/host-index.ts'
import type { Own } from '../values/owner.ts'
import type { Grants } from './change.ts'

/** RESERVED (expires) -> CONFIRMED -> MATERIALISED (the host's report counts it) -> RELEASED; or EXPIRED, REVOKED. */
export const claimStates = ['RESERVED', 'CONFIRMED', 'MATERIALISED', 'RELEASED', 'EXPIRED', 'REVOKED'] as const
export type ClaimState = (typeof claimStates)[number]

/**
 * Room on one host that is held for one instance. Only the judge and reports write it, by the ledger's `own`. Copies
 * of a fleet share it (owner.ts), so code that holds on to a claim may hold a former state.
 */
export interface Claim {
  readonly id: string
  readonly instance: string | null
  readonly account: string
  /** The project within which an instance has one live claim; null: the account. Claims from before feature level 8 have none. */
  readonly project: string | null
  /** The account within which its instance is unique, if another account made the move; null: `account`. */
  readonly instanceAccount: string | null
  readonly key: string
  readonly host: HostIndex
  readonly grants: Grants
  /** The uuid of its server group. */
  readonly group: string | null
  readonly decision: string
  /** Set by `apply` from the position in the log; callers name it, so that late calls are refused. */
  readonly fence: number
  readonly createdAt: number
  readonly state: ClaimState
  /** End of a reservation in store time, milliseconds; null once confirmed. */
  readonly expiresAt: number | null
  readonly confirmedAt: number | null
  readonly endedAt: number | null
  readonly reason: string | null
  /** Revision of the last change. */
  readonly revision: number
  /** While a move is open: the claim that this one will replace. */
  readonly source: string | null
  /** While a move is open: the claim that will replace this one. */
  readonly target: string | null
  /**
   * What an instance that moves on its own host takes there in addition to what it holds already: all that the claim holds while the move is open;
   * once it is confirmed, until the host's next report, what that report does not count yet. From feature level ADDED_IN_PLACE on it is kept
   * as long where the report counts nothing of the claim.
   */
  readonly extra: Grants | null
  /**
   * The first of the claims whose additions in place are in `extra`, where that is not this one: a report or an edit that came between them
   * found its addition there already. Kept since feature level ADDED_IN_PLACE.
   */
  readonly extraSince: Pick<Claim, 'createdAt' | 'fence'> | null
  /**
   * Store time of the report that stopped listing its instance, or of the end of its move, during which it may have been on the other host;
   * null while it is listed, where it never was, and of ended claims. Kept since feature level 9: what was not listed when that level was
   * reached counts from then.
   */
  readonly unlistedAt: number | null
}

/** Fences rise with the log: the revision, then the number of the claim in its entry. */
const CLAIMS_PER_ENTRY = 65_536

export const firstFenceOf = (revision: number): number => revision * CLAIMS_PER_ENTRY

/** The revision of the entry that made the claim with a fence. */
export const madeAt = (fence: number): number => Math.floor(fence / CLAIMS_PER_ENTRY)

/** A claim to be written. */
export type OwnClaim = Own<Claim>

export const isLive = ({ state }: Pick<Claim, 'state'>): boolean =>
  state === 'RESERVED' || state === 'CONFIRMED' || state === 'MATERIALISED'

/** A claim as whole numbers and names, for checkpoints: hosts by name; the project, and what belongs to moves, only where there is one. */
export type StoredClaim = Omit<Claim, 'host' | LeftOutIfNull> &
  Partial<Pick<Claim, LeftOutIfNull>> & {
    readonly host: string
    readonly node: string
    /** Only for a host that is gone: another host may have its name. */
    readonly index?: HostIndex
  }

type LeftOutIfNull = 'project' | 'instanceAccount' | 'source' | 'target' | 'extra' | 'extraSince' | 'unlistedAt'
