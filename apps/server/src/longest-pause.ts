/** The sampling interval in milliseconds: a measured pause is too short by at most this. */
const EVERY_MS = 5

/** The longest time in milliseconds for which the process did not yield. Calls wait during that time. */
export interface Pause {
  readonly wallMs: number
  /**
   * The longest such time in processor time of this process. It can be that of another pause than `wallMs`. Time in which other processes
   * ran is not included.
   */
  readonly cpuMs: number
}

export interface PauseWatch {
  /** Returns the longest time without a yield since the last call of this function. */
  take(): Pause
  close(): void
}

export function watchPauses(): PauseWatch {
  let [wallMs, cpuMs] = [0, 0]
  let at = performance.now()
  let used = cpuTime()
  const look = (): void => {
    const [now, usedNow] = [performance.now(), cpuTime()]
    const wall = Math.max(0, now - at - EVERY_MS)
    wallMs = Math.max(wallMs, wall)
    cpuMs = Math.max(cpuMs, Math.min(wall, usedNow - used))
    at = now
    used = usedNow
  }
  const timer = setInterval(look, EVERY_MS)
  timer.unref()
  return {
    take() {
      look()
      const longest = { wallMs, cpuMs }
      wallMs = 0
      cpuMs = 0
      return longest
    },
    close: () => clearInterval(timer),
  }
}

/** The CPU time of the whole process, milliseconds. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
