import { checkPlan, type Outcome } from './check-plan.ts'
import { type Core, PlanError, trueCore } from './core.ts'
import { drawPlan } from './draw-plan.ts'
import type { Plan } from './plan.ts'
import { shrink } from './shrink.ts'
import { count, createTally, type Tally } from './tally.ts'

export interface TruthOptions {
  readonly seed: number
  /** The index of the first case. */
  readonly from: number
  readonly cases: number
  /** The run ends after this many failures. */
  readonly maxFailures: number
  readonly core?: Core
  /** Whether a failing case is reduced to a smaller one that fails too. */
  readonly isShrinking?: boolean
  readonly onCase?: (number: number) => void
}

export interface Failure {
  readonly number: number
  readonly difference: string
  readonly smallest: Plan
}

/** Decides random cases with the core and with the model, and compares the results. The same seed and index give the same case. */
export function checkCases(options: TruthOptions): { readonly tally: Tally; readonly failures: readonly Failure[] } {
  const { seed, from, cases, maxFailures, core = trueCore, isShrinking = true, onCase } = options
  const tally = createTally()
  const failures: Failure[] = []
  for (let number = from; number < from + cases && failures.length < maxFailures; number++) {
    const plan = drawPlan(`${seed}/${number}`)
    const outcome = check(plan, core)
    if (outcome.decision !== undefined) count(tally, outcome)
    const { difference } = outcome
    if (difference !== undefined)
      failures.push({ number, difference, smallest: isShrinking ? shrink(plan, (less) => failsAsPlan(less, core)) : plan })
    onCase?.(number)
  }
  return { tally, failures }
}

/** Checks a plan. An unexpected error counts as a difference too. */
function check(plan: Plan, core: Core): Outcome | { readonly difference: string; readonly decision: undefined } {
  try {
    return checkPlan(plan, core)
  } catch (error) {
    if (error instanceof PlanError) throw error
    return { difference: `thrown: ${error instanceof Error ? error.message : String(error)}`, decision: undefined }
  }
}

/** Whether the plan is valid, and core and model give different results for it. */
function failsAsPlan(plan: Plan, core: Core): boolean {
  try {
    return check(plan, core).difference !== undefined
  } catch (error) {
    if (error instanceof PlanError) return false
    throw error
  }
}
