import { askedAnyway, type DatabaseWatch } from './db/database-watch.ts'
import type { PrismaClient } from './db/prisma.ts'
import { createActivityStore } from './db/tables/activity.ts'
import { createDecisionCountStore } from './db/tables/decision-counts.ts'
import { createDecisionStore, type DecisionStore } from './db/tables/decisions.ts'
import { createHostTimelineStore } from './db/tables/host-timeline.ts'
import { createRequestSpecStore, requestSpecId } from './db/tables/request-specs.ts'
import type { StoredDecision } from './db/tables/rows.ts'
import { unloggedRow } from './replica/follow/rows-of.ts'
import type { UnloggedDecision } from './replica/propose/placement.ts'
import type { RecordStore } from './stores/records.ts'

/**
 * A replica keeps this many of the decisions that it applied last in memory, so that the answer to a placement shows its decision without reading a table.
 */
const LATEST_DECISIONS = 250
/**
 * If the log is in NATS, a replica keeps this many of them, and answers queries about them before they are in the database's tables.
 */
const YOUNG_DECISIONS = 1_000

/**
 * Opens the stores of decisions and requests, and notifies listeners of new decisions. While the database is unavailable, the latest
 * decisions are answered from memory.
 */
export function openRecords(prisma: PrismaClient, store: RecordStore, database: DatabaseWatch) {
  const tables = createDecisionStore(prisma)
  const latest = new Map<string, StoredDecision>()
  const most = database === askedAnyway ? LATEST_DECISIONS : YOUNG_DECISIONS
  const find: DecisionStore['find'] = async (id) => {
    const held = most === YOUNG_DECISIONS ? latest.get(id) : undefined
    if (held !== undefined && database.away !== undefined) return held
    const found = await tables.find(id).catch((error: unknown) => {
      // The database may be down although `database.away` is not set yet.
      if (held === undefined) throw error
      return undefined
    })
    // tables that were unavailable for long lag far behind, so decisions that they do not have yet are answered from memory
    return found ?? held
  }
  const requestSpecs = createRequestSpecStore(prisma)
  const listeners = new Set<(decision: StoredDecision) => void>()
  const publish = (decision: StoredDecision): void => {
    latest.set(decision.id, decision)
    if (latest.size > most) latest.delete(latest.keys().next().value as string)
    for (const listener of listeners) listener(decision)
  }
  return {
    stores: {
      decisions: { ...tables, find },
      latest: (id: string) => latest.get(id),
      requestSpecs,
      activity: createActivityStore(prisma),
      timeline: createHostTimelineStore(prisma),
      decisionCounts: createDecisionCountStore(prisma),
    },
    publish,
    onDecision(listener: (decision: StoredDecision) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** Stores refusals and placements that claim nothing. Neither is in the log. */
    async keep(unlogged: readonly UnloggedDecision[]): Promise<void> {
      const kept = unlogged.map((decision) => unloggedRow(decision, ({ request }) => requestSpecId(request)))
      await store.keepDecisions(kept)
      kept.forEach(publish)
    },
  }
}
