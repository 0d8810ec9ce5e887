import { realTimers, type Timers } from '../timers.ts'

/** How long work goes on before the process may do other things. */
const PIECE_MS = 4

/** Runs long work to its end, and lets the process do other things at the pauses that the work offers. */
export async function inPieces<Result>(work: Generator<void, Result>, timers: Timers = realTimers): Promise<Result> {
  let since = timers.now()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (timers.now() - since < PIECE_MS) continue
    await new Promise<void>((resolve) => void timers.after(0, resolve))
    since = timers.now()
  }
}
