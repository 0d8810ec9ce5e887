import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { PrismaClient } from '../generated/prisma/client.ts'
import { TIMEOUTS } from '../sync/postgres/session.ts'

/** The one client of the projections and records; the log has sessions of its own. Disconnect it when done. */
export function createPrisma(connection: pg.ClientConfig): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg({ ...TIMEOUTS, ...connection, max: 8 }) })
}

export type { PrismaClient }

/** What a store needs: the client itself, or a transaction of it. */
export type Database = Pick<PrismaClient, '$executeRaw' | '$queryRaw'>
