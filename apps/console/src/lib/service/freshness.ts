/**
 * When shown data counts as current. Two conditions: the page is in contact with the service, and the data itself was
 * read again when it was due. Times are milliseconds by the clock of this browser.
 */

/** After this long without news a live element shows that. */
export const SILENT_AFTER_MS = 3_000
/** The state of a replica may be about a second old when nothing changes; this age is normal. */
const USUAL_STATE_AGE_MS = 2_000

export interface Contact {
  /** The time of the last message from the service. */
  readonly heardAtMs: number
  /** The age of the replica's state at that time, by its own account. */
  readonly stateAgeMs: number
  /** When this page last resumed after a sleep, a hidden tab or a long task; silence is counted from this time at the earliest. */
  readonly resumedAtMs: number
}

export interface Source {
  /** The time of the read; 0: not yet. */
  readonly readAtMs: number
  /** The time of the next read; undefined: not automatic, or a stream updates it. */
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
 * How long there has been no news of this source, milliseconds; undefined while it is current. Rarely read data is
 * current between two reads as long as there is contact; with an overdue read it is not, whatever else answers.
 */
export function silenceOfSource({ readAtMs, everyMs }: Source, contact: Contact, nowMs: number): number | undefined {
  const silentMs = silenceOf(contact, nowMs)
  if (silentMs !== undefined) return silentMs
  if (everyMs === undefined || readAtMs === 0) return undefined
  const dueMs = nowMs - Math.max(readAtMs, contact.resumedAtMs)
  return dueMs >= everyMs + SILENT_AFTER_MS ? nowMs - readAtMs : undefined
}
