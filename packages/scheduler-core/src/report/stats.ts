import { z } from 'zod'
import { limits } from '../request/limits.ts'
import { parseWith, unknownVersion, versionOf } from '../request/parse.ts'
import type { Parsed } from '../text/problem.ts'
import {
  CURRENT_STATS_VERSION,
  currentStats,
  type currentStatsSchema,
  isStatsVersion,
  statsSchemas,
  statsVersions,
} from './stats-versions.ts'
import { list, statsFields, uuid, whole } from './versions/v1-0.ts'

/** A delta report: the changes since the report with the sequence `baseSequence`. */
export const statsDeltaV1 = z
  .strictObject({
    baseSequence: whole(Number.MAX_SAFE_INTEGER).describe(
      'The sequence number of the earlier report, which must be the last one that reached the log.',
    ),
    vcpusUsed: statsFields.vcpusUsed.optional(),
    memoryMbUsed: statsFields.memoryMbUsed.optional(),
    localGbUsed: statsFields.localGbUsed.optional(),
    runningVms: whole(limits.vcpus)
      .describe(statsFields.runningVms.description ?? '')
      .optional(),
    numIoOps: whole(limits.vcpus)
      .describe(statsFields.numIoOps.description ?? '')
      .optional(),
    addInstances: list(uuid, 10_000).optional().describe('UUIDs of the instances that have started on the host since the earlier report.'),
    removeInstances: list(uuid, 10_000).optional().describe('UUIDs of the instances that no longer run on the host.'),
  })
  .describe('What changed on a host since an earlier report.')

/** The current form of a full report. */
export type HostStats = z.output<typeof currentStatsSchema>
/** The input form of a report, in which fields that have a default may be missing. */
export type HostStatsInput = z.input<typeof currentStatsSchema>
export type StatsDelta = z.output<typeof statsDeltaV1>

/** Parses a full report of any published version into the current one, or returns all problems at once. */
export function parseHostStats(input: unknown): Parsed<HostStats> {
  const version = versionOf(input) ?? CURRENT_STATS_VERSION
  if (!isStatsVersion(version)) return { ok: false, problems: [unknownVersion('stats', version, statsVersions)] }
  const parsed = parseWith(statsSchemas[version], version === '1.0' ? withoutVersion(input) : input, 'stats')
  return parsed.ok ? { ok: true, value: currentStats(parsed.value) } : parsed
}

/** The form of 1.0 has no field `version`, but callers can add `version: '1.0'`. */
function withoutVersion(input: unknown): unknown {
  const { version: _, ...document } = input as { readonly version?: unknown }
  return document
}

/** Parses a delta, or returns all problems at once. */
export const parseStatsDelta = (input: unknown): Parsed<StatsDelta> => parseWith(statsDeltaV1, input, 'stats')

/**
 * Applies a delta to a full report. If the report has no instance list, the result has no instance list. A field with a value in the delta
 * is removed from the list of omitted fields.
 */
export function mergeDelta(stats: HostStats, delta: StatsDelta): HostStats {
  const { baseSequence: _, addInstances, removeInstances, ...numbers } = delta
  const given = Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)) as Partial<HostStats>
  const instances = stats.instances === null ? null : mergeInstances(stats.instances, addInstances ?? [], removeInstances ?? [])
  // an inventory can replace the plain fields of a standard class, so the reported use is also written to the inventory
  const used: Readonly<Record<string, number | undefined>> = {
    VCPU: given.vcpusUsed,
    MEMORY_MB: given.memoryMbUsed,
    DISK_GB: given.localGbUsed,
  }
  const inventories = stats.inventories.map((given) =>
    given.used === null ? given : { ...given, used: used[given.resourceClass] ?? given.used },
  )
  const omitted = stats.omitted.filter((field) => !Object.hasOwn(given, field))
  return { ...stats, ...given, inventories, instances, omitted }
}

function mergeInstances(before: readonly string[], add: readonly string[], remove: readonly string[]): string[] {
  const gone = new Set(remove)
  return [...new Set([...before.filter((uuid) => !gone.has(uuid)), ...add])]
}
