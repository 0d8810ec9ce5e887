import type pg from 'pg'
import type { PrismaClient } from '../db/prisma.ts'
import type { TableWriter } from '../db/table-writer.ts'
import { openApiKeyStore } from '../db/tables/api-keys.ts'
import { createLeaseStore } from '../db/tables/leases.ts'
import { createRecordStore } from '../db/tables/records.ts'
import { createReplicaStore } from '../db/tables/replicas.ts'
import type { Stores } from './stores.ts'

export interface PostgresStoresOptions {
  readonly connection: pg.ClientConfig
  readonly prisma: PrismaClient
  readonly writer: TableWriter
  /** Returns true if every replica can read decisions in packed (binary) form. */
  mayPack(): boolean
  warn(message: string): void
}

/** Opens all stores in tables. */
export async function openPostgresStores({ connection, prisma, writer, mayPack, warn }: PostgresStoresOptions): Promise<Stores> {
  const keys = await openApiKeyStore(prisma, warn)
  const leases = createLeaseStore(connection)
  return {
    keys,
    records: createRecordStore(writer, { mayPack, warn }),
    replicas: createReplicaStore(prisma),
    leases,
    async close() {
      await keys.close()
      await leases.close()
    },
  }
}
