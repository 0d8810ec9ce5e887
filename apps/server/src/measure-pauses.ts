import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { audit, captureFleet, checkpointOf, digestPart, Fleet, partsOf, rebuildFleet, restoreFleet } from '@gantt/scheduler-core'
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
  /** The auditor: one round in all, and the steps of which 99 of 100 are shorter; the same of digests of parts. */
  readonly auditRoundMs: number
  readonly auditStepMs: number
  readonly digestPartMs: number
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
      ...measureAudit(fleet),
    }
  } finally {
    await store.close()
  }
}

function measureAudit(fleet: Fleet): Pick<Pauses, 'auditRoundMs' | 'auditStepMs' | 'digestPartMs'> {
  const steps = audit(fleet)
  const auditSteps = timesOf(() => steps.next().done !== true)
  let part = 0
  const digests = timesOf(() => {
    digestPart(fleet, part++)
    return part < partsOf(fleet)
  })
  const rounded = (ms: number): number => Math.round(ms * 100) / 100
  return {
    auditRoundMs: Math.round(auditSteps.reduce((sum, ms) => sum + ms, 0)),
    auditStepMs: rounded(ninetyNinth(auditSteps)),
    digestPartMs: rounded(ninetyNinth(digests)),
  }
}

/** How long each call takes, until one answers false. */
function timesOf(step: () => boolean): number[] {
  const times: number[] = []
  for (let more = true; more; ) {
    const since = performance.now()
    more = step()
    times.push(performance.now() - since)
  }
  return times
}

const ninetyNinth = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0

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
