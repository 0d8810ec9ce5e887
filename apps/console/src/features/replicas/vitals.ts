import { formatCount, formatMib } from '../../lib/format.ts'
import { shareText } from '../../lib/share.ts'
import type { Replica } from './compare.ts'

/** The text for a value that the replica does not report, because its release is older or it does not follow the log yet. */
const UNKNOWN = 'unknown'

const BYTES_PER_MIB = 1_048_576

/** The decisions per second of a replica, rounded to a tenth. Smaller rates above 0 are shown as `< 0.1`. */
export function rateText({ decisionsPerSecond: rate }: Pick<Replica, 'decisionsPerSecond'>): string {
  if (rate === null) return UNKNOWN
  return rate > 0 && rate < 0.1 ? '< 0.1' : formatCount(Number(rate.toFixed(rate < 100 ? 1 : 0)))
}

/** The share of a replica's proposals that had a conflict. */
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

/** A text such as "40 up, 1 suspect". It always has the count of hosts that are up, and counts of other states only if they occur. */
export function hostsText({ hosts }: Pick<Replica, 'hosts'>): string {
  if (hosts === null) return UNKNOWN
  const { up, suspect, down } = hosts
  return [
    `${formatCount(up)} up`,
    ...(suspect > 0 ? [`${formatCount(suspect)} suspect`] : []),
    ...(down > 0 ? [`${formatCount(down)} down`] : []),
  ].join(', ')
}

/** The plug-ins that a replica has loaded, such as "rack 1.1.0, power 2.0.0". */
export function pluginsText({ plugins }: Pick<Replica, 'plugins'>): string {
  if (plugins === null) return UNKNOWN
  return plugins.length === 0 ? 'none' : plugins.map(({ name, version }) => `${name} ${version}`).join(', ')
}
