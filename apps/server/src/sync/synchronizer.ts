import type { Checkpoint, Entry, Fleet, FleetReader, LogEntry, Place } from '@gantt/scheduler-core'
import type { Horizon, Retention } from './retention.ts'

/**
 * Keeps replicas in step: one ordered log that all replicas of a fleet share, and checkpoints of it.
 *
 * The laws, which synchronizer.suite.ts checks for every engine:
 * - Revisions are 1, 2, 3, ... without a gap. Nothing at a durable position ever changes.
 * - `append` adds the entry to the log and returns its position. An engine that refuses early puts it directly after its basis or refuses
 *   it. Another engine puts it at the present end of the log. Refusals only avoid useless entries. Claims are safe because every replica
 *   judges every entry at its position when it applies it.
 * - An entry is appended, its changes take effect, and it becomes durable: these are three separate facts. A caller is answered when all
 *   three are true. An engine may answer before the entry is on disk. Until `durable` resolves, a crash of the store can lose entries that
 *   `append` accepted and `read` returned. The lost entries are always the last ones of the log. `past` returns durable entries only.
 * - After a StoreUnavailableError from `append` the outcome is unknown. The same entry is sent again, with the same id and basis, until the
 *   answer is certain. An engine that refuses early accepts at most one of the copies. Another engine may append several copies: the first
 *   copy takes effect, and `apply` makes the other copies void.
 * - `at` is the time by a server's clock, which may be earlier than `at` of the entry before. `apply` uses the later of the two.
 * - A log may be trimmed at its beginning. A position before its first entry is refused with LogTrimmedError, and a replica at such a
 *   position continues from a checkpoint.
 * - `read` and `durable` compare the caller's position with the store's. They throw StoreWentBackError if the store lost it. A checkpoint
 *   of a position that the store does not have is neither stored nor found.
 * - A turn only improves fairness between replicas and is never needed for safety: `append` works without one.
 */
export interface Synchronizer extends LogReader {
  readonly engine: string
  /**
   * True if `append` refuses every entry whose basis (the revision on which it was decided) is not the end of the log. If false, every
   * entry is appended at the present end of the log, even a repeated one. Which of its changes take effect is decided only when the entry
   * is applied.
   */
  readonly refusesEarly: boolean
  /** How entries reach the disk, for display to operators. */
  readonly flushing: Flushing
  /** Reads that are not urgent (history, projections). They are separate from the connection on which entries are appended. */
  readonly past: LogReader
  /**
   * Returns the entry's position in the log. An engine that refuses early returns undefined if the end of the log is not the entry's basis
   * (the revision on which it was decided). Throws EntryTooLargeError if the entry does not fit into a message of the store.
   */
  append(entry: Entry): Promise<Place | undefined>
  /** The last revision that this replica knows to survive any crash of the store. */
  durableRevision(): number
  /** Resolves when the entry at this position and all earlier ones survive any crash of the store. One flush serves all waiting calls. */
  durable(place: Place): Promise<void>
  /** The time of the store's clock, milliseconds since 1970. */
  time(): Promise<number>
  /**
   * Calls the listener when the log may have grown, with the revision if it is known. This is a hint: it may come late, twice, or without
   * cause.
   */
  onGrowth(listener: (revision?: number) => void): void
  /** Waits a limited time for this replica's turn. The returned function ends the turn. */
  takeTurn(): Promise<() => Promise<void>>
  /**
   * The fleet of the newest checkpoint, for a replica that starts. It is built while the checkpoint is read, which takes less time and memory
   * than building it afterwards. No other work of the process runs while a piece of the fleet is built.
   */
  loadFleet(reader: FleetReader): Promise<Fleet | undefined>
  /**
   * Stores a checkpoint. Returns false if another replica is writing a checkpoint, if this revision already has one, or if the store does
   * not have its position.
   */
  saveCheckpoint(checkpoint: Checkpoint): Promise<boolean>
  /** Drops old entries up to the oldest checkpoint that stays. */
  trim(horizon: Horizon): Promise<void>
  close(): Promise<void>
}

/**
 * How entries reach the disk. Either each append waits for the disk, or entries get their position first and one flush serves all waiting
 * calls.
 */
export interface Flushing {
  readonly isShared: boolean
  /** The measured duration of a flush, milliseconds; null if it was not measured. */
  readonly medianMs: number | null
  /**
   * If entries are copied to several servers instead of flushed: the count of servers. A majority of these servers has stored an entry
   * before its append is answered.
   */
  readonly copies?: number
}

/**
 * Background work reads this many entries at once. The count is small, because an answer is parsed without yielding and an entry may be
 * large.
 */
export const ENTRIES_AT_ONCE = 50

/** Reads the entries and checkpoints of a log. */
export interface LogReader {
  /** The entries after a position in order, at most `limit` of them. If there are fewer, the last one is at the end of the log. */
  read(after: Place, limit: number): Promise<readonly LogEntry[]>
  /** The newest checkpoint at or before a revision. */
  loadCheckpoint(atMost: number): Promise<Checkpoint | undefined>
  /** The position at a revision, with its time by the store's clock; undefined if the log ends before it or begins after it. */
  placeAt(revision: number): Promise<Place | undefined>
  /** The range of entries that can be read. */
  retention(): Promise<Retention>
}

/** The store did not answer. It is unknown whether the request took effect. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** The store no longer contains entries that this replica has applied: a backup was restored, or unflushed entries were lost. */
export class StoreWentBackError extends Error {
  override readonly name = 'StoreWentBackError'
}

/** The entry does not fit into one message of the store. Nothing was sent. */
export class EntryTooLargeError extends RangeError {
  override readonly name = 'EntryTooLargeError'

  constructor(bytes: number, most: number) {
    super(`the entry has ${bytes} bytes; the store accepts at most ${most}`)
  }
}

/** The store exists, but lacks required settings. Contains every problem, each with the found and the allowed value. */
export class StoreSetupError extends Error {
  override readonly name = 'StoreSetupError'

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

/** The entries after the caller's position were dropped. Reading continues from a checkpoint. */
export class LogTrimmedError extends RangeError {
  override readonly name = 'LogTrimmedError'

  constructor(asked: number, first: number) {
    super(`the log begins at revision ${first}; entries after revision ${asked} were requested`)
  }
}
