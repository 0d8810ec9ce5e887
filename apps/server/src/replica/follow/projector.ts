import type { DecisionRecord } from '@gantt/scheduler-core'
import type { ProjectionStore } from '../../db/tables/projections.ts'
import { requestSpecId } from '../../db/tables/request-specs.ts'
import type { Rows, StoredDecision } from '../../db/tables/rows.ts'
import { type Followed, findMismatch, mismatchText } from '../../sync/followed-log.ts'
import { StoreWentBackError, type Synchronizer } from '../../sync/synchronizer.ts'
import { realTimers } from '../../timers.ts'
import type { Replica } from '../replica.ts'
import { createSignal } from '../signal.ts'
import type { History } from './history.ts'
import { rowsOf } from './rows-of.ts'

/**
 * At most this many rows wait to be written; a decision is counted as ten rows. Further rows are recreated from the log. 5,000 decisions
 * take about 100 MB.
 */
const BUFFER_ROWS = 50_000
const DECISION_ROWS = 10
/** A replica that recreates rows is considered stopped if it has written none for this long. */
const STILL_MS = 2_000
/** One transaction has at most this many rows. A single entry can have more. */
const WRITE_LIMIT = 5_000
/** Rows that are recreated from the log are written in transactions of at most this many entries. */
const WRITE_ENTRIES = 200
/**
 * Rows are collected for this long before they are written, in milliseconds, unless a query waits for them: one transaction then writes
 * the rows of many calls.
 */
const GATHER_MS = 50
/** The pause of a projector after it found another replica writing, in milliseconds. */
const YIELD_MS = 20
/** The interval at which a replica checks whether another replica stopped before that replica had written its rows. */
const SWEEP_MS = 1_000

/**
 * Writes the contents of the log into tables for queries: requests, decisions, claims, hosts, aggregates. No decision waits for these
 * tables.
 */
export interface Projector {
  /** Resolves with true when the tables contain a revision, and with false after a timeout. */
  reached(revision: number, timeoutMs: number): Promise<boolean>
  /** Adds a listener that is called with every placed decision that this replica applies. Returns a function that removes the listener. */
  onDecision(listener: (decision: StoredDecision) => void): () => void
  close(): Promise<void>
}

export interface ProjectorOptions {
  readonly history: History
  /** The log. Before the tables are written for the first time, it is compared with the log that they contain. */
  readonly log: Pick<Synchronizer, 'past' | 'engine' | 'flushing'>
  warn(message: string): void
  /** At most this many rows wait; default BUFFER_ROWS. */
  readonly bufferRows?: number
  /** For this many milliseconds, rows are collected before they are written; default GATHER_MS. */
  readonly gatherMs?: number
}

