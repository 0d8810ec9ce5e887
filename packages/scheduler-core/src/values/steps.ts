/**
 * A generator yields after this many hosts, claims or changes. The number is small because work on hosts with NUMA cells and GPUs takes
 * long.
 */
export const SLICE = 32

/**
 * Long work as a generator that does not block the event loop. The generator yields after a fixed amount of work, and its runner decides by
 * the elapsed time when to continue. The data that the generator reads must not change before it ends. Therefore, it usually reads a copy
 * of the fleet. If the generator is ended early, it releases its resources.
 */
export type Steps<Result> = Generator<undefined, Result>

/** As a slice size, this value means that a generator never yields. Calls are decided without yields, because each yield costs time. */
export const WHOLE = Number.POSITIVE_INFINITY

/** Runs a generator to its end, and returns its result. */
export function atOnce<Result>(steps: Generator<unknown, Result, undefined>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Yields the items, and undefined after each `slice` items. When the caller gets undefined, it should yield. */
export function* inSlices<Item>(items: Iterable<Item>, slice: number): Generator<Item | undefined> {
  let count = 0
  for (const item of items) {
    yield item
    count++
    if (count % slice === 0) yield undefined
  }
}

/** Sorting yields after it has merged this many numbers. A single merge of a longer run is not interrupted: 100,000 take about 1 ms. */
const MERGED = 1_024

/** Returns true if `a` must come before `b`. */
type IsBefore = (a: number, b: number) => boolean

/**
 * The numbers from 0 to `count` - 1, sorted by `isBefore`. Equal numbers keep their order. The memory does not grow with the number of
 * comparisons, so that sorting the hosts of a large fleet leaves little garbage.
 */
export function* sortIndexesInSteps(count: number, isBefore: IsBefore): Steps<Int32Array> {
  let from = new Int32Array(count)
  for (let i = 0; i < count; i++) from[i] = i
  let to = new Int32Array(count)
  let merged = 0
  for (let width = 1; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      const end = Math.min(start + 2 * width, count)
      mergeRuns(from, to, start, Math.min(start + width, count), end, isBefore)
      merged += end - start
      if (merged < MERGED) continue
      merged = 0
      yield
    }
    const sorted = to
    to = from
    from = sorted
  }
  return from
}

/** Merges the sorted runs from `start` to `middle` and from `middle` to `end` of `from` into `to`. */
function mergeRuns(from: Int32Array, to: Int32Array, start: number, middle: number, end: number, isBefore: IsBefore): void {
  let i = start
  let j = middle
  for (let next = start; next < end; next++) {
    const isSecond = j < end && (i === middle || isBefore(from[j] as number, from[i] as number))
    to[next] = from[isSecond ? j++ : i++] as number
  }
}

/** Sorts a copy of the items in a generator that yields regularly. Equal items keep their order. */
export function* sortInSteps<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Steps<Item[]> {
  const order = yield* sortIndexesInSteps(items.length, (a, b) => compare(items[a] as Item, items[b] as Item) < 0)
  const sorted: Item[] = []
  for (let i = 0; i < order.length; i++) sorted.push(items[order[i] as number] as Item)
  return sorted
}

/** A generator yields after it called filters or weighers for this many hosts. */
export const HOSTS_AT_ONCE = 256
