import type { Clock } from '@gantt/client'

export interface StatesOptions {
  /** The present states, as JSON. */
  readonly states: () => string
  /** Sends states. Returns true if the service accepted them. Must not reject. */
  readonly send: (states: string) => Promise<boolean>
  /** Sends a question that has no content, and whose answer says what profiles read. Must not reject. */
  readonly ask: () => Promise<void>
  /** True if the agent has to learn soon what profiles read, because the namespace of a collector is not read. */
  readonly isAsking: () => boolean
  /** Accepted states are repeated after this time, in milliseconds. Infinity: they are not repeated. */
  readonly repeatMs: number
  /** How many changes may be sent in a row. */
  readonly burst: number
  readonly signal: AbortSignal
  readonly clock: Clock
}

export interface States {
  /** Must be called after the states changed. */
  changed(): void
  /** Must be called after `isAsking` has become true. */
  asking(): void
  /** Must be called when the service has begun to know the host: it accepts states from then on. */
  known(): void
  /** Resolves after the signal has aborted. Never rejects. */
  readonly ended: Promise<void>
}

/** A timer cannot wait longer. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

/** While no profile reads the namespace of a collector, the agent asks at this interval, in milliseconds, what profiles read. */
export const ASK_MS = 20_000
/** The states are repeated after this time, so that they do not become too old. Also the longest pause after a failure. */
export const REPEAT_MS = 240_000
/** The pause after the first failure. It doubles with each further one. */
const RETRY_MS = 20_000

/**
 * Sends the states of collectors when they change, and repeats them, until the signal aborts. States that were not accepted are
 * sent again after a growing pause. While a namespace is not read, the states are repeated every ASK_MS, because the answer says what is
 * read; if they are not accepted, the agent asks without them. Each change is an entry of the service's log. So after `burst` changes in a
 * row there is at most one in each REPEAT_MS, and until then the states that were accepted last are repeated: the service does not write
 * unchanged states to its log.
 */
export function reportStates({ states, send, ask, isAsking, repeatMs, burst, signal, clock }: StatesOptions): States {
  let wake = new AbortController()
  let accepted: string | undefined
  let failures = 0
  let reportAt = clock.now() + REPEAT_MS
  const changes = createAllowance(burst, clock.now())

  const report = async (): Promise<void> => {
    const present = states()
    const isSent = present === accepted || accepted === undefined || changes.take(clock.now())
    const sent = isSent ? present : (accepted ?? present)
    const isAccepted = await send(sent)
    if (isAccepted) accepted = sent
    failures = isAccepted ? 0 : failures + 1
    const pauseMs = failures > 0 ? Math.min(REPEAT_MS, RETRY_MS * 2 ** (failures - 1)) : isAsking() ? ASK_MS : repeatMs
    reportAt = clock.now() + pauseMs
    // the states may have changed meanwhile, or could not be sent because there were too many changes
    if (failures === 0 && states() !== accepted) reportAt = Math.min(reportAt, changes.nextAt(clock.now()))
  }
  const reportAgain = async (): Promise<void> => {
    while (!signal.aborted) {
      const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(0, reportAt - clock.now()))
      await clock.wait(waitMs, AbortSignal.any([signal, wake.signal])).catch(() => undefined)
      wake = new AbortController()
      if (!signal.aborted && clock.now() >= reportAt) await report()
    }
  }
  const askAgain = async (): Promise<void> => {
    while (!signal.aborted) {
      await clock.wait(ASK_MS, signal).catch(() => undefined)
      if (!signal.aborted && failures > 0 && isAsking()) await ask()
    }
  }
  return {
    changed() {
      if (failures > 0) return
      reportAt = Math.min(reportAt, changes.nextAt(clock.now()))
      wake.abort()
    },
    asking() {
      // while states are not accepted, the agent asks without them
      if (failures > 0) return
      reportAt = Math.min(reportAt, clock.now() + ASK_MS)
      wake.abort()
    },
    known() {
      reportAt = clock.now()
      wake.abort()
    },
    // sending states can take long, so the agent asks independently of it
    ended: Promise.resolve().then(async () => void (await Promise.all([reportAgain(), askAgain()]))),
  }
}

/** Allows `most` changes in a row, and one more after each REPEAT_MS. */
function createAllowance(most: number, start: number) {
  let left = most
  let since = start
  const refill = (now: number): void => {
    const more = Math.floor((now - since) / REPEAT_MS)
    since = left + more >= most ? now : since + more * REPEAT_MS
    left = Math.min(most, left + more)
  }
  return {
    /** Uses one change. False if none is left. */
    take(now: number): boolean {
      refill(now)
      if (left === 0) return false
      left--
      return true
    },
    /** When the next change is allowed. */
    nextAt(now: number): number {
      refill(now)
      return left > 0 ? now : since + REPEAT_MS
    },
  }
}
