import { isJsonObject, type JsonObject } from '@gantt/scheduler-core'
import type { AuditRow } from '../../db/tables/audit.ts'
import type { TimelineRow } from '../../db/tables/host-timeline.ts'

/** For events in which a host leaves the fleet or returns: the mutation that causes each kind of event. */
const edits: Partial<Readonly<Record<TimelineRow['kind'], string>>> = {
  FORGOTTEN: 'hostForget',
  READMITTED: 'hostReadmit',
  REPLACED: 'hostReplace',
}

/** True if an operator caused the event. The audit has rows only for such events. */
export const isSomebodys = ({ kind, endedAs }: Pick<TimelineRow, 'kind' | 'endedAs'>): boolean =>
  edits[kind] !== undefined || kind === 'STATUS' || kind.startsWith('AGGREGATE_') || endedAs === 'REVOKED'

/** True if an audit row describes the edit that caused an event. The caller has selected rows with about the same time. */
export function isEditOf(row: TimelineRow, { mutation, target, summary, result }: AuditRow): boolean {
  const args = readArguments(summary)
  if (args?.dryRun === true) return false
  const own = edits[row.kind]
  if (own !== undefined) return mutation === own && result.endsWith('Payload')
  if (row.kind === 'STATUS')
    return mutation === 'hostSetStatus' && result === 'HostSetStatusPayload' && (args === undefined || setsStatus(row, args))
  if (row.aggregate !== null) return mutation.startsWith('aggregate') && result === 'AggregatePayload' && target === row.aggregate
  return mutation === 'claimRevoke' && row.claim !== null && (target.includes(row.claim) || target.includes(' more'))
}

/**
 * True if the edit has the same reason as the event and, if it changed the status, the same new status. Only the beginning of a long reason
 * is compared, because the audit stores only the beginning.
 */
function setsStatus({ reason, changes }: TimelineRow, { reason: said, status }: JsonObject): boolean {
  const [change] = changes
  const isSaid = typeof said === 'string' && (reason ?? '').startsWith(said.replace(/\.\.\.$/, ''))
  return isSaid && (change === undefined || change.after === status)
}

/** The arguments in the audit; undefined if they were too long to be stored completely. */
function readArguments(summary: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(summary)
    return isJsonObject(value) && !('sha256' in value && 'begins' in value) ? value : undefined
  } catch {
    return undefined
  }
}
