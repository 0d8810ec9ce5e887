import {
  COMPUTE,
  currentStats,
  type Fleet,
  type HostReported,
  isOverruled,
  isSameJson,
  materialising,
  mergeDelta,
  renewalAge,
  STRICT_CLAIMS,
} from '@gantt/scheduler-core'
import type { Report } from './report-input.ts'

/** The result of comparing a report with a host, and the host's revision at the time of the comparison. */
export interface Looked {
  readonly revision: number | undefined
  readonly isNew: boolean
}

export const lookAt = (fleet: Fleet, report: Report, now: number): Looked => ({
  revision: fleet.hosts.find(report)?.revision,
  isNew: hasChanges(fleet, report, now),
})

/**
 * True if a report would change its host. A comparison takes long, and this function must not yield. Therefore it reuses the earlier
 * comparison in `looked` if the host has not changed since then. `now` is the store time in milliseconds since 1970. The time of the fleet
 * cannot be used, because it does not advance while nothing is written to the log.
 */
export const hasChangesSince = (fleet: Fleet, report: Report, looked: Looked | undefined, now: number): boolean =>
  looked !== undefined && looked.revision === fleet.hosts.find(report)?.revision
    ? looked.isNew || isOverruledReport(fleet, report)
    : hasChanges(fleet, report, now)

/**
 * True if a second host has reported the same shared resource later. The second host's report takes precedence and does not change the
 * revision of the first host. Therefore a repeated report of the first host must be written, even if it is unchanged.
 */
function isOverruledReport({ hosts }: Fleet, report: Report): boolean {
  const host = report.type === 'namespace' ? hosts.find(report) : undefined
  return report.type === 'namespace' && host !== undefined && isOverruled(hosts, host.index, report.namespace)
}

/** True if the report would change the data or the claims of its host. The result can also be true for a report that will be refused. */
function hasChanges(fleet: Fleet, report: Report, now: number): boolean {
  const record = fleet.hosts.find(report)
  const reporter = record?.reporters.get(report.type === 'namespace' ? report.namespace : COMPUTE)
  if (record === undefined || reporter?.incarnation !== report.incarnation || report.sequence <= reporter.sequence) return true
  if (report.type === 'namespace') {
    const known = record.namespaces.get(report.namespace)
    if (known?.version !== report.version || !isSameJson(known.document, report.document)) return true
    if (isOverruledReport(fleet, report)) return true
    const renewed = renewalAge(fleet, report.namespace)
    return renewed !== undefined && (known.reportedAt === undefined || now - known.reportedAt >= renewed)
  }
  if (report.delta !== undefined && report.delta.baseSequence !== reporter.sequence) return true
  const stats = report.full === undefined ? mergeDelta(record.stats, report.delta ?? { baseSequence: 0 }) : currentStats(report.full)
  const isShown = materialising(fleet, record, new Set(stats.instances))
  for (const claim of record.claims) {
    const { state, extra, source } = claim
    // for example, the instance ran before its claim was created, so even an unchanged report changes the claim to MATERIALISED
    if (isShown(claim)) return true
    // An instance can have been resized in place after the last report. The usage in an unchanged report then includes the new size, so the
    // report must be written. From feature level STRICT_CLAIMS on, a report without a list of instances is also always written if the host
    // has a MATERIALISED claim.
    if (fleet.featureLevel >= STRICT_CLAIMS && stats.instances === null && state === 'MATERIALISED') return true
    if (extra !== null && source === null && stats.instances !== null && containsUsage(report)) return true
  }
  return !isSameJson(stats, record.stats)
}

/**
 * True if a report states resource usage. Every full report states the usage. A delta states the usage if it has one of the usage fields.
 */
const containsUsage = ({ delta }: HostReported): boolean =>
  delta === undefined || [delta.vcpusUsed, delta.memoryMbUsed, delta.localGbUsed].some((used) => used !== undefined)
