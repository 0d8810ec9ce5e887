import { createPause } from '../replica/pieces.ts'

/** What somebody who follows something has not looked at yet. */
export interface Backlog<Item, Detail> {
  /** Looks at it at once while this turn of the event loop has time left, else later. An item that is put in again goes to the end. */
  put(item: Item, detail: Detail): void
  end(): void
}

export interface BacklogOptions<Item, Detail> {
  look(item: Item, detail: Detail): void
  /** What is known of an item that is put in again before it was looked at. */
  merge(earlier: Detail, later: Detail): Detail
  /** Items that may wait; where there are more, all are dropped and `onFull` is told. */
  readonly most: number
  onFull(): void
  /** A look threw: the backlog has ended. */
  onFailed(error: unknown): void
  pause?(): Promise<void> | undefined
}

/**
 * Looks at items one after the other, in the order in which they came, with pauses between: who follows the log asks of each change whether
 * it is meant, and many who ask long questions must not hold up those who make the changes.
 */
export function createBacklog<Item, Detail>({
  look,
  merge,
  most,
  onFull,
  onFailed,
  pause = createPause(),
}: BacklogOptions<Item, Detail>): Backlog<Item, Detail> {
  const waiting = new Map<Item, { readonly detail: Detail }>()
  let isLooking = false
  let isOver = false
  const lookAtAll = async (): Promise<void> => {
    isLooking = true
    while (waiting.size > 0) {
      // before the first one as well: others may have used up this turn
      const due = pause()
      if (due !== undefined) await due
      const [next] = waiting
      if (next === undefined) break
      const [item, { detail }] = next
      waiting.delete(item)
      look(item, detail)
    }
    isLooking = false
  }
  const end = (): void => {
    isOver = true
    waiting.clear()
  }
  return {
    put(item, detail) {
      if (isOver) return
      const known = waiting.get(item)
      waiting.delete(item)
      waiting.set(item, { detail: known === undefined ? detail : merge(known.detail, detail) })
      if (waiting.size > most) {
        waiting.clear()
        onFull()
      }
      if (isLooking) return
      lookAtAll().catch((error: unknown) => {
        end()
        onFailed(error)
      })
    },
    end,
  }
}
