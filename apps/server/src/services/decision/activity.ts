import {
  type ActivityStore,
  type Durations,
  type FailureCount,
  type FlavorCount,
  MAX_FAILED,
  type StepCount,
} from '../../db/tables/activity.ts'
import type { Replica } from '../../replica/replica.ts'
import { InputFault } from '../calls/outcome.ts'
import { checkRange } from '../calls/text.ts'
import type { Placement } from '../placement/placement.ts'

export type { Durations, FailureCount, FlavorCount } from '../../db/tables/activity.ts'

export interface StepView extends StepCount {
  /** How long decisions in the step took. Undefined if no duration was measured. */
  took(): Promise<Durations | undefined>
}

/**
 * The requests in a span of store time (the database's clock, in milliseconds since 1970). `until` is exclusive. The result of each method
 * is cached.
 */
export interface ActivityView {
  readonly since: number
  readonly until: number
  /** All steps, oldest first. The last step can be shorter. */
  steps(): Promise<readonly StepView[]>
  /** How long decisions in the span took. Undefined if no duration was measured. */
  took(): Promise<Durations | undefined>
  /** True if the span has too many decisions. `took` then covers only the newest decisions. */
  isTookCut(): Promise<boolean>
  /** Failed decisions by reason, the most frequent reason first. */
  failures(): Promise<readonly FailureCount[]>
  /** True if the span has too many failed decisions. `failures` then covers only the newest failed decisions. */
  isFailuresCut(): Promise<boolean>
  /** The requested flavors, the most frequent first. */
  flavors(): Promise<readonly FlavorCount[]>
  /** The same figures for the preceding span of the same length. */
  before(): ActivityView
}

/**
 * The requested span. It begins at `since` or, if `since` is absent, `windowMs` before its end. If `until` is absent or in the future, the
 * span ends now.
 */
export interface AskedSpan {
  readonly windowMs: number
  readonly since?: number | null | undefined
  readonly until?: number | null | undefined
  /** The span is divided into at most this many steps. */
  readonly steps: number
}

/** The latest requests to the service, and their results. */
export interface Activities {
  /** Throws InputFault for a number that is out of range. */
  read(asked: AskedSpan): Promise<ActivityView>
}

export const most = { windowMs: 7 * 86_400_000, steps: 500 } as const
const MIN_WINDOW_MS = 60_000

/** `caughtUp` waits until the tables contain everything that this replica has applied. */
export function createActivities(
  replica: Replica,
  placement: Pick<Placement, 'oldestAsked'>,
  store: ActivityStore,
  caughtUp: () => Promise<unknown>,
): Activities {
  /**
   * The latest time up to which the tables are complete. Counts and lists of the decisions before this time therefore agree. A refusal has
   * the arrival time of its request, but it is stored only once it is decided. The end is therefore before the oldest waiting request of
   * this replica. Only refusals that other replicas are about to store can be missing.
   */
  const end = async (): Promise<number> => {
    const until = Math.min(replica.storeTime + 1, placement.oldestAsked() ?? Number.POSITIVE_INFINITY)
    await replica.freshest()
    await caughtUp()
    return until
  }
  return {
    async read({ windowMs, since, until, steps }) {
      const issues = [
        ...checkRange(['window'], windowMs, MIN_WINDOW_MS, most.windowMs, ' ms'),
        ...checkRange(['steps'], steps, 1, most.steps),
      ]
      if (issues.length > 0) throw new InputFault(issues)
      const last = Math.min(until ?? Number.POSITIVE_INFINITY, await end())
      if (since == null) {
        const stepMs = Math.ceil(windowMs / steps)
        return viewOf(store, last - stepMs * steps, last, steps)
      }
      if (since >= last) throw InputFault.at(['since'], new Date(since).toISOString(), 'before the end of the span')
      if (last - since > most.windowMs) throw InputFault.at(['since'], new Date(since).toISOString(), 'at most 7 days before the end')
      return viewOf(store, since, last, steps)
    },
  }
}

function viewOf(store: ActivityStore, since: number, until: number, count: number): ActivityView {
  const span = { since, until, stepMs: Math.ceil((until - since) / count) }
  const counts = once(() => store.steps(span))
  const durations = once(() => store.durations(span))
  return {
    since,
    until,
    steps: once(async () => (await counts()).map((step, i) => ({ ...step, took: async () => (await durations()).steps.get(i) }))),
    took: async () => (await durations()).all,
    isTookCut: async () => (await durations()).isCut,
    failures: once(() => store.failures(span)),
    isFailuresCut: async () => (await counts()).reduce((sum, { failed }) => sum + failed, 0) > MAX_FAILED,
    flavors: once(() => store.flavors(span)),
    before: () => viewOf(store, since - (until - since), since, count),
  }
}

/** Reads on the first call, and returns the same value on every later call. */
function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined
  return () => {
    value ??= read()
    return value
  }
}
