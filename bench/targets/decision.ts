import { createColumnarScan } from './columnar-scan.ts'
import { type Goal, goals } from './goals.ts'
import { LivingFleet, REQUEST_CLASSES, type Scenario } from './living-fleet.ts'
import { createPlainPipeline } from './plain-pipeline.ts'
import { measureRounds, timed } from './processor-time.ts'
import { assertSame, type Placed } from './same.ts'
import type { Measured, TargetQuestion } from './target.ts'

const HOSTS = 100_000

interface Comparison {
  readonly hosts: number
  readonly rounds: number
  readonly goals: Readonly<Record<Scenario, Goal>>
  readonly baseline: string
  readonly createBaseline: (living: LivingFleet) => (request: Parameters<LivingFleet['decide']>[0], seed: string) => Placed
}

/**
 * Compares decisions with another way to make the same decision. In each round, both decide a request of each class in turns, on one fleet
 * that lives on. Each decision is followed by its claims and by the report of a host. Throws an error if an answer differs.
 */
function compare(living: LivingFleet, scenario: Scenario, { hosts, rounds, goals, baseline, createBaseline }: Comparison): Measured {
  const decideOtherwise = createBaseline(living)
  const { ratio, decided, other, applied } = measureRounds(rounds, (round) => {
    const sums = { decided: 0, other: 0, applied: 0 }
    for (let requestClass = 0; requestClass < REQUEST_CLASSES; requestClass++) {
      const request = living.request(scenario, requestClass)
      const seed = `seed of ${round}`
      // the two take turns in being first
      const early = round % 2 === 0 ? timed(() => decideOtherwise(request, seed)) : undefined
      const { result, us } = timed(() => living.decide(request))
      const { result: expected, us: otherUs } = early ?? timed(() => decideOtherwise(request, seed))
      assertSame(result, expected)
      sums.decided += us
      sums.other += otherUs
      sums.applied += timed(() => living.settle(request, result)).us
    }
    const each = (us: number): number => us / REQUEST_CLASSES
    return { ratio: sums.other / sums.decided, decided: each(sums.decided), other: each(sums.other), applied: each(sums.applied) }
  })
  return {
    goal: goals[scenario],
    size: `${hosts} hosts`,
    values: ratio,
    baseline: { what: baseline, unit: 'us', values: other },
    parts: [
      { what: 'a decision', unit: 'us', values: decided },
      { what: 'applying the entry with its claims and the report of a host', unit: 'us', values: applied },
    ],
  }
}

function compareBoth(comparison: Comparison): readonly Measured[] {
  const living = new LivingFleet(comparison.hosts)
  return (['mixed', 'open'] as const).map((scenario) => compare(living, scenario, comparison))
}

/** P1: exact decisions with their records and a report of a host after each, over a columnar scan that makes the same record. */
export const decisionTarget: TargetQuestion = {
  name: 'p1',
  goals: [goals.decisionMixed, goals.decisionOpen],
  rounds: 24,
  run: ({ hosts = HOSTS, rounds }) =>
    compareBoth({
      hosts,
      rounds,
      goals: { mixed: goals.decisionMixed, open: goals.decisionOpen },
      baseline: 'a columnar scan that makes the same record',
      createBaseline: ({ fleet }) => createColumnarScan(fleet),
    }),
}

/** P2: the same decisions over calling each filter and weigher for each host. */
export const closuresTarget: TargetQuestion = {
  name: 'p2',
  goals: [goals.closuresMixed, goals.closuresOpen],
  rounds: 8,
  run: ({ hosts = HOSTS, rounds }) =>
    compareBoth({
      hosts,
      rounds,
      goals: { mixed: goals.closuresMixed, open: goals.closuresOpen },
      baseline: 'each filter and weigher called for each host, without caches',
      createBaseline: ({ fleet, profile }) => createPlainPipeline(fleet, profile),
    }),
}
