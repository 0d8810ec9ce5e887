import type { Fleet } from '@gantt/scheduler-core'
import { UnavailableError } from '../../unavailable.ts'
import type { ReplicaOptions } from '../replica-options.ts'
import { FeatureLevelError, onceReadable } from '../watch/feature-level.ts'

/** Determines the feature level that the log may have, which every living replica must read. */
export interface Levels {
  /**
   * Finds out whether the next entry may raise the log to the level that is read here: when every living replica reads it. The rules of
   * that level then hold for all that follows. Where one does not, or the store does not answer, the log stays as it is.
   */
  learn(): Promise<void>
  /** Allows changes of a level once every replica reads it. Throws FeatureLevelError if one does not. */
  admit<Outcome>(level: number, letIn: () => Promise<Outcome>): Promise<Outcome>
  /** The level that every living replica reads, for the next entry; 0 if it is not known. */
  readonly raiseTo: number
  /** A replica that joins after the entry that raises the level is considered before the next one. */
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
        // the call continues by the rules of the present level; a higher one is requested separately
        if (!(error instanceof FeatureLevelError) && !(error instanceof UnavailableError)) throw error
      }
    },
    admit(level, letIn) {
      const { readsUpTo } = fleet()
      // changes that this release cannot read are not written by it, whoever else reads them
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
