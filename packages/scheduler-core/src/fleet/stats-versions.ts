import type { Parsed } from '../problem.ts'
import { type HostStatsV1_0, hostStatsV1_0 } from './stats-versions/v1-0.ts'
import { downgradeTo1_0, type HostStatsV1_1, hostStatsV1_1, upgradeFrom1_0 } from './stats-versions/v1-1.ts'

/** A host's picture in any published version, as logs, checkpoints and callers have it. Only 1.0 does not say its version. */
export type PublishedStats = HostStatsV1_0 | HostStatsV1_1

/** Published versions, oldest first, with what each accepts. */
export const statsSchemas = { '1.0': hostStatsV1_0, '1.1': hostStatsV1_1 } as const

export type StatsVersion = keyof typeof statsSchemas
export const statsVersions = Object.keys(statsSchemas) as readonly StatsVersion[]

/** The version of hosts in memory, and of reports that name none. */
export const CURRENT_STATS_VERSION = '1.1'

/** A host of any published version in the current one. */
export const currentStats = (document: PublishedStats): HostStatsV1_1 => ('version' in document ? document : upgradeFrom1_0(document))

export const statsVersionOf = (document: PublishedStats): StatsVersion => ('version' in document ? document.version : '1.0')

/** A host in the words of a version, or every field that it has no words for. */
export const statsIn = (version: StatsVersion, stats: HostStatsV1_1): Parsed<PublishedStats> =>
  version === '1.1' ? { ok: true, value: stats } : downgradeTo1_0(stats)

/** A host as it is written down: in the oldest version that says all of it, so that older replicas read what they can. */
export function publishedStats(stats: HostStatsV1_1): PublishedStats {
  for (const version of statsVersions) {
    const said = statsIn(version, stats)
    if (said.ok) return said.value
  }
  return stats
}
