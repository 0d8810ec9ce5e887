import type { Plugins } from '../contracts/plugins.ts'
import { Fleet } from '../fleet/fleet.ts'
import type { HostReported, NamespaceReported } from '../records/change.ts'
import type { HostStatsInput } from '../report/stats.ts'
import { currentStatsSchema, publishedStats } from '../report/stats-versions.ts'
import { aLog } from './log.ts'

/** The fields of a host that a test can set. By default a host has 16 CPUs, 64 GiB of memory and 1 TiB of disk, and nothing is used. */
export type HostShape = Partial<HostStatsInput>

/** A change with the full report of a host. */
export function aReport(host: string, shape: HostShape = {}, sequence = 1): HostReported {
  const stats = currentStatsSchema.parse({
    vcpus: 16,
    vcpusUsed: 0,
    memoryMb: 65_536,
    memoryMbUsed: 0,
    localGb: 1_024,
    localGbUsed: 0,
    ...shape,
  })
  return { type: 'report', host, node: host, incarnation: '00000000-0000-4000-8000-000000000001', sequence, full: publishedStats(stats) }
}

/** A fleet with these hosts. The hosts reported in the order of the object's keys. */
export function aFleet(hosts: Readonly<Record<string, HostShape>>, plugins?: Plugins): Fleet {
  const log = aLog(new Fleet({ plugins }))
  log.append(Object.entries(hosts).map(([name, shape]) => aReport(name, shape)))
  return log.fleet
}

/**
 * A change with a document of another service about a host. The fleet stores the time of a document only from feature level 5 on (`{ type:
 * 'feature', level: 5 }`).
 */
export const aDocument = (host: string, namespace: string, document: unknown, sequence = 1, version = '1.0'): NamespaceReported => ({
  type: 'namespace',
  host,
  node: host,
  namespace,
  version,
  incarnation: '00000000-0000-4000-8000-000000000002',
  sequence,
  document,
})
