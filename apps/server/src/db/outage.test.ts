import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toFault } from '../http/graphql/masking.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { outageOf } from './outage.ts'
import { createPrisma, type PrismaClient } from './prisma.ts'

let database: TestDatabase
let prisma: PrismaClient
beforeAll(async () => {
  database = await createTestDatabase()
  prisma = createPrisma(database.connection)
})
afterAll(async () => {
  await prisma.$disconnect()
  await database.drop()
})

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.unreachable('the statement should have failed'),
    (error: unknown) => error,
  )

/** A statement that raises an error with this code, as the server would. */
const raising = (code: string): string => `DO $$ BEGIN RAISE EXCEPTION 'its words' USING ERRCODE = '${code}'; END $$`

describe.each([
  ['08006', 'a broken connection'],
  ['25006', 'a standby, which is read-only'],
  ['40001', 'a standby that removed rows which a query was reading'],
  ['40P01', 'a deadlock'],
  ['53100', 'a full disk'],
  ['53200', 'no memory left'],
  ['53300', 'no connection left'],
  ['55P03', 'a lock that was not obtained in time'],
  ['57014', 'a cancelled statement'],
  ['57P01', 'a server that is shutting down'],
  ['57P02', 'a server that crashed'],
  ['57P03', 'a server that is starting'],
  ['58030', 'a disk that fails'],
])('%s, %s', (code) => {
  test('is a retryable outage, whether Prisma or pg throws the error', async () => {
    const client = new pg.Client(database.connection)
    await client.connect()
    const errors = [await refusal(prisma.$executeRawUnsafe(raising(code))), await refusal(client.query(raising(code)))]
    await client.end()
    for (const error of errors) {
      expect(outageOf(error)).toBe('its words')
      expect(toFault(error).extensions).toMatchObject({ code: 'UNAVAILABLE', retryable: true, retryAfterMs: 1_000 })
    }
  })
})

test.each([
  ['42P01', 'a missing table'],
  ['22P02', 'a value of the wrong type'],
  ['23505', 'a second row with the same key'],
  ['28P01', 'a wrong password'],
  ['XX000', 'a defect of the server'],
])('%s, %s, is not an outage', async (code) => {
  expect(outageOf(await refusal(prisma.$executeRawUnsafe(raising(code))))).toBeUndefined()
})

test('a session that the server ends during a query is reported as an outage', async () => {
  const error = await refusal(prisma.$queryRawUnsafe('SELECT pg_terminate_backend(pg_backend_pid())::text'))
  expect(outageOf(error)).toContain('terminating connection')
})
