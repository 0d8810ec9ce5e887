/** The size of a measured question. */
export interface BenchOptions {
  /** The number of hosts in the fleet; undefined: the default sizes of the question. */
  readonly hosts: number | undefined
  /** The number of repetitions of each compared operation, in turns. */
  readonly rounds: number
}

/** One line of an answer. */
export interface Figure {
  readonly what: string
  readonly unit: 'ms' | 'bytes' | 'steps'
  readonly median: number
  /** Null if the operation was measured too rarely, or if the figure does not vary. */
  readonly p99: number | null
  /** The median divided by the median of the question's floor in the same run. Null if this is the floor, or if the question has none. */
  readonly ratio: number | null
  readonly target?: Target
}

/** The largest value that a figure may have. */
export interface Target {
  readonly of: 'ratio' | 'median' | 'p99'
  readonly most: number
}

/**
 * A measurement, with one file for each. Times are processor times, so that other load on the machine has little effect. Ratios can be
 * compared between machines, times cannot.
 */
export interface Question {
  readonly name: string
  readonly asks: string
  /** A description of the operation to which ratios refer; it is measured in the same run. */
  readonly floor: string
  /** The default number of rounds. */
  readonly rounds: number
  run(options: BenchOptions): readonly Figure[] | Promise<readonly Figure[]>
}

/** Whether a figure is within its target; undefined if it has none. */
export function isMet({ target, ...figure }: Figure): boolean | undefined {
  const value = target === undefined ? null : figure[target.of]
  return target === undefined || value === null ? undefined : value <= target.most
}
