import type { HostIndex } from '@gantt/scheduler-core'
import type { Gap } from '../fleet/fleet-deltas.ts'
import type { HostView } from '../host/host-view.ts'
import { KeyedQueue } from './keyed-queue.ts'
import type { Waiting } from './stream.ts'

/** A changed host, or the revisions of which changes are missing. */
export interface HostEvent {
  readonly revision: number
  readonly host: HostView | null
  readonly gap: Gap | null
}

/**
 * The changed hosts that wait for a slow reader, each once with its last event, in the order of these events. If more than `most` hosts
 * wait, one event that says that changes are missing replaces them, as an event with a gap does. The work for an event does not depend on how
 * many wait.
 */
export function createWaitingHosts(most: number): Waiting<HostEvent> {
  const events = new KeyedQueue<HostIndex, HostEvent>()
  let missedFrom: number | undefined
  let resumeAt = 0
  return {
    add(event) {
      resumeAt = event.revision
      if (event.gap !== null) {
        missedFrom = Math.min(missedFrom ?? event.gap.missedFrom, event.gap.missedFrom)
        events.clear()
      }
      if (missedFrom !== undefined || event.host === null) return
      events.put(event.host.record.index, event)
      if (events.size <= most) return
      missedFrom = events.take()?.[1].revision
      events.clear()
    },
    take() {
      if (missedFrom === undefined) return events.take()?.[1]
      const gap = { missedFrom, resumeAt }
      missedFrom = undefined
      return { revision: resumeAt, host: null, gap }
    },
    clear() {
      missedFrom = undefined
      events.clear()
    },
  }
}
