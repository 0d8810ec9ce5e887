import { expect } from 'vitest'
import { createPrisma } from '../db/prisma.ts'
import { createTableWriter } from '../db/table-writer.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { apiKeysSuite } from './api-keys.suite.ts'
import { leasesSuite } from './leases.suite.ts'
import { openPostgresStores } from './postgres.ts'
import { recordsSuite } from './records.suite.ts'
import { replicasSuite } from './replicas.suite.ts'
import { readTables, type StoresEngine } from './stores.suite.ts'

const postgres: StoresEngine = {
  name: 'postgres',
  async createPlace() {
    const database = await createTestDatabase()
    const prisma = createPrisma(database.connection)
    const writer = createTableWriter(database.connection)
    return {
      open: () =>
        openPostgresStores({
          ...{ connection: database.connection, prisma, writer },
          mayPack: () => true,
          warn: (message) => expect.fail(message),
        }),
      tables: () => readTables(prisma),
      async drop() {
        await prisma.$disconnect()
        await writer.close()
        await database.drop()
      },
    }
  },
}

apiKeysSuite(postgres)
recordsSuite(postgres)
replicasSuite(postgres)
leasesSuite(postgres)
