import { useMemo } from 'react'
import { useRun } from '../../lib/use-run.ts'
import { CAPACITY, SIMULATE } from './documents.ts'
import { EMPTY, type Scenario } from './scenario.ts'
import { isOtherwise, toCapacity, toSimulate } from './variables.ts'

/** What came of a scenario: each part is asked for, and fails, by itself. */
export interface Answer {
  readonly scenario: Scenario
  readonly simulation: ReturnType<typeof useRun<typeof SIMULATE>>
  readonly capacity: ReturnType<typeof useRun<typeof CAPACITY>>
  /** Remaining capacity on the fleet as it is; nobody asks it where the scenario is of that fleet, or is not the chosen one. */
  readonly baseline: ReturnType<typeof useRun<typeof CAPACITY>>
}

/** Asks all scenarios, in their order; `on` is the place of the chosen one. What two of them ask alike is asked once. */
export function useAnswers(scenarios: readonly Scenario[], on: number): readonly Answer[] {
  // as many as there may be: hooks are called alike at each render
  const answers = [useAnswer(scenarios[0], on === 0), useAnswer(scenarios[1], on === 1), useAnswer(scenarios[2], on === 2)]
  return answers.slice(0, scenarios.length)
}

function useAnswer(scenario: Scenario | undefined, isChosen: boolean): Answer {
  const asked = scenario ?? EMPTY
  const isWanted = scenario !== undefined
  const simulate = useMemo(() => toSimulate(asked), [asked])
  const capacity = useMemo(() => toCapacity(asked, false), [asked])
  const asItIs = useMemo(() => toCapacity(asked, true), [asked])
  return {
    scenario: asked,
    simulation: useRun(SIMULATE, simulate, isWanted),
    capacity: useRun(CAPACITY, capacity, isWanted),
    baseline: useRun(CAPACITY, asItIs, isWanted && isChosen && isOtherwise(asked)),
  }
}
