import { useMemo, useRef, useState } from 'react'

/** Hosts that were chosen one by one, by their ordinals: they stay chosen whatever the filter shows later. */
export interface HostChoice {
  readonly ordinals: ReadonlySet<number>
  /** Chooses a row of the list, or not any more; `isRange`: all from the row chosen last to this one. */
  toggle(index: number, isRange: boolean): void
  /** Every row of the list, as it is now. */
  chooseAll(): void
  clear(): void
}

/** A choice among the rows of a list, which changes under it. */
export function useHostChoice(list: Uint32Array): HostChoice {
  const [ordinals, setOrdinals] = useState<ReadonlySet<number>>(new Set())
  const last = useRef<number | undefined>(undefined)
  return useMemo(
    () => ({
      ordinals,
      toggle(index, isRange) {
        const ordinal = list[index]
        if (ordinal === undefined) return
        const from = isRange && last.current !== undefined ? list.indexOf(last.current) : -1
        last.current = ordinal
        setOrdinals((before) => (from < 0 ? toggled(before, ordinal) : new Set([...before, ...between(list, from, index)])))
      },
      chooseAll: () => setOrdinals(new Set(list)),
      clear() {
        last.current = undefined
        setOrdinals(new Set())
      },
    }),
    [ordinals, list],
  )
}

function toggled(before: ReadonlySet<number>, ordinal: number): ReadonlySet<number> {
  const after = new Set(before)
  if (!after.delete(ordinal)) after.add(ordinal)
  return after
}

const between = (list: Uint32Array, one: number, other: number): Uint32Array => list.slice(Math.min(one, other), Math.max(one, other) + 1)
