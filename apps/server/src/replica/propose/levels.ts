import type { Fleet } from '@gantt/scheduler-core'
import { UnavailableError } from '../../unavailable.ts'
import type { ReplicaOptions } from '../replica-options.ts'
import { FeatureLevelError, onceReadable } from '../watch/feature-level.ts'

/** Determines to which feature level the log may be raised. Every living replica must be able to read this level. */
export interface Levels {
  /**
   * Finds out whether the next entry may raise the log to this release's level, which requires that every living replica can read changes
   * of that level. The rules of that level then apply to all later entries. If a replica cannot read them or the store does not answer, the
   * log keeps its level.
   */
  learn(): Promise<void>
  /** Allows changes of a feature level if every replica supports it. Throws FeatureLevelError if a replica does not. */
  admit<Outcome>(level: number, letIn: () => Promise<Outcome>): Promise<Outcome>
  /** The level to which the next entry can raise the log, because every living replica reads that level. 0 if unknown. */
  readonly raiseTo: number
  /** Discards the result of `learn`, because other replicas can start later. They are checked before the feature level is raised again. */
  clear(): void
}

export type LevelsOptions = Pick<ReplicaOptions, 'name' | 'isReadByAll' | 'mayRaise'>

export function createLevels(fleet: () => Fleet, { name, isReadByAll = () => true, mayRaise }: LevelsOptions): Levels {
  let raiseTo = 0
  return {
    async learn() {
      const { readsUpTo, featureLevel } = fleet()
      if (featureLevel >= readsUpTo || raiseTo >= readsUpTo || !isReadByAll(readsUpTo)) return
      try {
        await mayRaise?.(readsUpTo)
        raiseTo = readsUpTo
      } catch (error) {
        // the call continues by the rules of the present level
        if (!(error instanceof FeatureLevelError) && !(error instanceof UnavailableError)) throw error
      }
    },
    admit(level, letIn) {
      const { readsUpTo } = fleet()
      // this release does not write changes that it cannot read, even if all other replicas read them
      if (level > readsUpTo) return Promise.reject(new FeatureLevelError(name, readsUpTo, level))
      return onceReadable(level, fleet(), mayRaise, letIn)
    },
    get raiseTo() {
      return raiseTo
    },
    clear() {
      raiseTo = 0
    },
  }
}
