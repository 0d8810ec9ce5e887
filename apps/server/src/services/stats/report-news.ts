import {
  COMPUTE,
  canonicalJson,
  currentStats,
  type Fleet,
  type HostReported,
  isOverruled,
  mergeDelta,
  renewalAge,
  STRICT_CLAIMS,
} from '@gantt/scheduler-core'
import type { Report } from './report-input.ts'

/** Whether a report contains something new, and the revision of the host for which this was determined. */
export interface Looked {
  readonly revision: number | undefined
  readonly isNew: boolean
}

export const lookAt = (fleet: Fleet, report: Report): Looked => ({
  revision: fleet.hosts.find(report)?.revision,
  isNew: saysSomethingNew(fleet, report),
})

/**
 * Whether a report contains something new. The earlier comparison in `looked` is reused unless the host has changed since, because a
 * comparison takes long and this function must not yield.
 */
export const saysSomethingNewSince = (fleet: Fleet, report: Report, looked: Looked | undefined): boolean =>
  looked !== undefined && looked.revision === fleet.hosts.find(report)?.revision
    ? looked.isNew || isOverruledReport(fleet, report)
    : saysSomethingNew(fleet, report)

/**
 * Whether a newer report of another host about a shared resource takes precedence. Such a report changes the result without changing the
 * revision of this host.
 */
function isOverruledReport({ hosts }: Fleet, report: Report): boolean {
  const host = report.type === 'namespace' ? hosts.find(report) : undefined
  return report.type === 'namespace' && host !== undefined && isOverruled(hosts, host.index, report.namespace)
}

/** Whether the report would change the data or claims of the host. Also true for reports that may be refused. */
function saysSomethingNew(fleet: Fleet, report: Report): boolean {
  const record = fleet.hosts.find(report)
  const reporter = record?.reporters.get(report.type === 'namespace' ? report.namespace : COMPUTE)
  if (record === undefined || reporter?.incarnation !== report.incarnation || report.sequence <= reporter.sequence) return true
  if (report.type === 'namespace') {
    const known = record.namespaces.get(report.namespace)
    if (known?.version !== report.version || canonicalJson(known.document) !== canonicalJson(report.document)) return true
    if (isOverruledReport(fleet, report)) return true
    const renewed = renewalAge(fleet, report.namespace)
    return renewed !== undefined && (known.reportedAt === undefined || fleet.now - known.reportedAt >= renewed)
  }
  if (report.delta !== undefined && report.delta.baseSequence !== reporter.sequence) return true
  const stats = report.full === undefined ? mergeDelta(record.stats, report.delta ?? { baseSequence: 0 }) : currentStats(report.full)
  const listed = new Set(stats.instances)
  for (const { instance, state, extra, source } of record.claims) {
    // the instance existed before its claim was created, so the same report now materialises the claim
    if (instance !== null && listed.has(instance) && (state === 'RESERVED' || state === 'CONFIRMED')) return true
    // The instance was resized in place after the last report, and the same report now counts its whole size. From this feature level on, a
    // report without a list of instances does not show this.
    if (fleet.featureLevel >= STRICT_CLAIMS && stats.instances === null && state === 'MATERIALISED') return true
    if (extra !== null && source === null && stats.instances !== null && saysUse(report)) return true
  }
  return canonicalJson(stats) !== canonicalJson(record.stats)
}

/** Whether a report states resource usage: a full report states all of it, a delta only the fields that it contains. */
const saysUse = ({ delta }: HostReported): boolean =>
  delta === undefined || [delta.vcpusUsed, delta.memoryMbUsed, delta.localGbUsed].some((used) => used !== undefined)
