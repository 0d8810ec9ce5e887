import { useEffect, useRef, useState } from 'react'
import { searchOf } from './address.ts'
import { EMPTY, type Scenario } from './scenario.ts'

/**
 * The scenarios as they are being edited. A run writes them to the address. If the address changes in another way (Back, a link, a loaded
 * decision), the drafts are replaced by its scenarios. `epoch` counts these replacements, after which fields that keep their own text are
 * reset.
 */
export function useDrafts(scenarios: readonly Scenario[], at: string | undefined) {
  const [drafts, setDrafts] = useState<readonly Scenario[]>(() => (scenarios.length > 0 ? scenarios : [{ ...EMPTY, at }]))
  const [epoch, setEpoch] = useState(0)
  /** Addresses that were written from drafts and are not the present address yet. */
  const written = useRef<string[]>([])
  const read = useRef(scenarios)
  const text = textOf(scenarios)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs only if the address has changed
  useEffect(() => {
    const mine = written.current.indexOf(text)
    written.current.splice(0, mine < 0 ? written.current.length : mine + 1)
    // the address has no scenario, so the drafts stay, at the shown moment
    if (scenarios.length === 0) setDrafts((before) => before.map((draft) => ({ ...draft, at })))
    // a change of the moment alone keeps the drafts
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
    /** Called before the drafts are written to the address. `isAnew`: some drafts were replaced, so that fields must be reset. */
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
