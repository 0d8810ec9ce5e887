import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { PrismaClient } from '../generated/prisma/client.ts'
import { TIMEOUTS } from '../sync/postgres/session.ts'
import { askedAnyway, type DatabaseWatch } from './database-watch.ts'

/** How long a transaction waits for a connection, milliseconds. */
const CONNECTED_MS = 15_000

/**
 * The one client of the projections and records; the log has sessions of its own. Disconnect it when done. While the watch says
 * that the database is away, every call is refused at once with UnavailableError.
 */
export function createPrisma(connection: pg.ClientConfig, database: DatabaseWatch = askedAnyway): PrismaClient {
  const client = new PrismaClient({
    adapter: new PrismaPg({ ...TIMEOUTS, ...connection, max: 8 }),
    // on a busy machine a connection takes longer than Prisma's 2 s
    transactionOptions: { maxWait: CONNECTED_MS },
  })
  if (database === askedAnyway) return client
  const watched = client.$extends({
    query: {
      async $allOperations({ args, query }) {
        database.assertThere()
        return await query(args)
      },
    },
  })
  // an extension takes nothing away that is used here
  return watched as unknown as PrismaClient
}

export type { PrismaClient }

/** What a store needs: the client itself, or a transaction of it. */
export type Database = Pick<PrismaClient, '$executeRaw' | '$queryRaw'>
