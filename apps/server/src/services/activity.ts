import type { ActivityStore, Activity as Counts } from '../db/activity.ts'
import type { Replica } from '../replica/replica.ts'
import { InputFault } from './outcome.ts'
import { checkRange } from './text.ts'

export type { FailureCount, FlavorCount, StepCount } from '../db/activity.ts'

export interface ActivityView extends Counts {
  /** Store time, milliseconds since 1970; `until` is not in it. */
  readonly since: number
  readonly until: number
}

/** What was asked of the service lately, and what came of it. */
export interface Activities {
  /** The newest part of the records. Throws InputFault for numbers out of range. */
  read(windowMs: number, steps: number): Promise<ActivityView>
}

export const most = { windowMs: 7 * 86_400_000, steps: 500 } as const
const LEAST_WINDOW_MS = 60_000

/** `caughtUp` waits for tables that have what this replica has applied. */
export function createActivities(replica: Replica, store: ActivityStore, caughtUp: () => Promise<unknown>): Activities {
  return {
    async read(windowMs, steps) {
      const issues = [
        ...checkRange(['window'], windowMs, LEAST_WINDOW_MS, most.windowMs, ' ms'),
        ...checkRange(['steps'], steps, 1, most.steps),
      ]
      if (issues.length > 0) throw new InputFault(issues)
      await caughtUp()
      // the newest decision is in it, whatever the clocks of store and replica say
      const until = Math.max(replica.fleet.now, Date.now()) + 1
      const stepMs = Math.ceil(windowMs / steps)
      const since = until - stepMs * steps
      return { since, until, ...(await store.read({ since, until, stepMs })) }
    },
  }
}
