import { CORE_VERSION } from '@gantt/scheduler-core'
import type { Auditor } from '../replica/auditor.ts'
import { type ModeView, modeOf } from '../replica/mode.ts'
import type { Replica } from '../replica/replica.ts'

export interface HealthView extends ModeView {
  readonly replica: string
  readonly version: string
  readonly revision: number
  /** How long ago the state was last known to be as new as the store's, milliseconds. */
  readonly ageMs: number
  readonly featureLevel: number
  /** What the auditor finds that cannot be, and how long ago it had looked at everything, milliseconds. */
  readonly violations: number
  readonly checkedAgeMs: number | null
  /** What keeps the log: postgres, nats or memory. */
  readonly engine: string
  /** Whether the order of the log is released before the disk, and one flush serves all who wait. */
  readonly sharedFlush: boolean
  /** How long a flush took at the start, milliseconds; null when it was not measured. */
  readonly flushMs: number | null
}

export interface Health {
  view(): HealthView
}

export function createHealth(replica: Replica, auditor: Auditor): Health {
  return {
    view: () => {
      const { violations, ageMs: checkedAgeMs } = auditor.view()
      return {
        replica: replica.name,
        version: CORE_VERSION,
        ...modeOf(replica),
        revision: replica.fleet.place.revision,
        ageMs: Math.round(replica.age),
        featureLevel: replica.fleet.featureLevel,
        engine: replica.engine,
        sharedFlush: replica.flushing.isShared,
        flushMs: replica.flushing.medianMs,
        violations,
        checkedAgeMs,
      }
    },
  }
}
