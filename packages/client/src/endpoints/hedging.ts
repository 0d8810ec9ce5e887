/** How many of the latest durations of each operation are stored. */
const MAX_DURATIONS = 100
/** With fewer durations of an operation, none of its calls is sent twice. */
const MIN_DURATIONS = 20
/** An attempt that takes longer than this share of the recent ones is slow. */
const SHARE = 0.95
/** One call in this many may be sent twice. */
const CALLS_FOR_A_COPY = 20

/**
 * Decides which calls with an idempotency key are sent once more because they are slow. It knows how long recent attempts took, and limits
 * the second copies to one call in twenty.
 */
export interface Hedging {
  /** Counts a call with a key. Of any twenty calls that were counted one after the other, at most one is sent twice. */
  countCall(): void
  /** Stores how many milliseconds an attempt of this operation took until its answer. */
  took(operation: string, ms: number): void
  /** The milliseconds after which an attempt of this operation is slow. Undefined if too few durations are known. */
  slowAfterMs(operation: string): number | undefined
  /** Returns true if a second copy may be sent now, and counts it. */
  takeCopy(): boolean
}

export function createHedging(): Hedging {
  const durations = new Map<string, number[]>()
  /** How many calls were counted since the last second copy, or since the start. */
  let calls = 0
  return {
    countCall() {
      calls += 1
    },
    took(operation, ms) {
      const known = durations.get(operation) ?? []
      durations.set(operation, [...known, ms].slice(-MAX_DURATIONS))
    },
    slowAfterMs(operation) {
      const known = durations.get(operation) ?? []
      return known.length < MIN_DURATIONS ? undefined : percentile(known, SHARE)
    },
    takeCopy() {
      if (calls < CALLS_FOR_A_COPY) return false
      calls = 0
      return true
    },
  }
}

/** Returns the smallest of the values that is at least as large as this share of them. Throws RangeError if there is no value. */
export function percentile(values: readonly number[], share: number): number {
  const found = values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)]
  if (found === undefined) throw new RangeError('expected at least one value, found none')
  return found
}
