/** The size of a measurement. */
export interface BenchOptions {
  /** How many hosts the fleet has; undefined: the default sizes of the measurement. */
  readonly hosts: number | undefined
  /** How many times each compared operation is repeated. The operations take turns. */
  readonly rounds: number
}

/** One line of a result. */
export interface Figure {
  readonly what: string
  readonly unit: 'ms' | 'bytes' | 'steps'
  readonly median: number
  /** The 99th percentile. Null if the operation was measured too rarely, or if the value does not vary. */
  readonly p99: number | null
  /**
   * The median divided by the median of the measurement's reference operation (floor) in the same run. Null if this is the reference
   * operation, or if there is none.
   */
  readonly ratio: number | null
  readonly target?: Target
}

/** The largest value that a line of a result may have. */
export interface Target {
  readonly of: 'ratio' | 'median' | 'p99'
  readonly most: number
}

/**
 * A measurement; each has its own file. Times are CPU times, so that other load on the machine has little effect. Ratios can be compared
 * between machines, times cannot.
 */
export interface Question {
  readonly name: string
  readonly asks: string
  /** A description of the reference operation to which ratios refer. It is measured in the same run. */
  readonly floor: string
  /** How many rounds are measured by default. */
  readonly rounds: number
  run(options: BenchOptions): readonly Figure[] | Promise<readonly Figure[]>
}

/** True if a line meets its target; undefined if it has no target, or no value that the target is about. */
export function isMet({ target, ...figure }: Figure): boolean | undefined {
  const value = target === undefined ? null : figure[target.of]
  return target === undefined || value === null ? undefined : value <= target.most
}
