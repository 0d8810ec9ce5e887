import { createRandom } from '@gantt/scheduler-core'
import { type Action, createPlan, type Plan } from './plan.ts'
import { runWorld } from './world.ts'
import type { Outcome, Planted } from './world-state.ts'

export interface SimulateOptions {
  /** How many simulations are run. */
  readonly seeds: number
  readonly from: number
  readonly replicas: number
  /** Called after each simulation. */
  onWorld?(seed: number, outcome: Outcome): void
}

export interface Failure {
  readonly seed: number
  readonly violations: readonly string[]
  /** The smallest list of actions found that still breaks a promise. */
  readonly actions: readonly Action[]
  readonly plan: Plan
}

export interface Simulated {
  readonly passed: number
  readonly failures: readonly Failure[]
  readonly entries: number
  readonly placed: number
  readonly refused: number
  readonly unknown: number
  readonly voids: number
  readonly seen: Readonly<Record<string, number>>
}

/** The plan of a seed. The same seed and number of replicas always give the same plan. */
export const planOf = (seed: number, replicas: number): Plan => createPlan(seed, replicas, createRandom(`plan ${seed}`))

/** Runs simulations one after the other. If one fails, its plan is reduced to as few actions as possible. Stops after the tenth failure. */
export async function simulate({ seeds, from, replicas, onWorld }: SimulateOptions, planted: Planted = {}): Promise<Simulated> {
  const sums = { passed: 0, entries: 0, placed: 0, refused: 0, unknown: 0, voids: 0 }
  const seen: Record<string, number> = {}
  const failures: Failure[] = []
  for (let seed = from; seed < from + seeds && failures.length < 10; seed++) {
    const plan = planOf(seed, replicas)
    const outcome = await runWorld(plan, planted)
    onWorld?.(seed, outcome)
    sums.entries += outcome.entries
    sums.placed += outcome.placed
    sums.refused += outcome.refused
    sums.unknown += outcome.unknown
    sums.voids += outcome.voids
    for (const [what, times] of Object.entries(outcome.seen)) seen[what] = (seen[what] ?? 0) + times
    if (outcome.violations.length === 0) sums.passed++
    else failures.push({ seed, plan, violations: outcome.violations, actions: (await shrink(plan, planted)).actions })
  }
  return { ...sums, seen, failures }
}

/** Shrinking runs at most this many simulations. That is enough to reach a short list of actions without taking minutes. */
const MAX_TRIES = 250

/** Tries to remove each half of the actions, then each quarter, and so on. Actions stay removed if a promise is broken without them too. */
export async function shrink(plan: Plan, planted: Planted = {}): Promise<Plan> {
  let { actions } = plan
  let tries = 0
  for (let size = Math.ceil(actions.length / 2); size >= 1 && tries < MAX_TRIES; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let first = 0; first < actions.length && tries < MAX_TRIES; ) {
      const fewer = [...actions.slice(0, first), ...actions.slice(first + size)]
      tries++
      const { violations } = await runWorld({ ...plan, actions: fewer }, planted)
      if (violations.length > 0) actions = fewer
      else first += size
    }
  }
  return { ...plan, actions }
}
