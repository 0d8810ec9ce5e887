import { type RefObject, useLayoutEffect, useRef } from 'react'
import { indexOf } from './use-choice.ts'

interface Anchored {
  readonly count: number
  /** Pixels of a row. */
  readonly rowHeight: number
  /** Pixels that are scrolled by. */
  readonly offset: number
  rowKey(index: number): string
  /** What is listed: another list has another first row. */
  readonly listKey: string | undefined
}

/**
 * Rows that come in or go above those in sight move none of them; at its very top a list shows what comes in there. Undefined: they
 * move, as where it is their order that changes.
 */
export function useAnchor(scroller: RefObject<HTMLElement | null>, anchored: Anchored | undefined): void {
  const top = useRef<{ readonly index: number; readonly key: string; readonly listKey: string | undefined } | undefined>(undefined)
  useLayoutEffect(() => {
    if (anchored === undefined || anchored.count === 0) return
    const { count, rowHeight, offset, rowKey, listKey } = anchored
    const { current: before } = top
    let first = Math.min(count - 1, Math.floor(offset / rowHeight))
    if (before !== undefined && first > 0 && before.listKey === listKey && (before.index >= count || rowKey(before.index) !== before.key)) {
      const moved = indexOf(before.key, count, rowKey) - before.index
      if (scroller.current !== null && before.index + moved >= 0) {
        scroller.current.scrollTop += moved * rowHeight
        first += moved
      }
    }
    first = Math.max(0, Math.min(count - 1, first))
    top.current = { index: first, key: rowKey(first), listKey }
  })
}
