import { formatDuration, readDuration } from '../../lib/format.ts'
import type { Replica } from './compare.ts'

/** How far a replica was behind in the last ten minutes. */
export interface Lag {
  /** Milliseconds, step by step, the oldest first; undefined where it gave no sign. */
  readonly steps: readonly (number | undefined)[]
  readonly most: number
  /** Least, most, and at its last sign. */
  readonly text: string
}

/** Undefined where no sign of it was read in all that time. */
export function lagOf({ lagHistory, lag, live }: Pick<Replica, 'lagHistory' | 'lag' | 'live'>): Lag | undefined {
  const steps = lagHistory.map((one) => (one === null ? undefined : readDuration(one)))
  const known = steps.filter((one) => one !== undefined)
  if (known.length === 0) return undefined
  const most = Math.max(...known)
  const now = live ? `, now ${formatDuration(readDuration(lag))}` : ''
  return { steps, most, text: `${formatDuration(Math.min(...known))} to ${formatDuration(most)}${now}` }
}

/** Lines from step to step, each over steps that follow each other, in a box of a width and a height: as the `d` of a path. */
export function pathOf({ steps, most }: Lag, width: number, height: number): string {
  const x = (i: number): string => ((width * i) / Math.max(1, steps.length - 1)).toFixed(1)
  const y = (lag: number): string => (height - (most === 0 ? 0 : (height * lag) / most)).toFixed(1)
  return steps
    .flatMap((lag, i) => {
      if (lag === undefined) return []
      // a step that stands alone is a point: a line of no length, which round ends make visible
      return steps[i - 1] === undefined ? [`M${x(i)} ${y(lag)}h0`] : [`L${x(i)} ${y(lag)}`]
    })
    .join('')
}
