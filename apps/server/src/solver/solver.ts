import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { Timers } from '../timers.ts'
import { realTimers } from '../timers.ts'
import { type Found, type Job, work } from './work.ts'

/** Solves programs in a separate thread, one at a time. */
export interface Solver {
  /**
   * Solves a job. Never rejects, because failures are statuses. BUSY: too many programs wait already. The time limit of the job starts with
   * the call. A thread that still works `graceMs` (default: a second) after the time limit is ended.
   */
  solve(job: Job, graceMs?: number): Promise<Found | { readonly status: 'BUSY' }>
  /** Ends the thread. Waiting callers get the status FAILED. */
  close(): Promise<void>
}

export interface SolverSettings {
  /** At most this many programs wait, not counting the one that is being solved. */
  readonly maxWaiting?: number
  readonly timers?: Timers
  /** Creates the thread. It is started with the first program, and restarted after it died. */
  readonly openWorker?: () => Worker
}

const MAX_WAITING_CALLS = 16
/** How long a thread may continue after its time limit, because HiGHS checks its clock only from time to time. */
const GRACE_MS = 1_000
/** The memory limit of the thread's JavaScript. The memory of HiGHS itself is limited by the size of programs. */
const MEMORY_MB = 256

interface Waiting {
  readonly job: Job
  readonly endsAt: number
  readonly graceMs: number
  settle(found: Found): void
}

/** A thread that runs HiGHS. */
export function openSolverWorker(): Worker {
  const file = createRequire(import.meta.url).resolve('highs')
  const source = `(${work.toString()})(require('node:worker_threads').parentPort, require(${JSON.stringify(file)}))`
  return new Worker(source, { eval: true, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } })
}

export function createSolver({
  maxWaiting = MAX_WAITING_CALLS,
  timers = realTimers,
  openWorker = openSolverWorker,
}: SolverSettings = {}): Solver {
  const waiting: Waiting[] = []
  let worker: Worker | undefined
  let current: { readonly own: Waiting; stop(): void } | undefined
  let isClosed = false

  const end = (found: Found): void => {
    const ended = current
    current = undefined
    ended?.stop()
    ended?.own.settle(found)
    next()
  }
  const fail = (of: Worker, detail: string, status: 'FAILED' | 'NOT_FOUND' = 'FAILED'): void => {
    if (worker !== of) return
    worker = undefined
    void of.terminate()
    if (current !== undefined) end(failed(detail, status))
  }
  const open = (): Worker => {
    const opened = openWorker()
    // lets the process end even while the solver is running
    opened.unref()
    opened.on('message', (found: Found) => {
      if (worker === opened) end(found)
    })
    opened.on('error', (error) => fail(opened, `the thread of the solver failed: ${error.message}`))
    opened.on('exit', (code) => fail(opened, `the thread of the solver ended with code ${code}`))
    worker = opened
    return opened
  }
  const next = (): void => {
    if (current !== undefined) return
    const own = waiting.shift()
    if (own === undefined) return
    const left = own.endsAt - timers.now()
    if (isClosed || left <= 0) {
      own.settle(isClosed ? failed('the solver is closing') : failed('its time limit ended before the solver was free', 'NOT_FOUND'))
      next()
      return
    }
    const thread = worker ?? open()
    const stop = timers.after(left + own.graceMs, () => fail(thread, `the solver did not end in ${own.job.timeLimitMs} ms`, 'NOT_FOUND'))
    current = { own, stop }
    thread.postMessage({ ...own.job, timeLimitMs: left } satisfies Job)
  }
  return {
    solve(job, graceMs = GRACE_MS) {
      if (isClosed) return Promise.resolve(failed('the solver is closing'))
      if (current !== undefined && waiting.length >= maxWaiting) return Promise.resolve({ status: 'BUSY' })
      return new Promise((settle) => {
        waiting.push({ job, endsAt: timers.now() + job.timeLimitMs, graceMs, settle })
        next()
      })
    },
    async close() {
      isClosed = true
      const opened = worker
      worker = undefined
      if (current !== undefined) end(failed('the solver is closing'))
      next()
      await opened?.terminate()
    },
  }
}

const failed = (detail: string, status: 'FAILED' | 'NOT_FOUND' = 'FAILED'): Found => ({
  status,
  values: [],
  objective: null,
  bound: null,
  gap: null,
  nodes: 0,
  detail,
})
