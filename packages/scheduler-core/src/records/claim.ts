import type { HostIndex } from '../values/host-index.ts'
import type { Own } from '../values/owner.ts'
import type { Grants } from './change.ts'

/**
 * RESERVED (until it expires) -> CONFIRMED -> MATERIALISED (the host's report counts it) -> RELEASED. A claim may also end as EXPIRED or
 * REVOKED.
 */
export const claimStates = ['RESERVED', 'CONFIRMED', 'MATERIALISED', 'RELEASED', 'EXPIRED', 'REVOKED'] as const
export type ClaimState = (typeof claimStates)[number]

/**
 * Resources of one host that are held for one instance. Only the judge and reports write a claim, with `own` of the ledger. Copies of a
 * fleet share claims (owner.ts), so a claim object that was read earlier may show a former state.
 */
export interface Claim {
  readonly id: string
  readonly instance: string | null
  readonly account: string
  /**
   * The project in which an instance can have only one live claim. If null, the rule applies within the account. Claims from before feature
   * level 8 have no project.
   */
  readonly project: string | null
  /** The account in which the instance id is unique, if another account moved the claim. If null, this is `account`. */
  readonly instanceAccount: string | null
  readonly key: string
  readonly host: HostIndex
  readonly grants: Grants
  /** The uuid of the instance's server group. */
  readonly group: string | null
  readonly decision: string
  /**
   * A number that `apply` sets from the position in the log. Callers send it with each call about the claim, so that late calls are
   * refused.
   */
  readonly fence: number
  readonly createdAt: number
  readonly state: ClaimState
  /** End of a reservation in store time, milliseconds. Null after the confirmation. */
  readonly expiresAt: number | null
  readonly confirmedAt: number | null
  readonly endedAt: number | null
  readonly reason: string | null
  /** Revision of the last change. */
  readonly revision: number
  /** The claim that this claim will replace, while a move is open. */
  readonly source: string | null
  /** The claim that will replace this claim, while a move is open. */
  readonly target: string | null
  /**
   * After a move in place, the grants that the instance takes on its own host in addition to those that it already held. While the move is
   * open, these are all grants that the claim holds. After the confirmation, these are the grants that the host's report does not count
   * yet, until the next report. From feature level ADDED_IN_PLACE on, they are also stored while the report counts nothing of the claim.
   */
  readonly extra: Grants | null
  /**
   * The first claim with additions in place that are part of `extra`, if it is not this claim. A report or an edit after that claim
   * already included its addition. Stored since feature level ADDED_IN_PLACE.
   */
  readonly extraSince: Pick<Claim, 'createdAt' | 'fence'> | null
  /**
   * The store time (the database's clock) from which on the instance is unlisted: that of the report that stopped listing it, or that of
   * the end of its move, during which it could be on the other host. Null while the instance is listed, if it was never listed, and after
   * the end of the claim. Stored since feature level 9. Instances that were unlisted when this level was reached are counted from then on.
   */
  readonly unlistedAt: number | null
}

/**
 * The number of fences for each entry. A fence is the revision times this number, plus the number of the claim in its entry, so that
 * fences increase along the log.
 */
const CLAIMS_PER_ENTRY = 65_536

export const firstFenceOf = (revision: number): number => revision * CLAIMS_PER_ENTRY

/** The revision of the entry that made the claim with this fence. */
export const madeAt = (fence: number): number => Math.floor(fence / CLAIMS_PER_ENTRY)

/** A claim that can be written. */
export type OwnClaim = Own<Claim>

export const isLive = ({ state }: Pick<Claim, 'state'>): boolean =>
  state === 'RESERVED' || state === 'CONFIRMED' || state === 'MATERIALISED'

/**
 * A claim as plain data for checkpoints, with the host by name. The project and the fields of moves are present only if they are not null.
 */
export type StoredClaim = Omit<Claim, 'host' | LeftOutIfNull> &
  Partial<Pick<Claim, LeftOutIfNull>> & {
    readonly host: string
    readonly node: string
    /** Only for a host that is gone, because another host may have its name. */
    readonly index?: HostIndex
  }

type LeftOutIfNull = 'project' | 'instanceAccount' | 'source' | 'target' | 'extra' | 'extraSince' | 'unlistedAt'
