/** Elements that are taken or put back between two pauses: a few milliseconds of work. */
export const SLICE = 500

/** Work with pauses, done without any; what it asks at them has no answer. */
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
