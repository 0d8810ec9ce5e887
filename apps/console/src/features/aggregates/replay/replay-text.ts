import { formatCount, formatSigned } from '../../../lib/format.ts'

interface LeftOut {
  readonly outOfTime: number
  readonly notReplayable: number
  readonly unreadable: number
}

/** Why requests were omitted, as a sentence. Empty if none was omitted. */
export function leftOutText({ outOfTime, notReplayable, unreadable }: LeftOut): string {
  const parts = [
    ...(outOfTime > 0 ? [`${formatCount(outOfTime)} were not replayed in time`] : []),
    ...(notReplayable > 0 ? [`${formatCount(notReplayable)} cannot be replayed`] : []),
    ...(unreadable > 0 ? [`${formatCount(unreadable)} cannot be read`] : []),
  ]
  return parts.length === 0 ? '' : `Of the other requests, ${parts.join(', ')}.`
}

/** The difference between two values with its sign and, unless the old value is 0, as a percentage of the old value. */
export function deltaText(before: number, after: number): string {
  if (before === after) return '0'
  const percent = Math.round(((after - before) * 100) / before)
  return `${formatSigned(after - before)}${before === 0 ? '' : ` (${formatSigned(percent)} %)`}`
}
