import { realTimers, type Timers } from '../timers.ts'

/** The milliseconds that all long work together may use in one turn of the event loop. */
const TURN_MS = 4
/** The milliseconds in which calls are started in one turn. */
const ADMIT_MS = 8

/**
 * Divides the turns of the event loop among all long work of this process. Work waits for a later turn, in order of arrival, if the present
 * one has no time left. So a hundred long queries delay a short one no longer than a single one does.
 */
export interface Turns {
  /**
   * Called between two steps of long work. Returns undefined while this turn has time left, otherwise a promise that the work must await.
   */
  pause(): Promise<void> | undefined
  /** Like `pause`, for a call that has not started. Calls that arrive together start in several turns. */
  admit(): Promise<void> | undefined
}

export function createTurns({ now, after }: Timers): Turns {
  /** The time of the first step in this turn; undefined before it. */
  let begunAt: number | undefined
  let isEndAwaited = false
  const waiting: (() => void)[] = []

  const next = async (): Promise<void> => {
    isEndAwaited = false
    begunAt = undefined
    if (waiting.length === 0) return
    begin()
    for (const go of waiting.splice(0, 1)) go()
    // a resumed task runs up to its next pause before the next one is resumed
    await Promise.resolve()
    while (waiting.length > 0 && isLeft(TURN_MS)) {
      for (const go of waiting.splice(0, 1)) go()
      await Promise.resolve()
    }
  }
  const begin = (): void => {
    begunAt ??= now()
    if (isEndAwaited) return
    isEndAwaited = true
    after(0, () => void next())
  }
  const isLeft = (ms: number): boolean => now() - (begunAt ?? now()) < ms
  const unlessLeft = (ms: number): Promise<void> | undefined => {
    begin()
    return isLeft(ms) ? undefined : new Promise((resolve) => void waiting.push(resolve))
  }
  return { pause: () => unlessLeft(TURN_MS), admit: () => unlessLeft(ADMIT_MS) }
}

/** The turns of this process. */
export const turns: Turns = createTurns(realTimers)

const known = new WeakMap<Timers, Turns>([[realTimers, turns]])

const turnsOf = (timers: Timers): Turns => {
  const found = known.get(timers) ?? createTurns(timers)
  known.set(timers, found)
  return found
}

/**
 * Called between two steps of long work. After TURN_MS of long work it returns a promise that the work must await, so that the process can
 * do other things; otherwise undefined.
 */
export const createPause = (timers: Timers = realTimers): (() => Promise<void> | undefined) => turnsOf(timers).pause

/** Runs long work of the service itself to its end. At its pauses the process does other things. */
export async function inPieces<Result>(work: Generator<void, Result>, timers: Timers = realTimers): Promise<Result> {
  const due = createPause(timers)
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    const pause = due()
    if (pause !== undefined) await pause
  }
}
