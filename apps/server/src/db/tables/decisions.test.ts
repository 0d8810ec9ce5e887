import { afterAll, beforeAll, expect, test } from 'vitest'
import { Prisma } from '../../generated/prisma/client.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { askedAnyway } from '../database-watch.ts'
import { createPrisma, type PrismaClient } from '../prisma.ts'
import { createDecisionStore, unloggedSql } from './decisions.ts'

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

test('a long list is read by statements of at most 20 decisions, in its order', async () => {
  await prisma.$executeRaw`INSERT INTO decision (id, outcome, at_ms, caller, request_spec_id, document, profile, seed, attempt, revision, hosts, instance_uuids)
    SELECT gen_random_uuid(), 'PLACED', i % 7, 'service', 'spec', '{}', 'default@1', 's', 1, 1, '{}', '{}' FROM generate_series(1, 45) AS i`
  const sizes: number[] = []
  const counting = new Proxy(prisma, {
    get(client, name) {
      if (name !== '$queryRaw') return Reflect.get(client, name)
      return async (...query: Parameters<PrismaClient['$queryRaw']>) => {
        const rows = await client.$queryRaw<object[]>(...query)
        if (rows.some((row) => 'document' in row)) sizes.push(rows.length)
        return rows
      }
    },
  })
  const store = createDecisionStore(counting)
  const orderOf = async (query: Prisma.Sql) => (await prisma.$queryRaw<{ id: string }[]>(query)).map(({ id }) => id)
  const newest = await orderOf(Prisma.sql`SELECT id::text FROM decision ORDER BY at_ms DESC, id ASC LIMIT 43`)
  expect((await store.list({ first: 43 })).map(({ id }) => id)).toEqual(newest)
  expect(sizes.splice(0)).toEqual([20, 20, 3])
  const oldest = await orderOf(Prisma.sql`SELECT id::text FROM decision WHERE id = ANY(${newest}::uuid[]) ORDER BY at_ms, id`)
  expect((await store.findAll(newest)).map(({ id }) => id)).toEqual(oldest)
  const sample = await store.sample({ profileName: 'default', since: 0, until: 7, limit: 30 })
  expect([sample.total, sample.decisions.length]).toEqual([45, 30])
  expect(sizes).toEqual([20, 20, 3, 20, 10])
})
