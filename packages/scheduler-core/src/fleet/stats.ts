import { z } from 'zod'
import type { Parsed } from '../problem.ts'
import { limits } from '../request/limits.ts'
import { parseWith, unknownVersion, versionOf } from '../request/parse.ts'
import { hostStatsV1_0, list, uuid, whole } from './stats-versions/v1-0.ts'
import { hostStatsV1_1 } from './stats-versions/v1-1.ts'
import { hostStatsV1_2 } from './stats-versions/v1-2.ts'
import { hostStatsV1_3 } from './stats-versions/v1-3.ts'
import { type HostStatsV1_4, hostStatsV1_4 } from './stats-versions/v1-4.ts'
import { CURRENT_STATS_VERSION, currentStats, statsVersions } from './stats-versions.ts'

/** What changed since the report with sequence `baseSequence`. */
export const statsDeltaV1 = z.strictObject({
  baseSequence: whole(Number.MAX_SAFE_INTEGER),
  vcpusUsed: whole(limits.vcpus * 16).optional(),
  memoryMbUsed: whole(limits.memoryMib * 16).optional(),
  localGbUsed: whole(limits.diskGib * 16).optional(),
  runningVms: whole(limits.vcpus).optional(),
  numIoOps: whole(limits.vcpus).optional(),
  addInstances: list(uuid, 10_000).optional(),
  removeInstances: list(uuid, 10_000).optional(),
})

/** The current shape of a host's full picture. */
export type HostStats = HostStatsV1_4
/** What a host may leave out of it is filled in. */
export type HostStatsInput = z.input<typeof hostStatsV1_4>
export type StatsDelta = z.output<typeof statsDeltaV1>

/** Unknown input of any published version to a full report of the current one, or every problem at once. */
export function parseHostStats(input: unknown): Parsed<HostStats> {
  const version = versionOf(input) ?? CURRENT_STATS_VERSION
  switch (version) {
    case '1.0': {
      // documents of 1.0 do not say their version; callers may
      const { version: _, ...document } = input as { readonly version?: unknown }
      const parsed = parseWith(hostStatsV1_0, document, 'stats')
      return parsed.ok ? { ok: true, value: currentStats(parsed.value) } : parsed
    }
    case '1.1': {
      const parsed = parseWith(hostStatsV1_1, input, 'stats')
      return parsed.ok ? { ok: true, value: currentStats(parsed.value) } : parsed
    }
    case '1.2': {
      const parsed = parseWith(hostStatsV1_2, input, 'stats')
      return parsed.ok ? { ok: true, value: currentStats(parsed.value) } : parsed
    }
    case '1.3': {
      const parsed = parseWith(hostStatsV1_3, input, 'stats')
      return parsed.ok ? { ok: true, value: currentStats(parsed.value) } : parsed
    }
    case '1.4':
      return parseWith(hostStatsV1_4, input, 'stats')
    default:
      return { ok: false, problems: [unknownVersion('stats', version, statsVersions)] }
  }
}

/** Unknown input to a delta, or every problem at once. */
export const parseStatsDelta = (input: unknown): Parsed<StatsDelta> => parseWith(statsDeltaV1, input, 'stats')

/** The full picture after a delta. An instance list that was never told stays untold; a number that is told is not left out any more. */
export function mergeDelta(stats: HostStats, delta: StatsDelta): HostStats {
  const { baseSequence: _, addInstances, removeInstances, ...numbers } = delta
  const told = Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)) as Partial<HostStats>
  const instances = stats.instances === null ? null : mergeInstances(stats.instances, addInstances ?? [], removeInstances ?? [])
  // a standard class may have an inventory of its own: what the delta tells of it holds there too
  const used: Readonly<Record<string, number | undefined>> = {
    VCPU: told.vcpusUsed,
    MEMORY_MB: told.memoryMbUsed,
    DISK_GB: told.localGbUsed,
  }
  const inventories = stats.inventories.map((given) =>
    given.used === null ? given : { ...given, used: used[given.resourceClass] ?? given.used },
  )
  const omitted = stats.omitted.filter((field) => !Object.hasOwn(told, field))
  return { ...stats, ...told, inventories, instances, omitted }
}

function mergeInstances(before: readonly string[], add: readonly string[], remove: readonly string[]): string[] {
  const gone = new Set(remove)
  return [...new Set([...before.filter((uuid) => !gone.has(uuid)), ...add])]
}
