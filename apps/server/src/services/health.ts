import { CORE_VERSION } from '@gantt/scheduler-core'
import type { Replica } from '../replica/replica.ts'

/** What this replica can do now. Nothing of it is ever guessed: a claim is promised only when the store has it. */
export type HealthMode = 'NORMAL' | 'STORE_AWAY' | 'READ_ONLY' | 'CLOSING'

export interface HealthView {
  readonly replica: string
  readonly version: string
  readonly mode: HealthMode
  /** Why it is not NORMAL. */
  readonly reason: string | null
  readonly revision: number
  /** How long ago the state was last known to be as new as the store's, milliseconds. */
  readonly ageMs: number
  readonly featureLevel: number
}

export interface Health {
  view(): HealthView
}

export function createHealth(replica: Replica): Health {
  const standing = (): Pick<HealthView, 'mode' | 'reason'> => {
    if (replica.halted !== undefined) return { mode: 'READ_ONLY', reason: replica.halted.message }
    if (replica.isClosing) return { mode: 'CLOSING', reason: 'The replica answers what is under way, and takes nothing new.' }
    if (replica.isStoreAway)
      return { mode: 'STORE_AWAY', reason: 'The store does not answer: reads are as old as stateAge says, and nothing is claimed.' }
    return { mode: 'NORMAL', reason: null }
  }
  return {
    view: () => ({
      replica: replica.name,
      version: CORE_VERSION,
      ...standing(),
      revision: replica.fleet.place.revision,
      ageMs: Math.round(replica.age),
      featureLevel: replica.fleet.featureLevel,
    }),
  }
}
