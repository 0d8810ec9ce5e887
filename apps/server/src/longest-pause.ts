import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How often the process is looked at, milliseconds: a pause is known to be as long as this at most too long. */
const EVERY_MS = 2

/** Measures for how long this process does one thing only, so that calls wait. */
export interface PauseWatch {
  /** The longest pause since the last time this was asked, milliseconds. */
  take(): number
  close(): void
}

export function watchPauses(): PauseWatch {
  const delays = monitorEventLoopDelay({ resolution: EVERY_MS })
  delays.enable()
  return {
    take() {
      // nanoseconds; it holds the time between two looks, so that the usual distance is no pause
      const longest = Math.max(0, delays.max / 1e6 - EVERY_MS)
      delays.reset()
      return longest
    },
    close: () => void delays.disable(),
  }
}
