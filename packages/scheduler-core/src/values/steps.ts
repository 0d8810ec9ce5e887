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

/** `sortInSteps` yields after sorting or merging this many items. */
const SORTED = 512

/** Sorts a copy of the items in a generator that yields after every `SORTED` items. Equal items keep their order. */
export function* sortInSteps<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Steps<Item[]> {
  let runs: Item[][] = []
  for (let from = 0; from < items.length; from += SORTED) {
    runs.push(items.slice(from, from + SORTED).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const longer: Item[][] = []
    for (let i = 0; i < runs.length; i += 2) longer.push(yield* merge(runs[i] ?? [], runs[i + 1] ?? [], compare))
    runs = longer
  }
  return runs[0] ?? []
}

function* merge<Item>(a: readonly Item[], b: readonly Item[], compare: (a: Item, b: Item) => number): Steps<Item[]> {
  const merged: Item[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (merged.length % SORTED === SORTED - 1) yield
    const isFirst = j >= b.length || (i < a.length && compare(a[i] as Item, b[j] as Item) <= 0)
    merged.push((isFirst ? a[i++] : b[j++]) as Item)
  }
  return merged
}

/** A generator yields after it called filters or weighers for this many hosts. */
export const HOSTS_AT_ONCE = 256
