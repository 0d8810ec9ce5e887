import { sortInSteps } from '@gantt/scheduler-core'
import { realTimers, type Timers } from '../timers.ts'
import { TURN_MS } from './pauses.ts'
import { answerYielding, pauseOfQuery } from './query.ts'

/** The items for which `isKept` returns true, in order. Yields between items. Throws CallerGoneError if the caller has disconnected. */
export async function filterYielding<Item>(items: ArrayLike<Item>, isKept: (item: Item) => boolean): Promise<Item[]> {
  const kept: Item[] = []
  // an index makes less garbage than the iterator of eachYielding
  for (let position = 0; position < items.length; position++) {
    const pause = position === 0 ? undefined : pauseOfQuery()
    if (pause !== undefined) await pause
    const item = items[position] as Item
    if (isKept(item)) kept.push(item)
  }
  return kept
}

/**
 * Calls a function for each item, and yields between calls. A single call should take no longer than a turn of the event loop. Throws
 * CallerGoneError if the caller has disconnected.
 */
export async function eachYielding<Item>(items: Iterable<Item>, use: (item: Item, position: number) => void): Promise<void> {
  let position = 0
  for (const item of items) {
    const pause = position === 0 ? undefined : pauseOfQuery()
    if (pause !== undefined) await pause
    use(item, position++)
  }
}

/** The result of `make` for each item, in order. Yields between items. Throws CallerGoneError if the caller has disconnected. */
export async function mapYielding<Item, Made>(items: readonly Item[], make: (item: Item, position: number) => Made): Promise<Made[]> {
  const made: Made[] = []
  await eachYielding(items, (item, position) => void made.push(make(item, position)))
  return made
}

/** A sorted copy. Yields while sorting. Equal items keep their order. Throws CallerGoneError if the caller has disconnected. */
export const sortYielding = <Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Promise<Item[]> =>
  answerYielding(sortInSteps(items, compare))

/**
 * The result of `make` for each item, in order, for work of the service that must not wait behind long queries, such as filling the tables.
 * Yields once to the event loop whenever it has worked for as long as long work may in one turn.
 */
export async function mapAheadOfQueries<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Made,
  timers: Timers = realTimers,
): Promise<Made[]> {
  const made: Made[] = []
  let begunAt = timers.now()
  for (const item of items) {
    if (timers.now() - begunAt >= TURN_MS) {
      await new Promise<void>((resolve) => void timers.after(0, resolve))
      begunAt = timers.now()
    }
    made.push(make(item))
  }
  return made
}
