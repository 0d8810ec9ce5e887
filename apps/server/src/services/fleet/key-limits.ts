import type { KeyLimits as Limits } from '@gantt/scheduler-core'
import type { Replica } from '../../replica/replica.ts'
import { type Failure, type Invalid, invalid, issue, sentenceOf } from '../calls/outcome.ts'
import { checkRange } from '../calls/text.ts'

export const MIN_CAP = 1_000
/**
 * The highest cap on stored idempotency keys of ended claims that an operator can set. The memory for more keys was not measured
 * (docs/performance.md).
 */
export const MAX_CAP = 100_000_000
export const MIN_AFTERLIFE_MS = 60_000
export const MAX_AFTERLIFE_MS = 24 * 3_600_000

/** The limits for ended idempotency keys, and how many such keys exist. */
export interface KeyLimitsView extends Limits {
  /** How many keys have only ended claims. The cap applies to these keys. */
  readonly ended: number
  /** How many keys are stored, including keys with live claims. */
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

/** The limits for idempotency keys. They are stored in the log. Therefore every replica applies the same values. */
export interface KeyLimits {
  view(): KeyLimitsView
  /** Sets the limits if `ifVersion` is the present version. A dry run returns the limits that would result. */
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
    message: `${sentenceOf('claim.key_limits')} Read the present ones and set them again.`,
    path: ['ifVersion'],
    current: view(),
  })
  return {
    view,
    async update(ifVersion, { cap, afterlifeMs }, dryRun) {
      const issues = [
        ...checkRange(['cap'], cap, MIN_CAP, MAX_CAP, ' keys'),
        ...checkRange(['afterlife'], afterlifeMs, MIN_AFTERLIFE_MS, MAX_AFTERLIFE_MS, ' ms'),
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
