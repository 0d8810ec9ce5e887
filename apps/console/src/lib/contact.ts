import { type Contact, type Source, silenceOf, silenceOfSource } from './freshness.ts'

/**
 * Whether this page is in contact with the service: the one place that knows. Every sign of it counts: an answer to any request,
 * an event or a heartbeat of any stream.
 */

/** Instances it is looked whether the service fell silent. */
export const LOOK_MS = 1_000
/** A look that comes so late: the page did not run meanwhile, and what came waits behind the look. */
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
    /** Something came from the service; `stateAgeMs`: and it shown how old what it knows is. */
    heard(stateAgeMs = current.stateAgeMs): void {
      current = { ...current, heardAtMs: now(), stateAgeMs }
      notice()
    },
    /** Called each second while somebody may look. */
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
    /** Calls after each look, and whenever contact is lost or comes back; answers how to end that. */
    onLook(listener: () => void): () => void {
      looking.add(listener)
      return () => void looking.delete(listener)
    },
    /** Calls when contact comes back after it was lost: what was missed meanwhile is to be read. Answers how to end that. */
    onReturn(listener: () => void): () => void {
      returning.add(listener)
      return () => void returning.delete(listener)
    },
  }
}
