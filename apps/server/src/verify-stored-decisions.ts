import type pg from 'pg'
import { createPrisma } from './db/prisma.ts'
import { createDecisionStore, isUnreadable, type StoredDecision, type UnreadableDecision } from './db/tables/decisions.ts'
import { type Verification, verifyDecisions } from './replica/follow/verify.ts'
import { openPostgresSynchronizer } from './sync/postgres/postgres.ts'

const PAGE = 500

/** Replays every decision of a database from its log, without a running service. */
export async function verifyStoredDecisions(connection: pg.ClientConfig): Promise<Verification> {
  const prisma = createPrisma(connection)
  const store = await openPostgresSynchronizer(connection)
  try {
    const decisions = createDecisionStore(prisma)
    const all: (StoredDecision | UnreadableDecision)[] = []
    for (;;) {
      const last = all.at(-1)
      const page = await decisions.list({ first: PAGE, ...(last ? { after: { at: last.at, id: last.id } } : {}) })
      all.push(...page)
      if (page.length < PAGE) break
    }
    const found = await verifyDecisions(
      store.past,
      all.filter((row): row is StoredDecision => !isUnreadable(row)),
    )
    const unreadable = all.filter(isUnreadable).map(({ id, unreadable: why }) => `decision ${id} cannot be read: ${why}`)
    return { ...found, differences: [...unreadable, ...found.differences].slice(0, 100) }
  } finally {
    await store.close()
    await prisma.$disconnect()
  }
}
