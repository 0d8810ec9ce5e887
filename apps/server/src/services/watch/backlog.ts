import { createPause } from '../../event-loop/pauses.ts'

/** The items that still have to be processed for a subscriber. */
export interface Backlog<Item, Detail> {
  /**
   * Processes an item at once if this turn of the event loop has time left, otherwise in a later turn. If an item is added again while it
   * waits, it moves to the end of the queue.
   */
  put(item: Item, detail: Detail): void
  end(): void
}

export interface BacklogOptions<Item, Detail> {
  look(item: Item, detail: Detail): void
  /** Combines the details of an item that is added again while it waits. */
  merge(earlier: Detail, later: Detail): Detail
  /** At most this many items wait. If there are more, all waiting items are dropped and `onFull` is called. */
  readonly most: number
  onFull(): void
  /** Called if processing throws an error. The backlog has then ended. */
  onFailed(error: unknown): void
  pause?(): Promise<void> | undefined
}

/**
 * Processes items one after the other in the order of arrival, and yields between them. Subscribers check every change against their
 * filters, and many long filters must not delay the writers.
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
  const processAll = async (): Promise<void> => {
    isLooking = true
    while (waiting.size > 0) {
      // yields before the first item too, because other work can have used all the time of this turn
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
      processAll().catch((error: unknown) => {
        end()
        onFailed(error)
      })
    },
    end,
  }
}
