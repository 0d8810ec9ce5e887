import type { FinalState, Operation, Setting } from '../history.ts'

/** The input of a rule: the history of clients, and the state of every replica after all changes. */
export interface Evidence {
  readonly setting: Setting
  readonly history: readonly Operation[]
  readonly finals: readonly FinalState[]
}

/** A promise of the service to its callers, with a function that returns every violation in the evidence. */
export interface Rule {
  readonly name: string
  violations(evidence: Evidence): readonly string[]
}
