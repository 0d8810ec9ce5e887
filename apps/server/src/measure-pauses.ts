import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  audit,
  auditWorld,
  captureFleet,
  checkpointOf,
  digestPart,
  Fleet,
  partsOf,
  rebuildFleet,
  restoreFleet,
} from '@gantt/scheduler-core'
import type pg from 'pg'
import { runYielding } from './event-loop/pauses.ts'
import { openPostgresSynchronizer } from './sync/postgres/postgres.ts'

/** The longest times for which a process does not yield, in milliseconds. */
export interface Pauses {
  readonly hosts: number
  readonly claims: number
  readonly captureAtOnceMs: number
  readonly captureYieldingMs: number
  readonly restoreAtOnceMs: number
  readonly restoreYieldingMs: number
  /** The auditor: the duration of one round, and the 99th percentile of the duration of its steps. */
  readonly auditRoundMs: number
  readonly auditStepMs: number
  /** The median and the 99th percentile of the time for the digest of one part of the state. */
  readonly digestPartMs: number
  readonly longDigestPartMs: number
}

/**
 * Takes and restores a checkpoint of a database's fleet, first in one step and then in slices, and measures for how long the process does
 * not yield.
 */
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
      captureYieldingMs: await longestPause(() => runYielding(captureFleet(fleet))),
      restoreAtOnceMs: await longestPause(async () => restoreFleet(taken)),
      restoreYieldingMs: await longestPause(() => runYielding(rebuildFleet(taken))),
      ...measureAudit(fleet),
    }
  } finally {
    await store.close()
  }
}

function* wholeRound(fleet: Fleet): Generator<unknown, void> {
  yield* audit(fleet)
  yield* auditWorld(fleet)
}

/** Measures twice and returns the second result, because the code of a running service is already optimised. */
function measureAudit(fleet: Fleet): Pick<Pauses, 'auditRoundMs' | 'auditStepMs' | 'digestPartMs' | 'longDigestPartMs'> {
  const measure = () => {
    const steps = wholeRound(fleet)
    let part = 0
    return {
      steps: timesOf(() => steps.next().done !== true),
      digests: timesOf(() => {
        digestPart(fleet, part++)
        return part < partsOf(fleet)
      }),
    }
  }
  measure()
  const { steps, digests } = measure()
  return {
    auditRoundMs: Math.round(steps.reduce((sum, ms) => sum + ms, 0)),
    auditStepMs: quantile(steps, 0.99),
    digestPartMs: quantile(digests, 0.5),
    longDigestPartMs: quantile(digests, 0.99),
  }
}

/** The CPU time of each call of `step` until it returns false. Other load on the machine is not included. */
function timesOf(step: () => boolean): number[] {
  const times: number[] = []
  for (let more = true; more; ) {
    const before = process.cpuUsage()
    more = step()
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1_000)
  }
  return times
}

function quantile(times: readonly number[], share: number): number {
  const found = [...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0
  return Math.round(found * 100) / 100
}

async function longestPause(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  await sleep(20)
  delays.reset()
  // the monitor measures between two of its own ticks, and starts again at the first tick after the reset
  await sleep(20)
  await work()
  await sleep(20)
  delays.disable()
  return Math.round(delays.max / 100_000) / 10
}
