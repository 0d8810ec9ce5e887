import type { SelectedDestination } from './decision.ts'

/** The binding of an idempotency key to claims. The object is never changed. When the key ends, a new object replaces it. */
export interface BoundKey {
  readonly account: string
  readonly key: string
  readonly digest: string
  /** The answer of the call that used the key, in the order of the claims. Null if the key was abandoned before use. */
  readonly answer: readonly SelectedDestination[] | null
  readonly claims: readonly string[]
  readonly decision: string | null
  readonly revision: number
  readonly boundAt: number
  /** The store time at which the key is forgotten. Null while one of its claims is live. */
  readonly forgottenAt: number | null
}
