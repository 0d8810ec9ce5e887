import { afterAll, beforeAll, expect, test } from 'vitest'
import { Prisma } from '../../generated/prisma/client.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { askedAnyway } from '../database-watch.ts'
import { createPrisma, type PrismaClient } from '../prisma.ts'
import { unloggedSql } from './decisions.ts'

let database: TestDatabase
let prisma: PrismaClient
beforeAll(async () => {
  database = await createTestDatabase()
  prisma = createPrisma(database.connection, askedAnyway)
})
afterAll(async () => {
  await prisma.$disconnect()
  await database.drop()
})

test('the query that runs each second uses the index of times instead of reading all decisions', async () => {
  const plan = await prisma.$transaction(async (tx) => {
    // the test's tables are so small that the planner would prefer a sequential scan
    await tx.$executeRaw`SET LOCAL enable_seqscan = off`
    return tx.$queryRaw<Record<string, string>[]>(Prisma.sql`EXPLAIN ${unloggedSql(20_000)}`)
  })
  expect(plan.flatMap((row) => Object.values(row)).join('\n')).toMatch(/Index Cond: \(at_ms >= /)
})
