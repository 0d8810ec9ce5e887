import { useMemo } from 'react'
import { useRun } from '../../../lib/service/use-run.ts'
import { CAPACITY, SIMULATE } from '../documents.ts'
import { EMPTY, type Scenario } from '../scenario.ts'
import { isOtherwise, toCapacity, toSimulate } from './variables.ts'

/** The results of a scenario. Each result is requested by a query of its own, so that one query can fail without the others. */
export interface Answer {
  readonly scenario: Scenario
  readonly simulation: ReturnType<typeof useRun<typeof SIMULATE>>
  readonly capacity: ReturnType<typeof useRun<typeof CAPACITY>>
  /** The capacity without the hypothetical edits. It is only requested for the selected scenario, and only if it has such edits. */
  readonly baseline: ReturnType<typeof useRun<typeof CAPACITY>>
}

/** Simulates all scenarios. `on` is the index of the selected scenario. If scenarios have equal requests, the request is sent only once. */
export function useAnswers(scenarios: readonly Scenario[], on: number): readonly Answer[] {
  // there is one call for each possible scenario, because hooks must be called in the same way at each rendering
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
