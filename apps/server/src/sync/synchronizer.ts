import type { Checkpoint, Entry, LogEntry, Place } from '@gantt/scheduler-core'
import type { Horizon, Retention } from './retention.ts'

/**
 * Keeps replicas in step: one ordered log, shared by all replicas of a fleet, and checkpoints of it.
 *
 * The law, which synchronizer.suite.ts holds every engine to:
 * - Revisions are 1, 2, 3, ... without a gap. Nothing at a durable place ever changes.
 * - `append` puts the entry into the log and answers its place. An engine that refuses early puts it right behind its basis
 *   or refuses; another one puts it behind the head, wherever that is by then. A refusal keeps dead entries out and is not
 *   what makes claims safe: every replica judges every entry when it applies it, at its place.
 * - Appended, counted and durable are three facts: a caller is answered when all three hold. An engine may release the
 *   order before the disk: what `append` accepted, and what `read` answers, may be lost by a crash of the store until
 *   `durable` says otherwise; a lost tail is always a suffix of the log. `past` answers what is durable only.
 * - After a StoreUnavailableError from `append` the outcome is unknown: the same entry is sent again, with the same id
 *   and basis, until the answer is certain. Of an engine that refuses early at most one of the copies is accepted; in the log
 *   of another one there may be several, of which the first counts and `apply` makes the others void.
 * - `at` is the stamp of a server, which may be behind the one before: `apply` takes the later of the two.
 * - A log may be trimmed at its beginning: a position before its first entry is refused with LogTrimmedError, and whoever stands
 *   there goes on from a checkpoint.
 * - `read` and `durable` compare the caller's own place with the store's: a store that went back is reported by
 *   StoreWentBackError, and a checkpoint of a place that the store does not hold is neither kept nor found.
 * - A turn is a courtesy between replicas, never a safety rule: `append` works without one.
 */
export interface Synchronizer extends LogReader {
  readonly engine: string
  /**
   * Whether `append` compares the entry's basis with the head, and refuses what is behind. Where it does not, an entry
   * lands wherever the head is, a copy of it lands again, and the judge alone decides what counts.
   */
  readonly refusesEarly: boolean
  /** How entries reach the disk, for operators. */
  readonly flushing: Flushing
  /** Reads for those who are in no hurry (history, projections), apart from the way on which entries are appended. */
  readonly past: LogReader
  /**
   * Where the entry is in the log. An engine that refuses early answers undefined when the head is not the entry's basis.
   * Throws EntryTooLargeError when no message of the store can hold it.
   */
  append(entry: Entry): Promise<Place | undefined>
  /** The last revision that is known here to survive any crash of the store. */
  durableRevision(): number
  /** Resolves when the entry at this place, and all before it, survive any crash of the store. One flush serves all who wait. */
  durable(place: Place): Promise<void>
  /** The store's clock, milliseconds since 1970. */
  time(): Promise<number>
  /** Calls back when the log may have grown, with the revision if it is known. A hint: it may come late, twice, or for nothing. */
  onNews(listener: (revision?: number) => void): void
  /** Waits for this replica's turn, at most for a moment; the answer gives it back. */
  takeTurn(): Promise<() => Promise<void>>
  /** Keeps a checkpoint; false when another replica is writing one now, one of this revision is there, or the store does not hold its place. */
  saveCheckpoint(checkpoint: Checkpoint): Promise<boolean>
  /** Drops what is beyond the horizon: entries behind the oldest checkpoint that stays, never the newest ones. */
  trim(horizon: Horizon): Promise<void>
  close(): Promise<void>
}

/** Each append waits for the disk, or the order is released before it and one flush serves all who wait. */
export interface Flushing {
  readonly isShared: boolean
  /** How long a flush took when it was measured, milliseconds; null when it was not. */
  readonly medianMs: number | null
  /** Servers of which most hold an entry before its append is answered, where that takes the place of the disk. */
  readonly copies?: number
}

/** Entries that work which pauses reads at once: an answer is parsed without a pause, and one entry may report a thousand hosts. */
export const ENTRIES_AT_ONCE = 50

/** What can be read of a log. */
export interface LogReader {
  /** Entries behind a place in order, at most `limit` of them; an answer shorter than `limit` reached the head as it was after the call. */
  read(after: Place, limit: number): Promise<readonly LogEntry[]>
  /** The newest checkpoint at or before a revision. */
  loadCheckpoint(atMost: number): Promise<Checkpoint | undefined>
  /** The place at a revision, with the store's stamp; undefined where there is none: the log ends before it, or begins behind it. */
  placeAt(revision: number): Promise<Place | undefined>
  /** What is there to be read. */
  retention(): Promise<Retention>
}

/** The store did not answer. Whatever was sent may or may not have happened. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** The store no longer holds what this replica has applied: a restored backup, or a lost tail. */
export class StoreWentBackError extends Error {
  override readonly name = 'StoreWentBackError'
}

/** The entry does not fit into one message of the store. Nothing was sent. */
export class EntryTooLargeError extends RangeError {
  override readonly name = 'EntryTooLargeError'

  constructor(bytes: number, most: number) {
    super(`the entry takes ${bytes} bytes; the store takes ${most} at most`)
  }
}

/** The store is there, but not as it must be. Holds every problem, each naming what was found and what is allowed. */
export class StoreSetupError extends Error {
  override readonly name = 'StoreSetupError'

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

/** The log no longer reaches back to there: the entries behind that place were dropped. A checkpoint leads on. */
export class LogTrimmedError extends RangeError {
  override readonly name = 'LogTrimmedError'

  constructor(asked: number, first: number) {
    super(`the log begins at revision ${first}; what follows revision ${asked} was asked for`)
  }
}
