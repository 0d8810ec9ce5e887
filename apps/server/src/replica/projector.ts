import type { DecisionRecord } from '@gantt/scheduler-core'
import type { ProjectionStore } from '../db/projections.ts'
import { requestSpecId } from '../db/request-specs.ts'
import type { Rows, StoredDecision } from '../db/rows.ts'
import { type Followed, findMismatch, mismatchText } from '../sync/followed-log.ts'
import { StoreWentBackError, type Synchronizer } from '../sync/synchronizer.ts'
import { realTimers } from '../timers.ts'
import type { History } from './history.ts'
import type { Replica } from './replica.ts'
import { rowsOf } from './rows-of.ts'
import { createSignal } from './signal.ts'

/** Rows kept for writing at most, where a decision counts as ten; what falls out is made again from the log. 5,000 decisions take about 100 MB. */
const BUFFER_ROWS = 50_000
const DECISION_ROWS = 10
/** A replica that makes rows again and writes none for so long is gone. */
const STILL_MS = 2_000
/** Rows, and entries, written in one transaction; one entry may have more rows. */
const WRITE_LIMIT = 5_000
const WRITE_ENTRIES = 200
/** How long one that found another replica writing waits. */
const YIELD_MS = 20
/** How often a replica looks whether another one left something behind. */
const SWEEP_MS = 1_000

/** Follows the log into tables for those who ask: requests, decisions, claims, hosts, aggregates. No decision waits for it. */
export interface Projector {
  /** Resolves when the tables reflect a revision; false when they do not in time. */
  reached(revision: number, timeoutMs: number): Promise<boolean>
  /** Calls back with every placed decision that is applied here. Answers how to stop. */
  onDecision(listener: (decision: StoredDecision) => void): () => void
  close(): Promise<void>
}

export interface ProjectorOptions {
  readonly history: History
  /** Compared with what the tables have followed, before they are written. */
  readonly log: Pick<Synchronizer, 'past' | 'engine' | 'flushing'>
  warn(message: string): void
  /** Rows that are held at most; BUFFER_ROWS if not given. */
  readonly bufferRows?: number
}

export function createProjector(
  replica: Replica,
  store: ProjectionStore,
  { history, log, warn, bufferRows = BUFFER_ROWS }: ProjectorOptions,
): Projector {
  const buffer: Rows[] = []
  /** What is in it, by weightOf. */
  let held = 0
  const drop = (): void => {
    held -= weightOf(buffer.shift() as Rows)
  }
  const listeners = new Set<(decision: StoredDecision) => void>()
  const moved = createSignal(realTimers)
  let position = 0
  /** How far another replica had come that makes what is missing, and when it was seen to move on. */
  let other: { readonly revision: number; readonly since: number } | undefined
  let running: Promise<void> | undefined
  let again = false
  let closing = false
  let closed = false
  let warned = false

  const stop = replica.onApplied((applied) => {
    const rows = rowsOf(replica.fleet, applied, digest)
    buffer.push(rows)
    held += weightOf(rows)
    while (held > bufferRows && buffer.length > 1) drop()
    for (const decision of rows.decisions) for (const listener of listeners) listener(decision)
    kick()
  })
  // rows of entries that were lost are not rows of anything
  const stopReplaced = replica.onReplaced(() => {
    while (buffer.length > 0) drop()
    kick()
  })
  const sweep = setInterval(() => kick(), SWEEP_MS)
  sweep.unref()

  /** Starts writing unless it runs; what comes meanwhile is the next batch. */
  const kick = (): void => {
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
        if (!warned) warn(`projections wait: ${error instanceof Error ? error.message : String(error)}`)
        warned = true
      })
      .finally(() => {
        running = undefined
        moved.tell()
        if (again && !closing && !warned) kick()
      })
  }

  /** Whether the log is the one that the tables have followed: whoever started while they could not be asked learns it here. */
  const isFollowed = async (followed: Followed): Promise<boolean> => {
    const mismatch = await findMismatch(log, followed, realTimers)
    if (mismatch !== undefined) replica.refuseWrites(new StoreWentBackError(mismatchText(mismatch)))
    return mismatch === undefined
  }

  /** Whether another replica makes what is missing: it is left to do so as long as the tables move on. */
  const isMadeByOther = (revision: number): boolean => {
    if (other === undefined) return false
    const now = realTimers.now()
    if (revision > other.revision) other = { revision, since: now }
    else if (now - other.since > STILL_MS) other = undefined
    return other !== undefined
  }

  /** Makes the rows up to a revision from the log, for entries that no replica projected while they were at hand. */
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
      moved.tell()
      if (closing) return
      made = []
      size = 0
    }
  }

  const drain = async (): Promise<void> => {
    // what a crash of the store may take back is not written down elsewhere
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
      // another replica writes now, and may have taken these: look again in a moment
      if (written === undefined) setTimeout(kick, YIELD_MS).unref()
      else position = written
      while (buffer.length > 0 && (buffer[0] as Rows).revision <= position) drop()
    }
  }

  return {
    reached(revision, timeoutMs) {
      if (position < revision) kick()
      return moved.until(
        () => position >= revision,
        timeoutMs,
        () => closed,
      )
    },
    onDecision(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      stop()
      stopReplaced()
      clearInterval(sweep)
      closing = true
      await running
      await drain().catch((error: unknown) => warn(`projections wait: ${error instanceof Error ? error.message : String(error)}`))
      closed = true
    },
  }
}

/** Rows that are written. */
const sizeOf = ({ decisions, lostTries, claims, nodes, hostChanges, aggregates, groups }: Rows): number =>
  [decisions, lostTries, claims, nodes, hostChanges, aggregates, groups].reduce((sum, rows) => sum + rows.length, 0)

/** What rows take of the memory for them. */
const weightOf = (rows: Rows): number => sizeOf(rows) + rows.decisions.length * (DECISION_ROWS - 1)

/** As many entries as one transaction writes without taking long; at least one. */
function oneTransaction(rows: readonly Rows[]): readonly Rows[] {
  let size = 0
  const end = rows.findIndex((row) => {
    size += sizeOf(row)
    return size > WRITE_LIMIT
  })
  return end < 0 ? rows : rows.slice(0, Math.max(end, 1))
}

const digest = (record: DecisionRecord): string => requestSpecId(record.request)
