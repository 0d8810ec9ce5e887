import type { ActivityStore, Activity as Counts } from '../db/activity.ts'
import type { Replica } from '../replica/replica.ts'
import { InputFault } from './outcome.ts'
import type { Placement } from './placement.ts'
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
export function createActivities(
  replica: Replica,
  placement: Pick<Placement, 'oldestAsked'>,
  store: ActivityStore,
  caughtUp: () => Promise<unknown>,
): Activities {
  /**
   * The end of what is all in the tables, so that whoever lists a span up to it finds as many decisions as were counted: a refusal
   * is dated when it was asked for, and kept once it is decided. Only one that another replica is about to keep may still come in.
   */
  const end = async (): Promise<number> => {
    const until = Math.min(replica.storeTime + 1, placement.oldestAsked() ?? Number.POSITIVE_INFINITY)
    await replica.freshest()
    await caughtUp()
    return until
  }
  return {
    async read(windowMs, steps) {
      const issues = [
        ...checkRange(['window'], windowMs, LEAST_WINDOW_MS, most.windowMs, ' ms'),
        ...checkRange(['steps'], steps, 1, most.steps),
      ]
      if (issues.length > 0) throw new InputFault(issues)
      const until = await end()
      const stepMs = Math.ceil(windowMs / steps)
      const since = until - stepMs * steps
      return { since, until, ...(await store.read({ since, until, stepMs })) }
    },
  }
}
