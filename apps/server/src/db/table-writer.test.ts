import { once } from 'node:events'
import net from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Prisma } from '../generated/prisma/client.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { UnavailableError } from '../unavailable.ts'
import { outageOf } from './outage.ts'
import { refusalOf } from './refusal.ts'
import { createTableWriter, type Database, type TableWriter } from './table-writer.ts'

let database: TestDatabase
let writer: TableWriter
let client: pg.Client
beforeAll(async () => {
  database = await createTestDatabase()
  writer = createTableWriter(database.connection)
  client = new pg.Client(database.connection)
  await client.connect()
  await client.query('CREATE TABLE written (id int PRIMARY KEY, document jsonb, names text[])')
})
afterAll(async () => {
  await writer.close()
  await client.end()
  await database.drop()
})

const inTransaction = <Result>(use: (tx: Database) => Promise<Result>): Promise<Result> => writer.transaction(use, 60_000)

const ids = async (): Promise<readonly number[]> => {
  const { rows } = await client.query<{ id: number }>('SELECT id FROM written ORDER BY id')
  return rows.map(({ id }) => id)
}

test('a transaction returns its result, and its statements can contain parts with parameters of their own', async () => {
  const document = { name: 'a "quoted" {name}', list: [1, 2] }
  const result = await inTransaction(async (tx) => {
    const part = Prisma.sql`${JSON.stringify(document)}::jsonb, ${['b', 'c,d']}::text[]`
    const count = await tx.$executeRaw`INSERT INTO written (id, document, names) VALUES (${1}, ${part})`
    const [row] = await tx.$queryRaw<{ document: unknown; names: string[] }[]>`SELECT document, names FROM written WHERE id = ${1}`
    return { count, row }
  })
  expect(result).toEqual({ count: 1, row: { document, names: ['b', 'c,d'] } })
  expect(await ids()).toEqual([1])
})

test('nothing of a transaction that fails is written, its error is thrown, and the connection is used again', async () => {
  const insert = (id: number) => inTransaction((tx) => tx.$executeRaw`INSERT INTO written (id) VALUES (${id})`)
  const twice = inTransaction(async (tx) => {
    await tx.$executeRaw`INSERT INTO written (id) VALUES (${2})`
    await tx.$executeRaw`INSERT INTO written (id) VALUES (${1})`
  })
  const error = await twice.catch((thrown: unknown) => thrown)
  expect(refusalOf(error)).toMatch(/^23505: duplicate key/)
  await expect(
    inTransaction(async (tx) => {
      await tx.$executeRaw`INSERT INTO written (id) VALUES (${3})`
      throw new Error('the work fails')
    }),
  ).rejects.toThrow('the work fails')
  await insert(4)
  expect(await ids()).toEqual([1, 4])
})

test('a transaction whose connection ends fails, and the next one gets another connection', async () => {
  const lost = inTransaction(async (tx) => {
    await tx.$executeRaw`INSERT INTO written (id) VALUES (${5})`
    const [{ pid } = { pid: 0 }] = await tx.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
    await client.query('SELECT pg_terminate_backend($1)', [pid])
    await tx.$executeRaw`INSERT INTO written (id) VALUES (${6})`
  })
  const error = await lost.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Error)
  expect(refusalOf(error)).toBeUndefined()
  await inTransaction((tx) => tx.$executeRaw`INSERT INTO written (id) VALUES (${7})`)
  expect(await ids()).toEqual([1, 4, 7])
})

test('while the database is known to be unavailable, no transaction is begun', async () => {
  const assertThere = (): void => {
    throw new UnavailableError('store', 'the database has not answered')
  }
  const refusing = createTableWriter(database.connection, { away: undefined, assertThere, close: async () => {} })
  let isBegun = false
  const refused = refusing.transaction(async () => {
    isBegun = true
  }, 60_000)
  await expect(refused).rejects.toThrow(UnavailableError)
  expect(isBegun).toBe(false)
  await refusing.close()
})

test('a transaction that does not end in time fails at once, although a statement still waits', async () => {
  await client.query('BEGIN; LOCK TABLE written')
  try {
    const began = performance.now()
    const late = writer.transaction((tx) => tx.$executeRaw`INSERT INTO written (id) VALUES (${8})`, 200)
    const error = await late.catch((thrown: unknown) => thrown)
    expect(outageOf(error)).toMatch(/did not end within 200 ms$/)
    // the limit of a statement would be ten seconds
    expect(performance.now() - began).toBeLessThan(5_000)
  } finally {
    await client.query('ROLLBACK')
  }
  expect(await ids()).toEqual([1, 4, 7])
})

test('a connection whose prepared statement no longer fits its table is replaced', async () => {
  const read = () => inTransaction((tx) => tx.$queryRaw<readonly { id: unknown }[]>`SELECT id FROM written ORDER BY id LIMIT ${1}`)
  expect(await read()).toEqual([{ id: 1 }])
  await client.query('ALTER TABLE written ALTER COLUMN id TYPE bigint')
  await expect(read()).rejects.toThrow('cached plan')
  expect(await read()).toEqual([{ id: '1' }])
})

test('while the server does not answer, a transaction fails after one time limit', async () => {
  const sockets = new Set<net.Socket>()
  const silent = net.createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as net.AddressInfo
  const waiting = createTableWriter({ ...database.connection, host: '127.0.0.1', port, connectionTimeoutMillis: 300 })
  const error = await waiting.transaction(async () => undefined, 60_000).catch((thrown: unknown) => thrown)
  expect(outageOf(error)).toBeDefined()
  await waiting.close()
  for (const socket of sockets) socket.destroy()
  silent.close()
})
