import { realTimers, type Timers } from '../timers.ts'

/** In one turn of the event loop, all long work together is given this many milliseconds. */
export const TURN_MS = 4
/** In one turn of the event loop, calls are started for this many milliseconds. */
const ADMIT_MS = 8

/**
 * Divides the turns of the event loop among all long work of this process. Work whose turn has no time left waits for a later turn, in the
 * order of arrival. A hundred long queries therefore delay a short one no longer than a single long query does.
 */
export interface Turns {
  /**
   * Called between two steps of long work. Returns undefined while this turn has time left, otherwise a promise that the work must await.
   */
  pause(): Promise<void> | undefined
  /** Like `pause`, for a call that has not started. Calls that arrive together start in several turns. */
  admit(): Promise<void> | undefined
}

/** Resolves when the work that was just resumed has yielded: Node calls back after all pending microtasks. */
const untilYielded = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))

export function createTurns({ now, after }: Timers): Turns {
  /** The time of the first step in this turn; undefined before that step. */
  let begunAt: number | undefined
  let isEndAwaited = false
  const waiting: (() => void)[] = []

  const next = async (): Promise<void> => {
    isEndAwaited = false
    begunAt = undefined
    if (waiting.length === 0) return
    begin()
    // `untilYielded` waits for all pending microtasks only if it is called from a microtask
    await Promise.resolve()
    do {
      for (const go of waiting.splice(0, 1)) go()
      await untilYielded()
    } while (waiting.length > 0 && isLeft(TURN_MS))
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
 * Returns a function that long work calls between two steps. After TURN_MS of long work, the function returns a promise that the work must
 * await, so that the process can do other things. Otherwise it returns undefined.
 */
export const createPause = (timers: Timers = realTimers): (() => Promise<void> | undefined) => turnsOf(timers).pause

/** Runs long work of the service itself to its end. When the work yields, the process does other things. */
export async function runYielding<Result>(work: Generator<void, Result>, timers: Timers = realTimers): Promise<Result> {
  const due = createPause(timers)
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    const pause = due()
    if (pause !== undefined) await pause
  }
}
