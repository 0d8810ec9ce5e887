import { type PointerEvent, type UIEvent, useMemo, useState } from 'react'
import type { Key } from '../../../ui/filter/use-choice.ts'
import type { DecisionRow } from './decision-columns.tsx'

/**
 * Detects whether the operator is reading the list: a row has the cursor, the list is scrolled, or the pointer is over the list. While the
 * operator is reading, the rows must not move.
 */
export function useReading(rows: readonly DecisionRow[]) {
  const [cursor, setCursor] = useState<Key | undefined>()
  const [isScrolled, setScrolled] = useState(false)
  const [isPointed, setPointed] = useState(false)
  // counts how many times the operator returned to the newest rows; the list scrolls to its first row whenever this count changes
  const [round, setRound] = useState(0)
  const isOnRow = cursor !== undefined && rows.some(({ id }) => id === cursor)
  const handlers = useMemo(
    () => ({
      onPointerEnter: ({ pointerType }: PointerEvent) => setPointed(pointerType !== 'touch'),
      onPointerLeave: () => setPointed(false),
      onScrollCapture: ({ target }: UIEvent) => setScrolled(target instanceof Element && target.scrollTop > 0),
    }),
    [],
  )
  return {
    isReading: isOnRow || isScrolled || isPointed,
    /** Removes the cursor, and scrolls to the first row. */
    stopReading(): void {
      setCursor(undefined)
      setRound((before) => before + 1)
    },
    cursor: [cursor, setCursor] as const,
    round,
    handlers,
  }
}
