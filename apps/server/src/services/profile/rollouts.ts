import type { KeptDisagreement, RolloutCounts, RolloutStore } from '../../db/tables/rollouts.ts'
import type { Replica } from '../../replica/replica.ts'
import { MINUTE_MS, ROLLOUT_KEPT_MS, type RolloutFindings, rolloutId } from '../../replica/rollout/rollout-findings.ts'
import { InputFault } from '../calls/outcome.ts'
import { firstOf, listOf } from '../calls/paging.ts'
import { checkRange } from '../calls/text.ts'
import { lengthOf, steps } from '../decision/decision-counts.ts'
import type { RolloutView } from './profiles.ts'

export type { KeptDisagreement, RankedChoice } from '../../db/tables/rollouts.ts'

/** The counts of a rollout in one step of time, from `at` (inclusive) to `until` (exclusive). */
export interface RolloutStep extends RolloutCounts {
  readonly at: number
  readonly until: number
}

/** The findings of a rollout on all replicas. Each replica compares the decisions that it makes. */
export interface Rollouts {
  /**
   * The stored findings since the start of the rollout, in at most `most` steps of equal length. Throws InputFault for a number out of
   * range.
   */
  overTime(rollout: RolloutView, most: number): Promise<RolloutStep[]>
  /** The disagreements, newest first. Throws InputFault for a number out of range. */
  disagreements(rollout: RolloutView, first: number | null | undefined): Promise<readonly KeptDisagreement[]>
}

const NOTHING: RolloutCounts = { agreed: 0, elsewhere: 0, newFailures: 0, newPlacements: 0, skipped: 0, notSolved: 0 }

export function createRollouts(replica: Replica, store: RolloutStore, findings: Pick<RolloutFindings, 'flush'>): Rollouts {
  const idOf = ({ candidate: { name }, ...rollout }: RolloutView): string => rolloutId(name, rollout)
  // For a past fleet, findings are read up to the time of the fleet. For the present fleet, they are read up to now, according to the later
  // of the two clocks. Otherwise new findings could be missed.
  const endOf = ({ candidate: { of } }: RolloutView): number => (of === undefined ? Math.max(replica.fleet.now, Date.now()) : of.now) + 1
  return {
    async overTime(rollout, most) {
      const issues = checkRange(['overTime', 'most'], most, steps.least, steps.most)
      if (issues.length > 0) throw new InputFault(issues)
      await findings.flush()
      const until = endOf(rollout)
      const since = Math.max(rollout.since, until - ROLLOUT_KEPT_MS)
      const stepMs = Math.max(MINUTE_MS, lengthOf(since, until, most))
      const base = Math.floor(since / stepMs) * stepMs
      const found = new Map((await store.steps({ rollout: idOf(rollout), since: base, until }, stepMs)).map((one) => [one.step, one]))
      return Array.from({ length: Math.ceil((until - base) / stepMs) }, (_, i) => {
        const { step: _step, ...counts } = found.get(i) ?? { step: i, ...NOTHING }
        const at = base + i * stepMs
        return { at: Math.max(since, at), until: Math.min(until, at + stepMs), ...counts }
      })
    },
    async disagreements(rollout, first) {
      const count = firstOf(listOf('disagreements'), { first })
      await findings.flush()
      return store.disagreements({ rollout: idOf(rollout), until: endOf(rollout) }, count)
    },
  }
}
