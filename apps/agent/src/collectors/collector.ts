import type { Clock, ResourceName } from '@gantt/client'
import { collectOnce } from './collect.ts'
import type { Collected } from './output.ts'
import type { CollectorError } from './processes/run-process.ts'
import type { CollectorSettings } from './settings.ts'

/**
 * The state of a collector. WAITING: it has not been run yet. SENDING: its last document was accepted. SLOWED: as SENDING, but it is run
 * at the slow interval, because no profile reads its namespace. PAUSED: it is not run for that reason. FAILING: its last run failed, or
 * its document was refused.
 */
export type CollectorState = 'WAITING' | 'SENDING' | 'SLOWED' | 'PAUSED' | 'FAILING'

/** The state of a collector, as the agent logs and reports it. */
export interface CollectorView {
  readonly name: string
  readonly namespace: string
  readonly state: CollectorState
  /** Since when it is in this state, in milliseconds since 1970 by the clock of the host. */
  readonly since: number
  /** The present interval in seconds. Null while it is paused. */
  readonly intervalSeconds: number | null
  /** The last error, and when it first occurred. Null if no run failed yet, or if a later run succeeded. */
  readonly error: (CollectorError & { readonly at: number }) | null
  /** When the last good document was collected. Null if there is none. */
  readonly lastGoodAt: number | null
}

/** The result of sending a document to the service. */
export type Delivery = 'accepted' | 'unsent' | { readonly error: CollectorError }

export interface CollectorOptions {
  readonly settings: CollectorSettings
  readonly name: ResourceName
  /** Sends a document to the service. Must not reject. */
  readonly deliver: (collected: Collected) => Promise<Delivery>
  /** Called after the state, the interval or the error changed. */
  readonly changed: (view: CollectorView) => void
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number
}

export interface Collector {
  readonly view: CollectorView
  /** Must be called when it becomes known whether a profile reads the namespace. The collector is not run before. */
  setRead(isRead: boolean): void
  /** Resolves after the signal has aborted, and the process of a run has ended or was given up. Never rejects. */
  readonly ended: Promise<void>
}

/** A message that a collector prints can differ in each run. In the reported state a message of the same code is replaced after this time. */
const SAME_ERROR_MS = 300_000
/** The pause before a document is sent again the first time. It doubles each time, up to LONGEST_PAUSE_MS. */
const FIRST_PAUSE_MS = 20_000
const LONGEST_PAUSE_MS = 240_000

/** Runs a collector at its interval, until the signal aborts. The next run begins after all processes of the previous one have ended. */
export function startCollector({ settings, name, deliver, changed, signal, clock, now }: CollectorOptions): Collector {
  let isRead: boolean | undefined
  let wake = new AbortController()
  let view: CollectorView = {
    ...{ name: settings.name, namespace: settings.namespace, state: 'WAITING', since: now() },
    ...{ intervalSeconds: settings.intervalSeconds, error: null, lastGoodAt: null },
  }
  const interval = (): number | null => intervalOf(settings, isRead)
  const stateAfter = (error: CollectorError | null): CollectorState => {
    if (interval() === null) return 'PAUSED'
    if (error !== null) return 'FAILING'
    return isRead === true ? 'SENDING' : 'SLOWED'
  }
  const become = (state: CollectorState, change: Partial<Pick<CollectorView, 'error' | 'lastGoodAt'>> = {}): void => {
    const next = { ...view, ...change, state, since: state === view.state ? view.since : now(), intervalSeconds: interval() }
    const isChanged = hasChanged(view, next)
    view = next
    if (isChanged) changed(view)
  }
  const failed = (error: CollectorError, isNamed = false): void => {
    const { error: last } = view
    const isRecent = last !== null && now() - last.at < SAME_ERROR_MS && !isNamed
    const isSame = last !== null && last.code === error.code && (last.text === error.text || isRecent)
    become(stateAfter(error), { error: isSame ? last : { ...error, at: now() } })
  }
  /** Sends a document. If the service cannot be reached, sends it again after growing pauses, until the next run is due. */
  const deliverUntilDue = async (collected: Collected, collectedAt: number): Promise<Delivery> => {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)) {
      const delivery = await deliver(collected)
      const seconds = interval()
      if (delivery !== 'unsent' || signal.aborted || seconds === null || now() + pauseMs >= collectedAt + seconds * 1_000) return delivery
      await clock.wait(pauseMs, signal).catch(() => undefined)
    }
  }
  /** Resolves when no process of the last run is left. */
  let remains: Promise<void> | undefined
  const runOnce = async (): Promise<void> => {
    const result = await collectOnce(settings, name, signal)
    if ('error' in result) remains = result.remains
    if (signal.aborted) return
    if ('error' in result) {
      // the number of a process that does not end must be shown, even if the run before failed for the same reason
      failed(result.error, remains !== undefined)
      return
    }
    const collectedAt = now()
    const delivery = await deliverUntilDue(result.collected, collectedAt)
    // whether the service can be reached says nothing about the collector
    if (delivery === 'unsent' || signal.aborted) return
    if (delivery !== 'accepted') failed(delivery.error)
    else become(stateAfter(null), { error: null, lastGoodAt: collectedAt })
  }
  const pause = async (ms: number): Promise<void> => {
    wake = new AbortController()
    await clock.wait(ms, AbortSignal.any([signal, wake.signal])).catch(() => undefined)
  }
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      if (isRead !== undefined && interval() !== null) await runOnce()
      const seconds = isRead === undefined ? null : interval()
      if (isRead !== undefined && seconds === null) become('PAUSED')
      if (!signal.aborted) await pause(seconds === null ? FOREVER_MS : seconds * 1_000)
      // while a process does not end, no second one is started
      if (remains !== undefined) await beforeAbort(remains, signal)
      remains = undefined
    }
  }
  return {
    get view() {
      return view
    },
    setRead(next) {
      if (next === isRead) return
      isRead = next
      // A run in progress ends first. If nothing reads its namespace any more, its document is the last one.
      wake.abort()
    },
    ended: follow(),
  }
}

/** The time between two runs in seconds. Null if the collector is not run. */
function intervalOf({ intervalSeconds, slowIntervalSeconds, whileUnread }: CollectorSettings, isRead: boolean | undefined): number | null {
  if (isRead === true) return intervalSeconds
  return whileUnread === 'slow' ? slowIntervalSeconds : null
}

/** True if a state differs from the one before by more than the time of the last document. */
const hasChanged = (before: CollectorView, after: CollectorView): boolean =>
  after.state !== before.state ||
  after.intervalSeconds !== before.intervalSeconds ||
  after.error?.code !== before.error?.code ||
  after.error?.at !== before.error?.at

/** Resolves with the promise, or when the signal aborts. */
function beforeAbort(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
    promise.then(done, done)
  })
}

/** A timer cannot wait longer. */
const FOREVER_MS = 2 ** 31 - 1
