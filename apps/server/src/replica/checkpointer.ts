import { type Checkpoint, checkpointOf, type Fleet } from '@gantt/scheduler-core'
import type { Synchronizer } from '../sync/synchronizer.ts'
import type { Timers } from '../timers.ts'

/** A checkpoint is due after this many changes, or this long after the first change since the last. */
const CHANGES = 10_000
const MILLISECONDS = 60_000

/** Writes checkpoints as the log grows, so that a replica that starts, and a replay, read little of it. */
export function createCheckpointer(store: Synchronizer, timers: Timers, revision: number, warn: (message: string) => void) {
  let changes = 0
  let lastRevision = revision
  let latest: Fleet | undefined
  let saving: Promise<void> | undefined
  const stop = timers.every(MILLISECONDS, () => save())

  const save = (): void => {
    if (latest === undefined || saving !== undefined || latest.place.revision === lastRevision) return
    const checkpoint: Checkpoint = checkpointOf(latest)
    changes = 0
    lastRevision = checkpoint.place.revision
    saving = store
      .saveCheckpoint(checkpoint)
      .then(() => undefined)
      .catch((error: unknown) =>
        warn(`no checkpoint was written at revision ${lastRevision}: ${error instanceof Error ? error.message : String(error)}`),
      )
      .finally(() => {
        saving = undefined
      })
  }

  return {
    /** Tells that a fleet moved on by this many changes. */
    applied(fleet: Fleet, by: number): void {
      latest = fleet
      changes += by
      if (changes >= CHANGES) save()
    },
    async close(): Promise<void> {
      stop()
      await saving
    },
  }
}
