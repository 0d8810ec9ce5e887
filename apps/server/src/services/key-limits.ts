import type { KeyLimits as Limits } from '@gantt/scheduler-core'
import type { Replica } from '../replica/replica.ts'
import { type Failure, type Invalid, invalid, issue, sentenceOf } from './outcome.ts'
import { checkRange } from './text.ts'

export const LEAST_CAP = 1_000
/** More ended keys than this do not fit into the memory of any machine that was measured (docs/performance.md). */
export const MOST_CAP = 100_000_000
export const LEAST_AFTERLIFE_MS = 60_000
export const MOST_AFTERLIFE_MS = 24 * 3_600_000

/** How many ended idempotency keys are kept, for how long, and how many there are. */
export interface KeyLimitsView extends Limits {
  /** Keys whose claims have all ended: those count against the cap. */
  readonly ended: number
  /** All that are kept. */
  readonly kept: number
}

export interface KeyLimitsDone {
  readonly type: 'done'
  readonly limits: KeyLimitsView
  readonly dryRun: boolean
  readonly revision: number
}

export interface KeyLimitsConflict extends Failure {
  readonly type: 'key-limits-conflict'
  readonly current: KeyLimitsView
}

/** The fleet's own settings of idempotency keys: they are in the log, so that every replica judges by the same. */
export interface KeyLimits {
  view(): KeyLimitsView
  /** Counted on the version that was read. A dry run tells what the limits would be. */
  update(
    ifVersion: number,
    next: Pick<Limits, 'cap' | 'afterlifeMs'>,
    dryRun: boolean,
  ): Promise<KeyLimitsDone | KeyLimitsConflict | Invalid>
}

export function createKeyLimits(replica: Replica): KeyLimits {
  const view = (): KeyLimitsView => {
    const { keyLimits, endedKeyCount, keyCount } = replica.fleet.ledger
    return { ...keyLimits, ended: endedKeyCount, kept: keyCount }
  }
  const conflict = (): KeyLimitsConflict => ({
    type: 'key-limits-conflict',
    code: 'STALE',
    message: `${sentenceOf('claim.key_limits')} Look at the present ones and set them anew.`,
    path: ['ifVersion'],
    current: view(),
  })
  return {
    view,
    async update(ifVersion, { cap, afterlifeMs }, dryRun) {
      const issues = [
        ...checkRange(['cap'], cap, LEAST_CAP, MOST_CAP, ' keys'),
        ...checkRange(['afterlife'], afterlifeMs, LEAST_AFTERLIFE_MS, MOST_AFTERLIFE_MS, ' ms'),
      ]
      if (ifVersion < 0) issues.push(issue(['ifVersion'], ifVersion, 'be the version that was read'))
      if (issues.length > 0) return invalid(issues)
      await replica.fresh()
      const { revision } = replica.fleet.place
      if (view().version !== ifVersion) return conflict()
      if (dryRun) return { type: 'done', limits: { ...view(), cap, afterlifeMs }, dryRun, revision }
      const [verdict] = await replica.propose([{ type: 'key-limits', expectedVersion: ifVersion, cap, afterlifeMs }])
      if (verdict?.void !== undefined) return conflict()
      return { type: 'done', limits: view(), dryRun, revision: verdict?.revision ?? revision }
    },
  }
}
