import { type Contact, type Source, silenceOf, silenceOfSource } from './freshness.ts'

/**
 * Detects whether this page is in contact with the service. All other code of the console gets this fact from this module. Every message
 * proves contact: an answer to any request, an event, or a heartbeat of any stream.
 */

/** The interval in milliseconds at which the page checks whether the service is silent. */
export const POLL_INTERVAL_MS = 1_000
/**
 * If at least this many milliseconds have passed since the last check, the page was asleep or busy. Messages that arrived meanwhile are
 * processed only after the check.
 */
const LATE_MS = 2_000

export interface Clock {
  now(): number
}

export function createContact({ now }: Clock) {
  const looking = new Set<() => void>()
  const returning = new Set<() => void>()
  let current: Contact = { heardAtMs: now(), stateAgeMs: 0, resumedAtMs: now() }
  let lookedAtMs = now()
  let isLost = false

  const notice = (): void => {
    const wasLost = isLost
    isLost = silenceOf(current, now()) !== undefined
    if (wasLost && !isLost) for (const listener of returning) listener()
    if (wasLost !== isLost) for (const listener of looking) listener()
  }
  const resume = (): void => {
    current = { ...current, resumedAtMs: now() }
  }
  return {
    /** Records a message from the service. `stateAgeMs` is the age of the service's state, if the message contains it. */
    heard(stateAgeMs = current.stateAgeMs): void {
      current = { ...current, heardAtMs: now(), stateAgeMs }
      notice()
    },
    /** Checks whether the service is silent. Must be called once a second. */
    look(): void {
      const at = now()
      if (at - lookedAtMs >= LATE_MS) resume()
      lookedAtMs = at
      notice()
      for (const listener of looking) listener()
    },
    resume,
    silence: (): number | undefined => silenceOf(current, now()),
    silenceOfSource: (source: Source): number | undefined => silenceOfSource(source, current, now()),
    /** Calls the listener after each check, and whenever contact is lost or restored. Returns a function that removes the listener. */
    onLook(listener: () => void): () => void {
      looking.add(listener)
      return () => void looking.delete(listener)
    },
    /** Calls the listener when contact is restored, so that missed changes can be read. Returns a function that removes the listener. */
    onReturn(listener: () => void): () => void {
      returning.add(listener)
      return () => void returning.delete(listener)
    },
  }
}
