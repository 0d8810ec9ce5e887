import { formatDuration, readDuration } from '../../lib/format.ts'
import type { Replica } from './compare.ts'

/** The lag of a replica in the last ten minutes. */
export interface Lag {
  /** The lag in milliseconds at each step, the oldest first. Undefined for a step in which the replica sent no heartbeat. */
  readonly steps: readonly (number | undefined)[]
  /** The largest lag of all steps, in milliseconds. */
  readonly most: number
  /** The smallest and the largest lag. */
  readonly text: string
}

/** The lag of a replica. Undefined if no heartbeat was read in the last ten minutes. */
export function lagOf({ lagHistory }: Pick<Replica, 'lagHistory'>): Lag | undefined {
  const steps = lagHistory.map((one) => (one === null ? undefined : readDuration(one)))
  const known = steps.filter((one) => one !== undefined)
  if (known.length === 0) return undefined
  const most = Math.max(...known)
  return { steps, most, text: `${formatDuration(Math.min(...known))} to ${formatDuration(most)}` }
}

/** The `d` attribute of an SVG path in a box of this width and height. The steps between two gaps are joined by a line. */
export function pathOf({ steps, most }: Lag, width: number, height: number): string {
  const x = (i: number): string => ((width * i) / Math.max(1, steps.length - 1)).toFixed(1)
  const y = (lag: number): string => (height - (most === 0 ? 0 : (height * lag) / most)).toFixed(1)
  return steps
    .flatMap((lag, i) => {
      if (lag === undefined) return []
      // an isolated step is a point: a line without length, which round ends make visible
      return steps[i - 1] === undefined ? [`M${x(i)} ${y(lag)}h0`] : [`L${x(i)} ${y(lag)}`]
    })
    .join('')
}
