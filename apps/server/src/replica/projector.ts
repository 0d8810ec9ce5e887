import type { DecisionRecord, Fleet } from '@gantt/scheduler-core'
import type { ProjectionStore } from '../db/projections.ts'
import { requestSpecId } from '../db/request-specs.ts'
import type { Rows, StoredDecision } from '../db/rows.ts'
import { realTimers } from '../timers.ts'
import type { History } from './history.ts'
import type { Replica } from './replica.ts'
import type { Applied } from './replica-options.ts'
import { rowsOf } from './rows-of.ts'
import { createSignal } from './signal.ts'

/** Rows kept for writing at most; what falls out is made again from the log. */
const BUFFER = 10_000
/** Rows written in one transaction. */
const WRITE_LIMIT = 5_000
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

export function createProjector(replica: Replica, store: ProjectionStore, history: History, warn: (message: string) => void): Projector {
  const buffer: Rows[] = []
  const listeners = new Set<(decision: StoredDecision) => void>()
  const moved = createSignal(realTimers)
  let position = 0
  let running: Promise<void> | undefined
  let again = false
  let closing = false
  let closed = false
  let warned = false

  const stop = replica.onApplied((applied) => {
    const rows = rowsOf(replica.fleet, applied, digest)
    buffer.push(rows)
    if (buffer.length > BUFFER) buffer.shift()
    for (const decision of rows.decisions) for (const listener of listeners) listener(decision)
    kick()
  })
  // rows of entries that were lost are not rows of anything
  const stopReplaced = replica.onReplaced(() => {
    buffer.length = 0
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
      position = await store.position()
      while (position < head && first > position + 1) {
        const made = await rowsBetween(history, position, Math.min(first - 1, head))
        if (made.length === 0) break
        position = (await store.write(made)) ?? position
      }
    }
    for (let before = -1; position !== before && position < replica.durableRevision && buffer.length > 0; ) {
      before = position
      const upTo = replica.durableRevision
      const written = await store.write(oneTransaction(buffer.filter(({ revision }) => revision > before && revision <= upTo)))
      // another replica writes now, and may have taken these: look again in a moment
      if (written === undefined) setTimeout(kick, YIELD_MS).unref()
      else position = written
      while (buffer.length > 0 && (buffer[0] as Rows).revision <= position) buffer.shift()
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

/** As many entries as one transaction writes without taking long; at least one. */
function oneTransaction(rows: readonly Rows[]): readonly Rows[] {
  let size = 0
  const end = rows.findIndex((row) => {
    size += row.nodes.length + row.claims.length + row.decisions.length
    return size > WRITE_LIMIT
  })
  return end < 0 ? rows : rows.slice(0, Math.max(end, 1))
}

const digest = (record: DecisionRecord): string => requestSpecId(record.request)

/** Rows made again from the log, for entries that no replica projected while they were at hand. */
async function rowsBetween(history: History, after: number, upTo: number): Promise<Rows[]> {
  const rows: Rows[] = []
  await history.follow(after, Math.min(upTo, after + BUFFER), (fleet: Fleet, applied: Applied) => rows.push(rowsOf(fleet, applied, digest)))
  return rows
}
