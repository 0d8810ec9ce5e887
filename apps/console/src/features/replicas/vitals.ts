import { formatCount, formatMib } from '../../lib/format.ts'
import { shareText } from '../../lib/share.ts'
import type { Replica } from './compare.ts'

/** What a replica of an older release does not report, or one that does not follow the log yet. */
const UNKNOWN = 'unknown'

const BYTES_PER_MIB = 1_048_576

/** To a tenth; what is less, but something, is reported to be. */
export function rateText({ decisionsPerSecond: rate }: Pick<Replica, 'decisionsPerSecond'>): string {
  if (rate === null) return UNKNOWN
  return rate > 0 && rate < 0.1 ? '< 0.1' : formatCount(Number(rate.toFixed(rate < 100 ? 1 : 0)))
}

/** The share of its proposals that came to nothing. */
export function conflictsText({ proposals, conflicts }: Pick<Replica, 'proposals' | 'conflicts'>): string {
  return proposals === null || conflicts === null ? UNKNOWN : shareText(conflicts, proposals)
}

export const conflictsTitle = ({ proposals, conflicts }: Pick<Replica, 'proposals' | 'conflicts'>): string | undefined =>
  proposals === null || conflicts === null
    ? undefined
    : proposals === 0
      ? 'No proposals in the last minute'
      : `${formatCount(conflicts)} of ${formatCount(proposals)} proposals`

export const memoryText = ({ memoryBytes }: Pick<Replica, 'memoryBytes'>): string =>
  memoryBytes === null ? UNKNOWN : formatMib(Math.round(memoryBytes / BYTES_PER_MIB))

/** 40 up, 1 suspect: those that live always, the others where there are some. */
export function hostsText({ hosts }: Pick<Replica, 'hosts'>): string {
  if (hosts === null) return UNKNOWN
  const { up, suspect, down } = hosts
  return [
    `${formatCount(up)} up`,
    ...(suspect > 0 ? [`${formatCount(suspect)} suspect`] : []),
    ...(down > 0 ? [`${formatCount(down)} down`] : []),
  ].join(', ')
}
