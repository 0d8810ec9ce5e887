import { useCallback, useRef } from 'react'
import { indexOf, type Key } from './filter/use-choice.ts'

interface Anchored {
  readonly count: number
  keyOf(index: number): Key
  /** The identity of the list. If it changes, the stored position is reset. */
  readonly listKey: string
}

/**
 * Keeps the visible rows at their position when rows above them are added or removed. If the list is scrolled to its top, it shows the
 * added rows. Returns the function that the table calls after each rendering.
 */
export function useAnchor({ count, keyOf, listKey }: Anchored): (scroller: HTMLElement, offset: number, rowHeight: number) => void {
  const top = useRef<{ readonly index: number; readonly key: Key; readonly listKey: string } | undefined>(undefined)
  return useCallback(
    (scroller, offset, rowHeight) => {
      if (count === 0) return
      const { current: before } = top
      let first = Math.min(count - 1, Math.floor(offset / rowHeight))
      if (
        before !== undefined &&
        first > 0 &&
        before.listKey === listKey &&
        (before.index >= count || keyOf(before.index) !== before.key)
      ) {
        const moved = indexOf(before.key, count, keyOf) - before.index
        if (before.index + moved >= 0) {
          scroller.scrollTop += moved * rowHeight
          first += moved
        }
      }
      first = Math.max(0, Math.min(count - 1, first))
      top.current = { index: first, key: keyOf(first), listKey }
    },
    [count, keyOf, listKey],
  )
}
