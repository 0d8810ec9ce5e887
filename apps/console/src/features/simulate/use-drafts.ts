import { useEffect, useRef, useState } from 'react'
import { searchOf } from './address.ts'
import { EMPTY, type Scenario } from './scenario.ts'

/**
 * The scenarios as they are being written. They become the address when they are asked, and follow it when it comes from elsewhere: by
 * Back, a link, a decision that was loaded. `epoch` counts how often that was: fields that keep their own text begin anew then.
 */
export function useDrafts(scenarios: readonly Scenario[], at: string | undefined) {
  const [drafts, setDrafts] = useState<readonly Scenario[]>(() => (scenarios.length > 0 ? scenarios : [{ ...EMPTY, at }]))
  const [epoch, setEpoch] = useState(0)
  /** Addresses that were made of drafts and have not come back yet. */
  const written = useRef<string[]>([])
  const read = useRef(scenarios)
  const text = textOf(scenarios)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another address counts
  useEffect(() => {
    const mine = written.current.indexOf(text)
    written.current.splice(0, mine < 0 ? written.current.length : mine + 1)
    // nothing is asked: what is being written stays, of the moment that is shown
    if (scenarios.length === 0) setDrafts((before) => before.map((draft) => ({ ...draft, at })))
    // another moment alone leaves what is being written
    else if (textOf(read.current.map(withoutMoment)) === textOf(scenarios.map(withoutMoment)))
      setDrafts((before) => before.map((draft, i) => ({ ...draft, at: scenarios[i] === undefined ? at : scenarios[i].at })))
    else if (mine < 0) {
      setDrafts(scenarios)
      setEpoch((before) => before + 1)
    }
    read.current = scenarios
  }, [text, at])
  return {
    drafts,
    epoch,
    change: setDrafts,
    /** They are about to be the address. `isAnew`: others stand in the places of some, so that fields begin anew. */
    take(next: readonly Scenario[], isAnew: boolean): void {
      const taken = textOf(next)
      if (taken !== text) written.current.push(taken)
      setDrafts(next)
      if (isAnew) setEpoch((before) => before + 1)
    },
  }
}

const textOf = (scenarios: readonly Scenario[]): string => JSON.stringify(searchOf(scenarios))

const withoutMoment = (scenario: Scenario): Scenario => ({ ...scenario, at: undefined })
