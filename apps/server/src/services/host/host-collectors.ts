import { type CollectorStatus, collectorsOf } from '@gantt/scheduler-core'
import type { HostView } from './host-view.ts'

/** A collector of a host, as the host's agent reported it. */
export interface CollectorView extends CollectorStatus {
  /** When the agent reported the state, in store time. */
  readonly reportedAt: number
  /** True if the agent has not repeated the state for so long that it may no longer be true. */
  readonly isOutdated: boolean
}

/** The collectors of a host at a time, in the order of the agent's settings. Empty if the agent reported none. */
export function collectorViews({ record }: HostView, now: number): CollectorView[] {
  const reported = collectorsOf({ now }, record)
  if (reported === undefined) return []
  const { collectors, reportedAt, isRecent } = reported
  return collectors.map((one) => ({ ...one, lastGoodAt: lastGoodAtOf(one, record), reportedAt, isOutdated: !isRecent }))
}

/**
 * When the last good document of a collector was collected. An agent that was started anew does not know the documents of the agent before.
 * The last one that the service accepted is then the last good one.
 */
function lastGoodAtOf({ namespace, state, lastGoodAt }: CollectorStatus, { namespaces }: HostView['record']): string | null {
  if (lastGoodAt !== null || state === 'SENDING' || state === 'SLOWED') return lastGoodAt
  const reportedAt = namespaces.get(namespace)?.reportedAt
  return reportedAt === undefined ? null : new Date(reportedAt).toISOString()
}
