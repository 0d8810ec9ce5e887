/**
 * Defines when shown data counts as current. There are two conditions: the page is in contact with the service, and the data was read
 * again when it was due. Times are milliseconds by the clock of this browser.
 */

/** After this time without news, a live element shows that it may be outdated. */
export const SILENT_AFTER_MS = 3_000
/** The normal age of a replica's state. If nothing changes, the state is about a second old. */
const USUAL_STATE_AGE_MS = 2_000

export interface Contact {
  /** The time of the last message from the service. */
  readonly heardAtMs: number
  /** The age of the replica's state at that time, as the replica reports it. */
  readonly stateAgeMs: number
  /** When this page last resumed after a sleep, a hidden tab or a long task; silence is counted from this time at the earliest. */
  readonly resumedAtMs: number
}

export interface Source {
  /** The time of the read; 0 if the data was not read yet. */
  readonly readAtMs: number
  /** The interval of reads, milliseconds; undefined if the data is not read automatically, or if a stream updates it. */
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
 * How long there has been no news of this source, milliseconds; undefined while it is current. Data is current between two reads as long
 * as there is contact. If a read is overdue, the data is not current, even if the service answers other calls.
 */
export function silenceOfSource({ readAtMs, everyMs }: Source, contact: Contact, nowMs: number): number | undefined {
  const silentMs = silenceOf(contact, nowMs)
  if (silentMs !== undefined) return silentMs
  if (everyMs === undefined || readAtMs === 0) return undefined
  const dueMs = nowMs - Math.max(readAtMs, contact.resumedAtMs)
  return dueMs >= everyMs + SILENT_AFTER_MS ? nowMs - readAtMs : undefined
}
