import { useSyncExternalStore } from 'react'

/** One clock for everything that grows older on the page: a tick a second, for as long as somebody looks. */

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

/** This browser's time, a second old at most; the component follows it. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now)

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

/** Within so much the two clocks count as alike: the service tells its time in whole seconds. */
const ALIKE_MS = 1_500
let aheadMs = 0

/** How far the service's clock is ahead of this browser's, milliseconds, as its last answers told. */
export const serviceAheadMs = (): number => aheadMs

/** The service's time now, milliseconds since 1970. */
export const serviceNow = (): number => Date.now() + aheadMs

/** Fetches, and reads the service's clock off the answer. */
export async function fetchAndRead(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init)
  const toldMs = Date.parse(response.headers.get('date') ?? '')
  if (!Number.isNaN(toldMs)) readClock(toldMs + 500 - Date.now())
  return response
}

/** Takes a new reading only where it differs from the last by more than a reading can be wrong: ages must not jump about. */
function readClock(readingMs: number): void {
  const next = Math.abs(readingMs) < ALIKE_MS ? 0 : readingMs
  if (Math.abs(next - aheadMs) > ALIKE_MS) aheadMs = next
}
