import type pg from 'pg'
import { openApiKeyStore } from '../db/api-keys.ts'
import { createLeaseStore } from '../db/leases.ts'
import type { PrismaClient } from '../db/prisma.ts'
import { createRecordStore } from '../db/records.ts'
import { createReplicaStore } from '../db/replicas.ts'
import type { Stores } from './stores.ts'

export interface PostgresStoresOptions {
  readonly connection: pg.ClientConfig
  readonly prisma: PrismaClient
  /** Whether every replica reads packed decisions. */
  mayPack(): boolean
  warn(message: string): void
}

/** All of it in tables. */
export async function openPostgresStores({ connection, prisma, mayPack, warn }: PostgresStoresOptions): Promise<Stores> {
  const keys = await openApiKeyStore(prisma, warn)
  const leases = createLeaseStore(connection)
  return {
    keys,
    records: createRecordStore(prisma, { mayPack, warn }),
    replicas: createReplicaStore(prisma),
    leases,
    async close() {
      await keys.close()
      await leases.close()
    },
  }
}
