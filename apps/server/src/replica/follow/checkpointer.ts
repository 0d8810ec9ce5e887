import { captureFleet, copyFleet, type Fleet } from '@gantt/scheduler-core'
import { runYielding } from '../../event-loop/pauses.ts'
import type { Horizon } from '../../sync/retention.ts'
import type { Synchronizer } from '../../sync/synchronizer.ts'
import type { Timers } from '../../timers.ts'

/** A checkpoint is due after this many changes, or after a fourth of the count of hosts and claims if that is more. */
const CHANGES = 10_000
/** A checkpoint is also due this long after the last one if the fleet has changed since. */
const MILLISECONDS = 60_000
/**
 * If writing a checkpoint took some time, the next checkpoint that is due because of MILLISECONDS begins at least this multiple of that
 * time after the beginning of the first. Otherwise checkpoints of a large fleet would be written most of the time.
 */
const REST = 20

export interface CheckpointerOptions {
  readonly timers: Timers
  /** The revision of the fleet at the start. */
  readonly revision: number
  readonly horizon: Horizon
  /** Called with the copy for a checkpoint, and with the number of changes since the preceding one. */
  onCopy(copy: Fleet, changes: number): void
  warn(message: string): void
}

/** Writes checkpoints as the log grows, so that a start or a replay reads few entries. Then trims old entries from the log. */
export function createCheckpointer(store: Synchronizer, { timers, revision, horizon, onCopy, warn }: CheckpointerOptions) {
  let changes = 0
  /** The revision of the last checkpoint that was sent to the store without an error, even if the store did not need it. */
  let keptRevision = revision
  let latest: Fleet | undefined
  let saving: Promise<void> | undefined
  let restsUntil = timers.now()
  const stop = timers.every(MILLISECONDS, () => {
    if (timers.now() >= restsUntil) save()
  })

  const save = (): void => {
    if (latest === undefined || saving !== undefined || latest.place.revision === keptRevision) return
    const beganAt = timers.now()
    const copy = copyFleet(latest)
    onCopy(copy, changes)
    changes = 0
    saving = keep(copy, beganAt)
      .catch((error: unknown) =>
        warn(
          `the checkpoint at revision ${copy.place.revision} was not written, or the log not trimmed behind it: ${error instanceof Error ? error.message : String(error)}`,
        ),
      )
      .finally(() => {
        saving = undefined
      })
  }

  const keep = async (fleet: Fleet, beganAt: number): Promise<void> => {
    const checkpoint = await runYielding(captureFleet(fleet), timers)
    const isNewest = await store.saveCheckpoint(checkpoint)
    keptRevision = fleet.place.revision
    restsUntil = beganAt + REST * (timers.now() - beganAt)
    if (isNewest) await store.trim(horizon)
  }

  return {
    /** Must be called after the fleet applied this number of changes. */
    applied(fleet: Fleet, by: number): void {
      latest = fleet
      changes += by
      // the cost of a checkpoint grows with the fleet, so large ones are written less often
      if (changes >= CHANGES && changes >= (fleet.hosts.count + fleet.ledger.claims.size) / 4) save()
    },
    async close(): Promise<void> {
      stop()
      await saving
    },
  }
}
