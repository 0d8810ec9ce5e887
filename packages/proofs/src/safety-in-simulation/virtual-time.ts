import type { Timers } from '@gantt/server/for-proofs'

/**
 * Virtual time. It advances to the next callback when no other work is left. Callbacks run in the order of their times. Callbacks with
 * equal times run in the order in which they were registered.
 */
export interface VirtualTime {
  /** Milliseconds since the simulation began. */
  readonly now: number
  /** Calls the function after this many milliseconds. Returns a function that cancels this. */
  after(ms: number, callback: () => void): () => void
  /** Advances the time to a moment. Between callbacks, all resolved promises are processed, and then `each` is called. */
  runUntil(end: number, each?: () => void): Promise<void>
}

interface Alarm {
  readonly at: number
  readonly order: number
  /** Null if the callback was cancelled. */
  callback: (() => void) | null
}

export function createVirtualTime(): VirtualTime {
  const heap: Alarm[] = []
  let now = 0
  let order = 0
  const isBefore = (a: Alarm, b: Alarm): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)
  const push = (alarm: Alarm): void => {
    let index = heap.push(alarm) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!isBefore(alarm, heap[parent] as Alarm)) break
      heap[index] = heap[parent] as Alarm
      index = parent
    }
    heap[index] = alarm
  }
  const pop = (): Alarm | undefined => {
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Alarm, heap[child] as Alarm)) child++
      if (!isBefore(heap[child] as Alarm, last)) break
      heap[index] = heap[child] as Alarm
      index = child
    }
    heap[index] = last
    return first
  }
  return {
    get now() {
      return now
    },
    after(ms, callback) {
      const alarm: Alarm = { at: now + Math.max(0, ms), order: order++, callback }
      push(alarm)
      return () => {
        alarm.callback = null
      }
    },
    async runUntil(end, each = () => {}) {
      await settled()
      for (;;) {
        const next = heap[0]
        if (next === undefined || next.at > end) break
        pop()
        if (next.callback === null) continue
        now = next.at
        next.callback()
        await settled()
        each()
      }
      now = Math.max(now, end)
    },
  }
}

/**
 * The timers of a process. Its clock starts at `base` and runs at `rate`, slightly fast or slow. No timer fires after the process ended.
 */
export function createProcessTimers(time: VirtualTime, { base, rate }: { readonly base: number; readonly rate: number }) {
  let isAlive = true
  let resumesAt = 0
  const after = (ms: number, callback: () => void): (() => void) => {
    let cancel = (): void => {}
    const wait = (left: number): void => {
      cancel = time.after(left, () => {
        // Callbacks that are due while the process is paused run when it continues.
        if (time.now < resumesAt) wait(resumesAt - time.now)
        else if (isAlive) callback()
      })
    }
    wait(ms / rate)
    return () => cancel()
  }
  const timers: Timers = {
    now: () => base + time.now * rate,
    after,
    every(ms, callback) {
      let cancel = (): void => {}
      const again = (): void => {
        cancel = after(ms, () => {
          again()
          callback()
        })
      }
      again()
      return () => cancel()
    },
  }
  return {
    timers,
    /** Pauses the process for a number of milliseconds, as a long garbage collection does. */
    stall(ms: number) {
      resumesAt = time.now + ms
    },
    kill() {
      isAlive = false
    },
  }
}

/** Resolves once all code that waits only for promises has continued. The simulation has no real input or output to wait for. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
