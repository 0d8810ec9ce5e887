import { useSyncExternalStore } from 'react'
import { contact } from './use-freshness.ts'

/** One clock for everything that grows older on the page: a tick a second, for as long as somebody looks. */

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

/** The moment at which ages are reported: where the console shows the past, the clock stands. */
let stoppedAt: number | undefined

/** Stops the clock at a time, milliseconds since 1970; undefined: it goes on. */
export function stopClock(atMs: number | undefined): void {
  stoppedAt = atMs
  tick()
}

/** The time to report ages by, a second old at most; the component follows it. */
export const useShownNow = (): number => useSyncExternalStore(subscribe, () => stoppedAt ?? now + aheadMs)

/** The same outside of components. */
export const shownNow = (): number => stoppedAt ?? serviceNow()

/** Within so much the two clocks count as alike: the service reports its time in whole seconds. */
const ALIKE_MS = 1_500
/** How far the service's clock is ahead of this browser's, milliseconds, as its last answers reported. */
let aheadMs = 0

/** The service's time now, milliseconds since 1970. */
export const serviceNow = (): number => Date.now() + aheadMs

/** A time of the service by the clock of this browser. */
export const toBrowserTime = (serviceMs: number): number => serviceMs - aheadMs

/** Fetches, and reads the service's clock off the answer, which is news of the service in itself. */
export async function fetchAndRead(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init)
  contact.heard()
  const serverMs = Date.parse(response.headers.get('date') ?? '')
  if (!Number.isNaN(serverMs)) readClock(serverMs + 500 - Date.now())
  return response
}

/** Takes a new reading only where it differs from the last by more than a reading can be wrong: ages must not jump about. */
function readClock(readingMs: number): void {
  const next = Math.abs(readingMs) < ALIKE_MS ? 0 : readingMs
  if (Math.abs(next - aheadMs) > ALIKE_MS) aheadMs = next
}
