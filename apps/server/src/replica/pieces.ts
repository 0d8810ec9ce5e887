import { realTimers, type Timers } from '../timers.ts'

/** How long work goes on before the process may do other things. */
const PIECE_MS = 4

/**
 * For work of many steps, to be called between two of them: answers what to wait for once the work has gone on for long enough,
 * so that the process does other things; undefined before.
 */
export function createPause(timers: Timers = realTimers): () => Promise<void> | undefined {
  let since = timers.now()
  const pause = async (): Promise<void> => {
    await new Promise<void>((resolve) => void timers.after(0, resolve))
    since = timers.now()
  }
  return () => (timers.now() - since < PIECE_MS ? undefined : pause())
}

/** Runs long work to its end, and lets the process do other things at the pauses that the work offers. */
export async function inPieces<Result>(work: Generator<void, Result>, timers: Timers = realTimers): Promise<Result> {
  const due = createPause(timers)
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    const pause = due()
    if (pause !== undefined) await pause
  }
}
