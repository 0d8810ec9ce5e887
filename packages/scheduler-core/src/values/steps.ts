/**
 * A generator yields after this many hosts, claims or changes. The number is small, because a host with two NUMA cells and eight GPUs takes
 * long.
 */
export const SLICE = 32

/**
 * Long work as a generator. It yields after a fixed amount of work, and its runner decides by the elapsed time whether to continue at once.
 * The data that it reads must not change before it ends, so it works on a private fleet. If the generator is ended early, it releases its
 * resources.
 */
export type Steps<Result> = Generator<undefined, Result>

/**
 * A slice size that is never reached, so that the generator does not yield. Calls are decided in this way, because each yield costs time.
 */
export const WHOLE = Number.POSITIVE_INFINITY

/** Runs a generator to its end without returning control in between. */
export function atOnce<Result>(steps: Generator<unknown, Result, undefined>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Yields the items, and `undefined` after every `slice` items: there the caller lets other work run. */
export function* inSlices<Item>(items: Iterable<Item>, slice: number): Generator<Item | undefined> {
  let count = 0
  for (const item of items) {
    yield item
    count++
    if (count % slice === 0) yield undefined
  }
}

/** The generator yields after sorting or merging this many items. */
const SORTED = 512

/** Sorts a copy, and yields in between. Equal items stay in order. */
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

/** A generator yields after this many calls of filters or weighers. Each call is for one host. */
export const HOSTS_AT_ONCE = 256
