/**
 * Defines when shown data is treated as current. There are two conditions: the page is in contact with the service, and the last automatic
 * read of the data is not overdue. Times are milliseconds by the clock of this browser.
 */

/** After this many milliseconds without news from the service, elements with live data show that the data is possibly outdated. */
export const SILENT_AFTER_MS = 3_000
/** The state of a replica normally is at most this old, in milliseconds. If nothing changes, the state is about a second old. */
const USUAL_STATE_AGE_MS = 2_000

export interface Contact {
  /** The time of the last message from the service. */
  readonly heardAtMs: number
  /** The age of the replica's state when it sent the last message, as the replica reported it. */
  readonly stateAgeMs: number
  /** When this page last resumed after a sleep, after being hidden, or after a long task. Silence is not counted from an earlier time. */
  readonly resumedAtMs: number
}

export interface Source {
  /** The time at which the data was read. 0 if the data was not read yet. */
  readonly readAtMs: number
  /** The interval of automatic reads in milliseconds. Undefined if there are none, or if a stream updates the data. */
  readonly everyMs?: number | undefined
}

/** For how many milliseconds there has been no news from the service. Undefined while there is contact. */
export function silenceOf({ heardAtMs, stateAgeMs, resumedAtMs }: Contact, nowMs: number): number | undefined {
  const lateMs = Math.max(0, stateAgeMs - USUAL_STATE_AGE_MS)
  const silentMs = nowMs - heardAtMs + lateMs
  const countedMs = nowMs - Math.max(heardAtMs, resumedAtMs) + lateMs
  return countedMs >= SILENT_AFTER_MS ? silentMs : undefined
}

/**
 * For how many milliseconds this data has not been current. Undefined while it is current. Between two reads, data is current as long as
 * there is contact. If a read is overdue, the data is not current, even if the service answers other calls.
 */
export function silenceOfSource({ readAtMs, everyMs }: Source, contact: Contact, nowMs: number): number | undefined {
  const silentMs = silenceOf(contact, nowMs)
  if (silentMs !== undefined) return silentMs
  if (everyMs === undefined || readAtMs === 0) return undefined
  const dueMs = nowMs - Math.max(readAtMs, contact.resumedAtMs)
  return dueMs >= everyMs + SILENT_AFTER_MS ? nowMs - readAtMs : undefined
}
