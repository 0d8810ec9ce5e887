import { useSyncExternalStore } from 'react'
import { contact } from './use-freshness.ts'

/** The clock for all ages on the page. It ticks once a second while an age is shown. */

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(tick, 1_000)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

/** The time at which the clock is stopped while the console shows the past. Undefined while it runs. */
let stoppedAt: number | undefined

/** Stops the clock at a time in milliseconds since 1970. Undefined lets the clock run again. */
export function stopClock(atMs: number | undefined): void {
  stoppedAt = atMs
  tick()
}

/** A hook that returns the time for computing ages, at most a second old. */
export const useShownNow = (): number => useSyncExternalStore(subscribe, () => stoppedAt ?? now + aheadMs)

/** The time for computing ages, outside of components. */
export const shownNow = (): number => stoppedAt ?? serviceNow()

/**
 * A difference between the clocks of the service and of the browser is ignored if it is smaller than this many milliseconds, because the
 * service reports its time in whole seconds.
 */
const TOLERANCE_MS = 1_500
/** By how many milliseconds the service's clock is ahead of the browser's clock, according to the last answers. */
let aheadMs = 0

/** The service's time now, milliseconds since 1970. */
export const serviceNow = (): number => Date.now() + aheadMs

/** Converts a time of the service to the clock of this browser. */
export const toBrowserTime = (serviceMs: number): number => serviceMs - aheadMs

/** Fetches a URL, and reads the service's clock from the answer. Also records the answer as contact with the service. */
export async function fetchAndRead(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init)
  contact.heard()
  const serverMs = Date.parse(response.headers.get('date') ?? '')
  if (!Number.isNaN(serverMs)) readClock(serverMs + 500 - Date.now())
  return response
}

/**
 * Stores a measured difference between the clocks, if it differs from the stored difference by more than TOLERANCE_MS, the error of a
 * measurement. Otherwise ages would jump.
 */
function readClock(readingMs: number): void {
  const next = Math.abs(readingMs) < TOLERANCE_MS ? 0 : readingMs
  if (Math.abs(next - aheadMs) > TOLERANCE_MS) aheadMs = next
}
