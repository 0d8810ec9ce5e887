import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '@gantt/scheduler-core'
import type { Call, Place } from '../history.ts'
import { uuidOf } from '../setting.ts'
import { perform, type ReportBody } from './calls.ts'
import type { Run } from './client.ts'

/** During an overload, this many calls are concurrent. An overload lasts at least OVERLOAD_MS milliseconds, and at most twice as long. */
const CALLERS = 150
const OVERLOAD_MS = 1_000
/** The interval between two reads of a replica. Times without answers are measured with this precision. */
const READ_EVERY_MS = 50

/** Sends far more concurrent calls than a replica can answer. The answers are checked like those of all other calls. */
export async function overload(run: Run, replica: number, random: Random): Promise<void> {
  const until = run.now() + OVERLOAD_MS + random.below(OVERLOAD_MS)
  const name = `${run.seed}-overload-${replica}-${Math.round(run.now())}`
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      for (let i = 0; run.now() < until && !run.isOver(); i++) await ask(run, replica, reservation(`${name}-${caller}-${i}`))
    }),
  )
}

/** Reads from one replica until the run ends, to detect periods in which reads are not answered. */
export async function keepReading(run: Run, replica: number): Promise<void> {
  while (!run.isOver()) {
    await ask(run, replica, { type: 'read' })
    await sleep(READ_EVERY_MS)
  }
}

/** A small request with a claim that expires after a second. */
export const reservation = (key: string): Place => ({
  type: 'place',
  key,
  amounts: { VCPU: 1, MEMORY_MB: 64 },
  instances: [uuidOf(key)],
  mode: 'RESERVE',
  ttlMs: 1_000,
  group: null,
  moveOf: null,
  minRevision: null,
})

/**
 * Makes a call in addition to those of the callers. The history records it under a client number that no caller has.
 */
export async function ask(run: Run, replica: number, call: Call, report?: ReportBody) {
  const invokedAt = run.now()
  const outcome = await perform(run.clientOf(replica), call, report)
  run.history.push({ client: run.clients, replica, invokedAt, endedAt: run.now(), call, outcome })
  return outcome
}
