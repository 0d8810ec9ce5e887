/**
 * When what is shown counts as current. Two things make it so: the page is in contact with the service, and the data itself was
 * read again when it was due. Times are milliseconds by the clock of this browser.
 */

/** After so long without news a live element says so. */
export const SILENT_AFTER_MS = 3_000
/** The state of a replica is up to about a second old in quiet times; so much is no sign of trouble. */
const USUAL_STATE_AGE_MS = 2_000

export interface Contact {
  /** When anything was heard of the service last. */
  readonly heardAtMs: number
  /** How old the state of the replica was then, by its own account. */
  readonly stateAgeMs: number
  /** When this page went on after it had not run (a sleeping computer, a hidden tab, a long task): silence is counted from there at the earliest. */
  readonly resumedAtMs: number
}

export interface Source {
  /** When it was read; 0: not yet. */
  readonly readAtMs: number
  /** Instances it is read again; undefined: not by itself, or a stream brings it. */
  readonly everyMs?: number | undefined
}

/** How long there has been no news from the service, milliseconds; undefined while there is contact. */
export function silenceOf({ heardAtMs, stateAgeMs, resumedAtMs }: Contact, nowMs: number): number | undefined {
  const lateMs = Math.max(0, stateAgeMs - USUAL_STATE_AGE_MS)
  const silentMs = nowMs - heardAtMs + lateMs
  const countedMs = nowMs - Math.max(heardAtMs, resumedAtMs) + lateMs
  return countedMs >= SILENT_AFTER_MS ? silentMs : undefined
}

/**
 * How long there has been no news of this source, milliseconds; undefined while it is current. What is read rarely is current
 * between two readings as long as there is contact; a reading that is overdue is not, whatever else answers.
 */
export function silenceOfSource({ readAtMs, everyMs }: Source, contact: Contact, nowMs: number): number | undefined {
  const silentMs = silenceOf(contact, nowMs)
  if (silentMs !== undefined) return silentMs
  if (everyMs === undefined || readAtMs === 0) return undefined
  const dueMs = nowMs - Math.max(readAtMs, contact.resumedAtMs)
  return dueMs >= everyMs + SILENT_AFTER_MS ? nowMs - readAtMs : undefined
}
