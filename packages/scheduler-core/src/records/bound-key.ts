import type { SelectedDestination } from './decision.ts'

/** The binding of an idempotency key; it is replaced when it ends, never changed. */
export interface BoundKey {
  readonly account: string
  readonly key: string
  readonly digest: string
  /** The whole answer in the order of the claims; null: the key was abandoned before use. */
  readonly answer: readonly SelectedDestination[] | null
  readonly claims: readonly string[]
  readonly decision: string | null
  readonly revision: number
  readonly boundAt: number
  /** Store time at which the key is forgotten; null while one of its claims lives. */
  readonly forgottenAt: number | null
}
