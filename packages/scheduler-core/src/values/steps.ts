/** Hosts, claims or changes that are processed between two pauses: a host of two NUMA cells and eight GPUs takes long. */
export const SLICE = 32

/**
 * Long work as a generator: it yields after a counted amount of work, and the code that runs it decides by time whether to continue at
 * once. What it reads must not change meanwhile, so it works on a private fleet; what it holds is released when it is ended early.
 */
export type Steps<Result> = Generator<undefined, Result>

/** A number of elements between two pauses that is never reached: used to decide a call, where each pause would cost time. */
export const WHOLE = Number.POSITIVE_INFINITY

/** Runs work that has pauses without any pause. */
export function atOnce<Result>(steps: Generator<unknown, Result, undefined>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** The items, with undefined wherever a pause is due. */
export function* inSlices<Item>(items: Iterable<Item>, slice: number): Generator<Item | undefined> {
  let count = 0
  for (const item of items) {
    yield item
    count++
    if (count % slice === 0) yield undefined
  }
}

/** Items that are sorted, or merged, between two pauses. */
const SORTED = 512

/** A sorted copy, with pauses; equal items keep their order. */
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

/** The number of calls of filters or weighers (one call for each host) between two pauses. */
export const HOSTS_AT_ONCE = 256
