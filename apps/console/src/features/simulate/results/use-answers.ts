import { useMemo } from 'react'
import { useRun } from '../../../lib/service/use-run.ts'
import { CAPACITY, SIMULATE } from '../documents.ts'
import { EMPTY, type Scenario } from '../scenario.ts'
import { isOtherwise, toCapacity, toSimulate } from './variables.ts'

/** The results of a scenario: each part is requested, and fails, independently. */
export interface Answer {
  readonly scenario: Scenario
  readonly simulation: ReturnType<typeof useRun<typeof SIMULATE>>
  readonly capacity: ReturnType<typeof useRun<typeof CAPACITY>>
  /** The capacity of the present fleet; not requested if the scenario uses that fleet, or is not selected. */
  readonly baseline: ReturnType<typeof useRun<typeof CAPACITY>>
}

/** Simulates all scenarios in their order; `on` is the index of the selected one. Equal requests of scenarios are sent once. */
export function useAnswers(scenarios: readonly Scenario[], on: number): readonly Answer[] {
  // the maximum number of scenarios, because hooks must be called in the same way at each rendering
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
