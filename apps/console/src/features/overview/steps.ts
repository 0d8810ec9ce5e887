import { formatCount, formatTime, formatTook, type TimeZoneChoice } from '../../lib/format.ts'
import type { Activity } from './figures.ts'

/** Before when a step ends: when the next begins. */
export const endOf = ({ steps, until }: Activity, place: number): string => steps[place + 1]?.at ?? until

/** Steps from one place to another in one line: when, how many decisions, how many failed, and how long they took. */
export function lineOf(activity: Activity, from: number, to: number, zone: TimeZoneChoice): string {
  const some = activity.steps.slice(from, to + 1)
  const [first] = some
  if (first === undefined) return ''
  const sum = (count: 'decisions' | 'failed'): number => some.reduce((all, step) => all + step[count], 0)
  const decisions = sum('decisions')
  return [
    `${formatTime(first.at, zone)} to ${formatTime(endOf(activity, to), zone)}: ${formatCount(decisions)} ${decisions === 1 ? 'decision' : 'decisions'}`,
    `${formatCount(sum('failed'))} failed`,
    ...tookLine(some),
  ].join(', ')
}

/** Percentiles of several steps cannot be added up: of them the highest is told. */
function tookLine(steps: Activity['steps']): string[] {
  const took = steps.flatMap((step) => step.took ?? [])
  const [only] = took
  if (only === undefined) return []
  if (took.length === 1) return [`p50 ${formatTook(only.p50Ms)}`, `p99 ${formatTook(only.p99Ms)}`]
  return [`p99 of a step at most ${formatTook(Math.max(...took.map(({ p99Ms }) => p99Ms)))}`]
}

/** A line over the steps, each as wide as 1, from 0 at the bottom to `most` at the top; it breaks where there is no number. */
export function pathOf(numbers: readonly (number | undefined)[], most: number, height: number): string {
  const y = (number: number): number => Number((height - (height * number) / most).toFixed(2))
  return numbers
    .map((number, place) => {
      if (number === undefined) return ''
      return `${numbers[place - 1] === undefined ? `M${place} ` : 'V'}${y(number)}H${place + 1}`
    })
    .join('')
}
