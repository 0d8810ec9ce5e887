import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { captureFleet, checkpointOf, Fleet, rebuildFleet, restoreFleet } from '@gantt/scheduler-core'
import type pg from 'pg'
import { inPieces } from './replica/pieces.ts'
import { openPostgresSynchronizer } from './sync/postgres/postgres.ts'

/** The longest time for which a process does nothing else, milliseconds. */
export interface Pauses {
  readonly hosts: number
  readonly claims: number
  readonly captureAtOnceMs: number
  readonly captureInPiecesMs: number
  readonly restoreAtOnceMs: number
  readonly restoreInPiecesMs: number
}

/** Takes and restores a checkpoint of a database's fleet, at once and in pieces: how long each holds up everything else. */
export async function measurePauses(connection: pg.ClientConfig): Promise<Pauses> {
  const store = await openPostgresSynchronizer(connection)
  try {
    const checkpoint = await store.loadCheckpoint(Number.MAX_SAFE_INTEGER)
    const fleet = checkpoint === undefined ? new Fleet() : restoreFleet(checkpoint)
    for (let entries = await store.read(fleet.place, 1_000); entries.length > 0; entries = await store.read(fleet.place, 1_000))
      for (const entry of entries) fleet.apply(entry)
    const taken = checkpointOf(fleet)
    return {
      hosts: fleet.hosts.count,
      claims: fleet.ledger.claims.size,
      captureAtOnceMs: await longestPause(async () => checkpointOf(fleet)),
      captureInPiecesMs: await longestPause(() => inPieces(captureFleet(fleet))),
      restoreAtOnceMs: await longestPause(async () => restoreFleet(taken)),
      restoreInPiecesMs: await longestPause(() => inPieces(rebuildFleet(taken))),
    }
  } finally {
    await store.close()
  }
}

async function longestPause(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  await sleep(20)
  delays.reset()
  // it measures between two ticks of its own, and begins anew with the first one after the reset
  await sleep(20)
  await work()
  await sleep(20)
  delays.disable()
  return Math.round(delays.max / 100_000) / 10
}
