import { realTimers, type Timers } from '../timers.ts'

/** The time that all long work together may take in one turn of the event loop, milliseconds. */
const TURN_MS = 4
/** The time for which calls are admitted in one turn. */
const ADMIT_MS = 8

/**
 * The turns of the event loop, shared by all work of this process that is long: what one turn has no time left for waits for a later one,
 * in the order in which it came. So a hundred long questions hold up a short one for no longer than one does.
 */
export interface Turns {
  /** To be called between two steps: undefined while this turn has time left, else what to wait for. */
  pause(): Promise<void> | undefined
  /** As `pause`, for a call that has not begun: many that arrive together are begun in several turns. */
  admit(): Promise<void> | undefined
}

export function createTurns({ now, after }: Timers): Turns {
  /** The time of the first step of this turn; undefined until a step begins. */
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
 * For work of many steps, to be called between two of them: answers what to wait for once all long work has gone on for long enough,
 * so that the process does other things; undefined before.
 */
export const createPause = (timers: Timers = realTimers): (() => Promise<void> | undefined) => turnsOf(timers).pause

/** Runs long work of the service's own to its end, and lets the process do other things at the pauses that the work offers. */
export async function inPieces<Result>(work: Generator<void, Result>, timers: Timers = realTimers): Promise<Result> {
  const due = createPause(timers)
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    const pause = due()
    if (pause !== undefined) await pause
  }
}
