import type { FinalState, Operation, Setting } from '../history.ts'

/** All that a rule may look at: what clients saw, and what every replica shows once nothing moves any more. */
export interface Evidence {
  readonly setting: Setting
  readonly history: readonly Operation[]
  readonly finals: readonly FinalState[]
}

/** A promise, and every way in which the evidence breaks it. */
export interface Rule {
  readonly name: string
  violations(evidence: Evidence): readonly string[]
}
