import { formatCount, formatTime, formatTook, type TimeZoneChoice } from '../../lib/format.ts'
import type { Activity } from './figures.ts'
import type { Mark } from './use-marks.ts'

/** The exclusive end of a step, which is the beginning of the next step. */
export const endOf = ({ steps, until }: Activity, index: number): string => steps[index + 1]?.at ?? until

/** The position of a time on an axis whose steps have the width 1. */
export function positionOf({ steps, since, until }: Activity, at: string): number {
  const begin = Date.parse(since)
  const stepMs = Date.parse(steps[1]?.at ?? until) - begin
  return Math.max(0, Math.min(steps.length, (Date.parse(at) - begin) / stepMs))
}

/** A line of text about a range of steps: its time, decisions, failures, durations and changes. */
export function lineOf(activity: Activity, from: number, to: number, zone: TimeZoneChoice, marks: readonly Mark[] = []): string {
  const some = activity.steps.slice(from, to + 1)
  const [first] = some
  if (first === undefined) return ''
  const sum = (count: 'decisions' | 'failed'): number => some.reduce((all, step) => all + step[count], 0)
  const decisions = sum('decisions')
  return [
    `${formatTime(first.at, zone)} to ${formatTime(endOf(activity, to), zone)}: ${formatCount(decisions)} ${decisions === 1 ? 'decision' : 'decisions'}`,
    `${formatCount(sum('failed'))} failed`,
    ...tookLine(some),
    ...changeLine(marks.filter(({ at }) => at >= first.at && at < endOf(activity, to))),
  ].join(', ')
}

/** Percentiles of several steps cannot be combined, so the highest one is shown. */
function tookLine(steps: Activity['steps']): string[] {
  const took = steps.flatMap((step) => step.took ?? [])
  const [only] = took
  if (only === undefined) return []
  if (took.length === 1) return [`p50 ${formatTook(only.p50Ms)}`, `p99 ${formatTook(only.p99Ms)}`]
  return [`p99 of a step at most ${formatTook(Math.max(...took.map(({ p99Ms }) => p99Ms)))}`]
}

/**
 * A line of text about changes by operators. `marks` must be ordered from newest to oldest. A single change is named. Of several changes,
 * the line has the count and names the newest.
 */
function changeLine([newest, ...others]: readonly Mark[]): string[] {
  if (newest === undefined) return []
  const what = `${newest.mutation} of ${newest.target}`
  return [others.length === 0 ? `changed: ${what}` : `${formatCount(others.length + 1)} changes, the newest: ${what}`]
}

/**
 * The path of a line over the steps. Each step has the width 1. The axis goes from 0 at the bottom to `most` at the top. The line has a gap
 * where a value is undefined.
 */
export function pathOf(numbers: readonly (number | undefined)[], most: number, height: number): string {
  const y = (number: number): number => Number((height - (height * number) / most).toFixed(2))
  return numbers
    .map((number, index) => {
      if (number === undefined) return ''
      return `${numbers[index - 1] === undefined ? `M${index} ` : 'V'}${y(number)}H${index + 1}`
    })
    .join('')
}
