import { useEffect, useRef, useState } from 'react'
import { searchOf } from './address.ts'
import { EMPTY, type Scenario } from './scenario.ts'

/**
 * The drafts: the scenarios as they are being edited. A run writes them to the URL. If the URL changes for another reason (Back, a link, a
 * loaded decision), the scenarios in the URL replace the drafts. `epoch` counts these replacements, because fields that hold their own text
 * must then be reset.
 */
export function useDrafts(scenarios: readonly Scenario[], at: string | undefined) {
  const [drafts, setDrafts] = useState<readonly Scenario[]>(() => (scenarios.length > 0 ? scenarios : [{ ...EMPTY, at }]))
  const [epoch, setEpoch] = useState(0)
  /** Scenarios that were written to the URL, but that the page has not read from the URL yet. */
  const written = useRef<string[]>([])
  const read = useRef(scenarios)
  const text = textOf(scenarios)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs only if the address has changed
  useEffect(() => {
    const mine = written.current.indexOf(text)
    written.current.splice(0, mine < 0 ? written.current.length : mine + 1)
    // if the URL has no scenario, the drafts stay, but with the moment that the page shows
    if (scenarios.length === 0) setDrafts((before) => before.map((draft) => ({ ...draft, at })))
    // if only moments have changed, the drafts stay, but with the new moments
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
    /**
     * Must be called before drafts are written to the URL. `isAnew` is true if other drafts replaced the drafts. Fields that hold their own
     * text are then reset.
     */
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
