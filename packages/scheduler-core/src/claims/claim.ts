import type { Grants } from '../fleet/change.ts'
import type { HostIndex } from '../fleet/columns.ts'

/** RESERVED (expires) -> CONFIRMED -> MATERIALISED (the host's report counts it) -> RELEASED; or EXPIRED, REVOKED. */
export const claimStates = ['RESERVED', 'CONFIRMED', 'MATERIALISED', 'RELEASED', 'EXPIRED', 'REVOKED'] as const
export type ClaimState = (typeof claimStates)[number]

/** Room on one host held for one instance. Only the ledger writes it. */
export interface Claim {
  readonly id: string
  readonly instance: string | null
  readonly account: string
  readonly key: string
  readonly host: HostIndex
  readonly grants: Grants
  /** Uuid of its server group. */
  group: string | null
  readonly decision: string
  /** Given by `apply` from the place in the log; callers name it, so that late ones lose. */
  readonly fence: number
  readonly createdAt: number
  state: ClaimState
  /** End of a reservation in store time, milliseconds; null once confirmed. */
  expiresAt: number | null
  confirmedAt: number | null
  endedAt: number | null
  reason: string | null
  /** Revision of the last change. */
  revision: number
  /** While a move is open: the claim that this one is to take the place of. */
  source: string | null
  /** While a move is open: the claim that is to take this one's place. */
  target: string | null
  /**
   * Room beside what the host's report counts, for an instance that grows on its own host: all that the claim holds
   * while the move is open, and what the report does not count yet after it.
   */
  extra: Grants | null
}

export const isLive = ({ state }: Claim): boolean => state === 'RESERVED' || state === 'CONFIRMED' || state === 'MATERIALISED'

/** A claim as whole numbers and names, for checkpoints: hosts by name; what belongs to moves only where there is one. */
export type StoredClaim = Omit<Claim, 'host' | MoveFields> &
  Partial<Pick<Claim, MoveFields>> & { readonly host: string; readonly node: string }

type MoveFields = 'source' | 'target' | 'extra'
