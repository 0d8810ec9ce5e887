import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { PrismaClient } from '../generated/prisma/client.ts'
import { askedAnyway, type DatabaseWatch } from './database-watch.ts'
import { TIMEOUTS, TRANSACTIONS } from './session.ts'

/**
 * The Prisma client that reads projections and records, and writes what is written rarely; table-writer.ts writes the others, and the log has its own sessions. The client must be disconnected after use. While the watch
 * reports that the database is unavailable, every call is refused at once with UnavailableError.
 */
export function createPrisma(connection: pg.ClientConfig, database: DatabaseWatch = askedAnyway): PrismaClient {
  const client = new PrismaClient({
    adapter: new PrismaPg({ ...TIMEOUTS, ...connection, max: 8 }),
    transactionOptions: TRANSACTIONS,
    // the text of the error itself, without an excerpt of the calling code; this is the same in all modes of Node
    errorFormat: 'minimal',
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
  // the extended client has every method of PrismaClient that this service uses
  return watched as unknown as PrismaClient
}

export type { PrismaClient }
