import { CORE_VERSION } from '@gantt/scheduler-core'
import type { DatabaseWatch } from '../../db/database-watch.ts'
import { RELEASE } from '../../release.ts'
import { type ModeView, modeOf } from '../../replica/mode.ts'
import type { Replica } from '../../replica/replica.ts'
import type { Auditor, AuditorView } from '../../replica/watch/auditor.ts'

export const degradedCodes = ['database.away'] as const

/** A problem of one part of the service, such as the database, with which the replica continues to work. */
export interface Degraded {
  readonly code: (typeof degradedCodes)[number]
  /** Milliseconds since 1970. */
  readonly since: number
  /** States which calls of the replica work in the meantime, and which do not. */
  readonly message: string
}

export const degradedOf = ({ away }: DatabaseWatch): readonly Degraded[] =>
  away === undefined
    ? []
    : [
        {
          code: 'database.away',
          since: away.since,
          message: `The database does not answer (${away.reason}). Placing, reports and keys continue; rows for its tables wait, and are written once it is back. Reads from tables are answered with UNAVAILABLE.`,
        },
      ]

export interface HealthView extends ModeView {
  readonly degraded: readonly Degraded[]
  readonly replica: string
  readonly release: string
  /** The release whose rules the replica uses to decide. */
  readonly version: string
  readonly revision: number
  /**
   * The age of the replica's state of the fleet in milliseconds: the time since a check last confirmed that the state is as new as the
   * store.
   */
  readonly ageMs: number
  readonly featureLevel: number
  /** The results of the auditor. `checkedAgeMs` is the time since the auditor's last full check, or null before the first one. */
  readonly violations: number
  readonly warnings: number
  readonly clean: AuditorView['clean']
  readonly checkedAgeMs: number | null
  /** The engine that stores the log: postgres, nats or memory. */
  readonly engine: string
  /** True if entries get their position in the log before they are on disk, so that one flush serves all waiting calls. */
  readonly sharedFlush: boolean
  /** The median time of a flush to disk when the replica started, in milliseconds; null if it was not measured. */
  readonly flushMs: number | null
}

export interface Health {
  view(): HealthView
}

export function createHealth(replica: Replica, auditor: Auditor, degraded: () => readonly Degraded[]): Health {
  return {
    view: () => {
      const { violations, warnings, clean, ageMs: checkedAgeMs } = auditor.view()
      return {
        replica: replica.name,
        release: RELEASE,
        version: CORE_VERSION,
        ...modeOf(replica),
        degraded: degraded(),
        revision: replica.fleet.place.revision,
        ageMs: Math.round(replica.age),
        featureLevel: replica.fleet.featureLevel,
        engine: replica.engine,
        sharedFlush: replica.flushing.isShared,
        flushMs: replica.flushing.medianMs,
        ...{ violations, warnings, clean, checkedAgeMs },
      }
    },
  }
}
