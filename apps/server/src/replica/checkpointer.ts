import { captureFleet, copyFleet, type Fleet } from '@gantt/scheduler-core'
import type { Horizon } from '../sync/retention.ts'
import type { Synchronizer } from '../sync/synchronizer.ts'
import type { Timers } from '../timers.ts'
import { inPieces } from './pieces.ts'

/** A checkpoint is due after this many changes, and a fourth of what it holds, */
const CHANGES = 10_000
/** or, where there was any change, this long after the last one, */
const MILLISECONDS = 60_000
/** and, where that one was written, this many times as long as it took: of a large fleet they would otherwise be made most of the time. */
const REST = 20

export interface CheckpointerOptions {
  readonly timers: Timers
  /** Of the fleet that it begins with. */
  readonly revision: number
  readonly horizon: Horizon
  /** Told of the copy that a checkpoint is taken of, and of how many changes there were since the one before. */
  onCopy(copy: Fleet, changes: number): void
  warn(message: string): void
}

/** Writes checkpoints as the log grows, so that a replica that starts, and a replay, read little of it; trims the log behind them. */
export function createCheckpointer(store: Synchronizer, { timers, revision, horizon, onCopy, warn }: CheckpointerOptions) {
  let changes = 0
  /** Of the last one that was kept. */
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
    const checkpoint = await inPieces(captureFleet(fleet), timers)
    const isNewest = await store.saveCheckpoint(checkpoint)
    keptRevision = fleet.place.revision
    restsUntil = beganAt + REST * (timers.now() - beganAt)
    if (isNewest) await store.trim(horizon)
  }

  return {
    /** Tells that a fleet moved on by this many changes. */
    applied(fleet: Fleet, by: number): void {
      latest = fleet
      changes += by
      // what a checkpoint costs grows with the fleet, so large ones are rarer
      if (changes >= CHANGES && changes >= (fleet.hosts.count + fleet.ledger.claims.size) / 4) save()
    },
    async close(): Promise<void> {
      stop()
      await saving
    },
  }
}
