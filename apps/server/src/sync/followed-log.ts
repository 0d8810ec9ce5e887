import type { Place } from '@gantt/scheduler-core'
import type { Timers } from '../timers.ts'
import { DOUBT_MS } from './doubt.ts'
import type { Synchronizer } from './synchronizer.ts'

/**
 * The last entry of a log in the tables; revision 0 if there is none. The id is empty if the tables were last written by an old release.
 */
export type Followed = Pick<Place, 'revision' | 'id'>

const RETRY_DELAY_MS = 500

/**
 * Explains why a log is not the log that the tables have followed. Undefined if the log contains the last entry in the tables, or begins
 * after it. If a cluster shows fewer entries, it is queried again for DOUBT_MS, because a newly elected leader may show fewer for a while.
 */
export async function findMismatch(
  { past, engine, flushing }: Pick<Synchronizer, 'past' | 'engine' | 'flushing'>,
  followed: Followed,
  timers: Timers,
): Promise<string | undefined> {
  const { revision, id } = followed
  if (revision === 0) return undefined
  const doubtMs = (flushing.copies ?? 1) > 1 ? DOUBT_MS : 0
  const tables = `the tables of the database contain a log up to revision ${revision}`
  for (const end = timers.now() + doubtMs; ; await new Promise<void>((resolve) => void timers.after(RETRY_DELAY_MS, resolve))) {
    const found = (await past.placeAt(revision))?.id
    if (found !== undefined)
      return found === id || id === ''
        ? undefined
        : `(${engine}) has entry ${found} at revision ${revision}, and ${tables}, with entry ${id} there`
    const { firstRevision, firstAt } = await past.retention()
    if (firstAt !== null && revision < firstRevision) return undefined
    if (timers.now() >= end) return `(${engine}) is ${firstAt === null ? 'empty' : 'shorter'}, and ${tables}`
  }
}

/** The message for operators: the mismatch, its consequence, and what to do. */
export const mismatchText = (mismatch: string): string =>
  `The log that GANTT_SYNC names ${mismatch}: with this log, claims would be lost. Set GANTT_SYNC to its former value, or restore the log; a new fleet needs a database of its own.`