export function createProjector(
  replica: Replica,
  store: ProjectionStore,
  { history, log, warn, bufferRows = BUFFER_ROWS, gatherMs = GATHER_MS }: ProjectorOptions,
): Projector {
  const buffer: Rows[] = []
  /** The total weight of the waiting rows, by weightOf. */
  let held = 0
  const drop = (): void => {
    held -= weightOf(buffer.shift() as Rows)
  }
  const listeners = new Set<(decision: StoredDecision) => void>()
  const moved = createSignal(realTimers)
  let position = 0
  /** The revision up to which another replica has written the missing rows, and the time of its last progress. */
  let other: { readonly revision: number; readonly since: number } | undefined
  let running: Promise<void> | undefined
  let again = false
  /** Set while rows are collected. */
  let gathering: NodeJS.Timeout | undefined
  /** How many calls of `reached` wait. */
  let readers = 0
  let closing = false
  let closed = false
  let warned = false

  const stop = replica.onApplied((applied) => {
    const rows = rowsOf(replica.fleet, applied, digest)
    buffer.push(rows)
    held += weightOf(rows)
    while (held > bufferRows && buffer.length > 1) drop()
    for (const decision of rows.decisions) for (const listener of listeners) listener(decision)
    gather()
  })
  // rows of entries that the store lost, and rows that were made from a wrong state, are dropped
  const stopReplaced = replica.onReplaced(() => {
    while (buffer.length > 0) drop()
    kick()
  })
  const sweep = setInterval(() => {
    if (gathering === undefined) kick()
  }, SWEEP_MS)
  sweep.unref()

  /** Writes the waiting rows soon, or at once if a query waits for them. */
  const gather = (): void => {
    if (readers > 0) kick()
    else if (!closing) gathering ??= setTimeout(kick, gatherMs)
  }

  /**
   * Starts to write the waiting rows. If a write is running, the next write begins after it and includes the rows that arrived meanwhile.
   */
  const kick = (): void => {
    clearTimeout(gathering)
    gathering = undefined
    if (closing) return
    if (running !== undefined) {
      again = true
      return
    }
    again = false
    running = drain()
      .then(() => {
        warned = false
      })
      .catch((error: unknown) => {
        if (!warned) warn(`the projections could not be written and wait: ${error instanceof Error ? error.message : String(error)}`)
        warned = true
      })
      .finally(() => {
        running = undefined
        moved.notify()
        if (again && !closing && !warned) gather()
      })
  }

  /** Resolves with true if the tables belong to this log. A replica that started while the tables were unavailable checks this here. */
  const isFollowed = async (followed: Followed): Promise<boolean> => {
    const mismatch = await findMismatch(log, followed, realTimers)
    if (mismatch !== undefined) replica.refuseWrites(new StoreWentBackError(mismatchText(mismatch)))
    return mismatch === undefined
  }

  /** Returns true if another replica is assumed to write the missing rows. This is assumed as long as the tables advance. */
  const isMadeByOther = (revision: number): boolean => {
    if (other === undefined) return false
    const now = realTimers.now()
    if (revision > other.revision) other = { revision, since: now }
    else if (now - other.since > STILL_MS) other = undefined
    return other !== undefined
  }

  /** Recreates rows up to a revision from the log, for entries that no replica projected when they were applied. */
  const makeAgain = async (upTo: number): Promise<void> => {
    if (position >= upTo || closing) return
    let made: Rows[] = []
    let size = 0
    for await (const { fleet, applied } of history.walk(position, upTo)) {
      const rows = rowsOf(fleet, applied, digest)
      made.push(rows)
      size += sizeOf(rows)
      if (rows.revision < upTo && size < WRITE_LIMIT && made.length < WRITE_ENTRIES) continue
      const written = await store.write(made)
      if (written !== rows.revision) {
        other = { revision: written ?? position, since: realTimers.now() }
        return
      }
      position = written
      moved.notify()
      if (closing) return
      made = []
      size = 0
    }
  }

  const drain = async (): Promise<void> => {
    // rows of entries that a crash of the store can lose are not written
    const head = replica.durableRevision
    if (replica.halted !== undefined) return
    if (position >= head) {
      if (position < replica.fleet.place.revision) replica.settled()?.then(kick, () => undefined)
      return
    }
    const first = buffer[0]?.revision ?? head + 1
    if (position === 0 || first > position + 1) {
      const followed = await store.position()
      if (position === 0 && !(await isFollowed(followed))) return
      if (first > followed.revision + 1 && isMadeByOther(followed.revision)) return
      position = followed.revision
      await makeAgain(Math.min(first - 1, head))
    }
    for (let before = -1; position !== before && position < replica.durableRevision && buffer.length > 0; ) {
      before = position
      const upTo = replica.durableRevision
      const written = await store.write(oneTransaction(buffer.filter(({ revision }) => revision > before && revision <= upTo)))
      // undefined: another replica is writing, so this replica tries again after a pause
      if (written === undefined) setTimeout(kick, YIELD_MS).unref()
      else position = written
      while (buffer.length > 0 && (buffer[0] as Rows).revision <= position) drop()
    }
  }

  return {
    async reached(revision, timeoutMs) {
      if (position >= revision) return true
      readers++
      kick()
      try {
        return await moved.until(
          () => position >= revision,
          timeoutMs,
          () => closed,
        )
      } finally {
        readers--
      }
    },
    onDecision(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      stop()
      stopReplaced()
      clearInterval(sweep)
      clearTimeout(gathering)
      closing = true
      await running
      await drain().catch((error: unknown) =>
        warn(`the projections could not be written and wait: ${error instanceof Error ? error.message : String(error)}`),
      )
      closed = true
    },
  }
}

/** Counts the rows of all tables. */
const sizeOf = ({ decisions, lostTries, claims, nodes, hostChanges, aggregates, groups }: Rows): number =>
  [decisions, lostTries, claims, nodes, hostChanges, aggregates, groups].reduce((sum, rows) => sum + rows.length, 0)

/** The weight of rows in the buffer. A decision has the weight of DECISION_ROWS other rows, because it takes more memory. */
const weightOf = (rows: Rows): number => sizeOf(rows) + rows.decisions.length * (DECISION_ROWS - 1)

/** The first rows, at most WRITE_LIMIT, for one transaction. They include at least all rows of one entry. */
function oneTransaction(rows: readonly Rows[]): readonly Rows[] {
  let size = 0
  const end = rows.findIndex((row) => {
    size += sizeOf(row)
    return size > WRITE_LIMIT
  })
  return end < 0 ? rows : rows.slice(0, Math.max(end, 1))
}

const digest = (record: DecisionRecord): string => requestSpecId(record.request)
