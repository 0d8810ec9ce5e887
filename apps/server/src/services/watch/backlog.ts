import { createPause } from '../../event-loop/pauses.ts'
import { KeyedQueue } from './keyed-queue.ts'

/** The items that still have to be processed for a subscriber. */
export interface Backlog<Item, Detail> {
  /**
   * Processes an item at once if this turn of the event loop has time left, otherwise in a later turn. If an item is added again while it
   * waits, it moves to the end of the queue.
   */
  put(item: Item, detail: Detail): void
  /** Adds many items like `put`, but a few at a time. An undefined in `items` means: other work may run before the next item is read. */
  putEach(items: Iterable<Item | undefined>, detail: Detail): void
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

/** At most this many items are added between two yields. */
const ADDED_AT_ONCE = 256

interface Arrived<Item, Detail> {
  readonly items: Iterator<Item | undefined>
  readonly detail: Detail
}

/** The items of a backlog in the order of their arrival, each once. */
function createWaiting<Item, Detail>({ merge, most, onFull }: Pick<BacklogOptions<Item, Detail>, 'merge' | 'most' | 'onFull'>) {
  /**
   * Items that are not among the waiting ones yet. If one entry touches every host, each stream would otherwise add all hosts in one step.
   */
  const arrived: Arrived<Item, Detail>[] = []
  const waiting = new KeyedQueue<Item, { readonly detail: Detail }>()
  const add = (item: Item, detail: Detail): void => {
    const known = waiting.get(item)
    waiting.put(item, { detail: known === undefined ? detail : merge(known.detail, detail) })
    if (waiting.size <= most) return
    waiting.clear()
    onFull()
  }
  /** Adds items that arrived, until so many are added or the work on them may be interrupted. */
  const addSome = (): void => {
    let added = 0
    for (let first = arrived[0]; first !== undefined && added < ADDED_AT_ONCE; first = arrived[0]) {
      const { done, value } = first.items.next()
      if (done === true) arrived.shift()
      else if (value === undefined) return
      else {
        add(value, first.detail)
        added++
      }
    }
  }
  const putEach = (items: Iterable<Item | undefined>, detail: Detail): void => {
    // most entries touch few hosts, which need not wait for a step of their own
    if (arrived.length > 0 || !Array.isArray(items) || items.length > ADDED_AT_ONCE)
      arrived.push({ items: items[Symbol.iterator](), detail })
    else for (const item of items) if (item !== undefined) add(item, detail)
  }
  return {
    putEach,
    /** Adds an item. It is processed after all items that arrived earlier. */
    put: (item: Item, detail: Detail): void => (arrived.length > 0 ? putEach([item], detail) : add(item, detail)),
    get isEmpty() {
      return arrived.length + waiting.size === 0
    },
    /** Takes the first item. Undefined if there is none, or if this call only added arrived items and must be repeated. */
    take(): { readonly item: Item; readonly detail: Detail } | undefined {
      if (arrived.length > 0) {
        addSome()
        return undefined
      }
      const next = waiting.take()
      if (next === undefined) return undefined
      const [item, { detail }] = next
      return { item, detail }
    },
    clear(): void {
      arrived.length = 0
      waiting.clear()
    },
  }
}

/**
 * Processes items one after the other in the order of arrival, and yields between them. Subscribers check every change against their
 * filters, and many long filters must not delay the writers.
 */
export function createBacklog<Item, Detail>({
  look,
  onFailed,
  pause = createPause(),
  ...options
}: BacklogOptions<Item, Detail>): Backlog<Item, Detail> {
  const waiting = createWaiting<Item, Detail>(options)
  let isLooking = false
  let isOver = false
  const processAll = async (): Promise<void> => {
    isLooking = true
    while (!waiting.isEmpty) {
      // yields before the first item too, because other work can have used all the time of this turn
      const due = pause()
      if (due !== undefined) await due
      const next = waiting.take()
      if (next !== undefined) look(next.item, next.detail)
    }
    isLooking = false
  }
  const end = (): void => {
    isOver = true
    waiting.clear()
  }
  const begin = (): void => {
    if (isLooking) return
    processAll().catch((error: unknown) => {
      end()
      onFailed(error)
    })
  }
  return {
    put(item, detail) {
      if (isOver) return
      waiting.put(item, detail)
      begin()
    },
    putEach(items, detail) {
      if (isOver) return
      waiting.putEach(items, detail)
      begin()
    },
    end,
  }
}
