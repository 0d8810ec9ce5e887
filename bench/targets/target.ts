import type { BenchOptions } from '../question.ts'
import type { Goal, Limit, Unit } from './goals.ts'

/** Values of one operation, one for each round. */
export interface Series {
  readonly what: string
  readonly unit: Unit
  readonly values: readonly number[]
}

/** A value for a goal, with the baseline of the same run. */
export interface Measured {
  readonly goal: Goal
  /** The size of the measurement, such as `100000 hosts`. */
  readonly size: string
  /** One value for each round. */
  readonly values: readonly number[]
  /** The operation that was measured alternately in the same rounds. */
  readonly baseline: Series
  /** Other values of the same run, for example the steps of which the value consists. */
  readonly parts: readonly Series[]
}

/** A goal that was not measured. */
export interface NotRun {
  readonly goal: Goal
  readonly reason: string
  /** What to do to measure it. */
  readonly command: string
}

export type Outcome = Measured | NotRun

export interface TargetOptions extends BenchOptions {
  /** How long a service is under load in each round, in seconds; undefined: the default of the measurement. */
  readonly seconds: number | undefined
}

/** Measures one or several goals. Each measurement has its own file. Its name is a name for the command line, such as p1. */
export interface TargetQuestion {
  readonly name: string
  readonly goals: readonly Goal[]
  /** How many rounds are measured by default. */
  readonly rounds: number
  run(options: TargetOptions): readonly Outcome[] | Promise<readonly Outcome[]>
}

export const isMeasured = (outcome: Outcome): outcome is Measured => 'values' in outcome

export interface Spread {
  readonly min: number
  readonly median: number
  readonly max: number
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (position: number): number => {
    const value = sorted[position]
    if (value === undefined) throw new RangeError('expected at least one value, found none; a measurement needs one round or more')
    return value
  }
  const last = sorted.length - 1
  return { min: at(0), median: (at(Math.floor(last / 2)) + at(Math.ceil(last / 2))) / 2, max: at(last) }
}

/** True if a value is within a limit. */
export const isReached = (value: number, limit: Limit): boolean => ('most' in limit ? value <= limit.most : value >= limit.least)

/** The form in which `--json` prints an outcome. docs/performance.md describes it. */
export function outcomeToJson(outcome: Outcome) {
  const { id, what, unit, target, stretch } = outcome.goal
  const head = { id, what, unit, target, stretch }
  if (!isMeasured(outcome)) return { ...head, notRun: { reason: outcome.reason, command: outcome.command } }
  const spread = spreadOf(outcome.values)
  return {
    ...head,
    notRun: null,
    size: outcome.size,
    rounds: outcome.values.length,
    value: spread,
    met: isReached(spread.median, target),
    stretchMet: stretch === null ? null : isReached(spread.median, stretch),
    baseline: seriesToJson(outcome.baseline),
    parts: outcome.parts.map(seriesToJson),
  }
}

const seriesToJson = ({ what, unit, values }: Series) => ({ what, unit, ...spreadOf(values) })
