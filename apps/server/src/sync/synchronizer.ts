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
 * - A log may be trimmed at its beginning: a position before its first entry is refused with LogTrimmedError, and a replica at such a
 *   position continues from a checkpoint.
 * - `read` and `durable` compare the caller's own place with the store's: a store that went back is reported by
 *   StoreWentBackError, and a checkpoint of a place that the store does not hold is neither kept nor found.
 * - A turn is a courtesy between replicas, never a safety rule: `append` works without one.
 */
export interface Synchronizer extends LogReader {
  readonly engine: string
  /**
   * Whether `append` compares the entry's basis with the head, and refuses entries that are behind. If it does not, an
   * entry is appended at the present head, a copy of it is appended again, and only the judge decides what counts.
   */
  readonly refusesEarly: boolean
  /** How entries reach the disk, for operators. */
  readonly flushing: Flushing
  /** Reads that are not urgent (history, projections), separate from the connection on which entries are appended. */
  readonly past: LogReader
  /**
   * Returns the entry's position in the log. An engine that refuses early returns undefined if the head is not the
   * entry's basis. Throws EntryTooLargeError if the entry does not fit into a message of the store.
   */
  append(entry: Entry): Promise<Place | undefined>
  /** The last revision that this replica knows to survive any crash of the store. */
  durableRevision(): number
  /**
   * Resolves when the entry at this position, and all before it, survive any crash of the store. One flush serves all
   * calls that wait.
   */
  durable(place: Place): Promise<void>
  /** The store's clock, milliseconds since 1970. */
  time(): Promise<number>
  /**
   * Calls back when the log may have grown, with the revision if it is known. This is a hint: it may come late, twice,
   * or without cause.
   */
  onNews(listener: (revision?: number) => void): void
  /** Waits for this replica's turn, but only for a moment; the returned function ends the turn. */
  takeTurn(): Promise<() => Promise<void>>
  /** Stores a checkpoint; false if another replica is writing one, this revision has one, or the store does not hold its place. */
  saveCheckpoint(checkpoint: Checkpoint): Promise<boolean>
  /** Drops old entries up to the oldest checkpoint that is kept. */
  trim(horizon: Horizon): Promise<void>
  close(): Promise<void>
}

/**
 * Whether each append waits for the disk, or entries get their position before they are on disk and one flush serves
 * all calls that wait.
 */
export interface Flushing {
  readonly isShared: boolean
  /** The measured duration of a flush, milliseconds; null if it was not measured. */
  readonly medianMs: number | null
  /** The number of servers of which a majority holds an entry before its append is answered, instead of waiting for a disk. */
  readonly copies?: number
}

/** The number of entries that background work reads at once: an answer is parsed without a pause, and an entry may be large. */
export const ENTRIES_AT_ONCE = 50

/** The range of a log that can be read. */
export interface LogReader {
  /** The entries after a position in order, at most `limit` of them; a shorter answer ends at the head. */
  read(after: Place, limit: number): Promise<readonly LogEntry[]>
  /** The newest checkpoint at or before a revision. */
  loadCheckpoint(atMost: number): Promise<Checkpoint | undefined>
  /** The position at a revision, with the store's stamp; undefined if the log ends before it or begins after it. */
  placeAt(revision: number): Promise<Place | undefined>
  /** The range that can be read. */
  retention(): Promise<Retention>
}

/** The store did not answer. It is unknown whether the request took effect. */
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

/** The store exists, but lacks required settings. Contains every problem, each with the found and the allowed value. */
export class StoreSetupError extends Error {
  override readonly name = 'StoreSetupError'

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

/** The entries after that position were dropped; reading continues from a checkpoint. */
export class LogTrimmedError extends RangeError {
  override readonly name = 'LogTrimmedError'

  constructor(asked: number, first: number) {
    super(`the log begins at revision ${first}; what follows revision ${asked} was asked for`)
  }
}
