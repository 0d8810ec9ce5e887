import { useMemo } from 'react'
import type { Scenario } from '../scenario.ts'
import { namesOf } from '../scenarios.ts'
import { CapacityPanel } from './capacity-panel.tsx'
import { ComparePanel } from './compare-panel.tsx'
import { CurvePanel } from './curve-panel.tsx'
import { Outcome } from './outcome.tsx'
import { useAnswers } from './use-answers.ts'

interface ResultsProps {
  /** The scenarios, at least one. */
  readonly scenarios: readonly Scenario[]
  /** The index of the scenario whose results are shown in full. */
  readonly on: number
  readonly resourceClass: string | undefined
  onResourceClass(resourceClass: string): void
}

/** The results of the scenarios: a comparison of all scenarios, and the full results of one of them. */
export function Results({ scenarios, on, resourceClass, onResourceClass }: ResultsProps) {
  const answers = useAnswers(scenarios, on)
  const names = useMemo(() => namesOf(scenarios), [scenarios])
  const curves = answers.flatMap(({ simulation: { data, isRunning } }, index) =>
    data === undefined || isRunning ? [] : [{ name: names[index] ?? '', index, curve: data.simulate.curve }],
  )
  const curve = <CurvePanel curves={curves} resourceClass={resourceClass} onResourceClass={onResourceClass} />
  const chosen = answers[on]
  const isOne = scenarios.length === 1
  return (
    <>
      {isOne ? null : <ComparePanel answers={answers} names={names} on={on} />}
      {isOne ? null : curve}
      {chosen === undefined ? null : (
        <>
          <Outcome simulation={chosen.simulation} {...(isOne ? {} : { name: names[on] })} />
          <CapacityPanel capacity={chosen.capacity} baseline={chosen.baseline} />
        </>
      )}
      {isOne ? curve : null}
    </>
  )
}
