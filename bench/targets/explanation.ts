import { examineAgain, verdictMatrix } from '@gantt/scheduler-core'
import { createColumnarScan } from './columnar-scan.ts'
import { goals } from './goals.ts'
import { LivingFleet, type Scenario } from './living-fleet.ts'
import { measureRounds, timed } from './processor-time.ts'
import type { Measured, TargetQuestion } from './target.ts'

/** P10: the full explanation of a stored decision, with every filter on every host, all reasons and all scores, over the scan of P1. */
export const explanationTarget: TargetQuestion = {
  name: 'p10',
  goals: [goals.explanationMixed, goals.explanationOpen],
  rounds: 12,
  run({ hosts = 100_000, rounds }) {
    const living = new LivingFleet(hosts)
    const { fleet } = living
    const scan = createColumnarScan(fleet)
    const explain = (scenario: Scenario): Measured => {
      const { ratio, explained, scanned } = measureRounds(rounds, (round) => {
        const request = living.request(scenario, round % 8)
        const { record } = living.decide(request)
        const scanned = timed(() => scan(request)).us
        const explained = timed(() => examineAgain(fleet, [], record, 0, (found) => verdictMatrix(found, found))).us
        return { ratio: explained / scanned, explained, scanned }
      })
      return {
        goal: scenario === 'mixed' ? goals.explanationMixed : goals.explanationOpen,
        size: `${hosts} hosts`,
        values: ratio,
        baseline: { what: 'a columnar scan that makes the record of the decision', unit: 'us', values: scanned },
        parts: [{ what: 'an explanation', unit: 'us', values: explained }],
      }
    }
    return [explain('mixed'), explain('open')]
  },
}
