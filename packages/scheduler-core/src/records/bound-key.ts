import type { SelectedDestination } from './decision.ts'

/** The binding of an idempotency key to claims. It is replaced when the key ends, and never changed. */
export interface BoundKey {
  readonly account: string
  readonly key: string
  readonly digest: string
  /** The answer of the call in the order of the claims. Null if the key was abandoned before use. */
  readonly answer: readonly SelectedDestination[] | null
  readonly claims: readonly string[]
  readonly decision: string | null
  readonly revision: number
  readonly boundAt: number
  /** Store time at which the key is forgotten. Null while one of its claims is live. */
  readonly forgottenAt: number | null
}
