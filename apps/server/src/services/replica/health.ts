import { CORE_VERSION } from '@gantt/scheduler-core'
import type { DatabaseWatch } from '../../db/database-watch.ts'
import { RELEASE } from '../../release.ts'
import { type ModeView, modeOf } from '../../replica/mode.ts'
import type { Replica } from '../../replica/replica.ts'
import type { Auditor, AuditorView } from '../../replica/watch/auditor.ts'

export const degradedCodes = ['database.away'] as const

/** A degradation that does not stop the replica's work. */
export interface Degraded {
  readonly code: (typeof degradedCodes)[number]
  /** Milliseconds since 1970. */
  readonly since: number
  /** The text that says what continues and what waits. */
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
  /** The version of the rules by which it decides. */
  readonly version: string
  readonly revision: number
  /** How long ago the state was last known to be as new as the store's, milliseconds. */
  readonly ageMs: number
  readonly featureLevel: number
  /** The number of violations that the auditor finds, and the time since its last full check, milliseconds. */
  readonly violations: number
  readonly warnings: number
  readonly clean: AuditorView['clean']
  readonly checkedAgeMs: number | null
  /** The engine that keeps the log: postgres, nats or memory. */
  readonly engine: string
  /** Whether entries get their position before they are on disk, so that one flush serves all calls that wait. */
  readonly sharedFlush: boolean
  /** The duration of a flush at the start, milliseconds; null if it was not measured. */
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
