import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../testing/test-database.ts'
import { type Database, openDatabase } from './open-database.ts'

let folder: string

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gantt-open-'))
  fs.chmodSync(folder, 0o711)
})

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

async function epochIn(database: Database): Promise<unknown> {
  const client = new pg.Client(database.connection)
  await client.connect()
  try {
    return (await client.query('SELECT epoch FROM store_epoch')).rows[0]
  } finally {
    await client.end()
  }
}

test('processes that open together get one migrated database, which is available again after a kill', async () => {
  const modes: string[] = []
  const stateDir = path.join(folder, 'state')
  const options = { stateDir, onLost: () => modes.push('lost'), onRecovered: (mode: string) => modes.push(mode) }
  const [first, second] = await Promise.all([openDatabase(options), openDatabase({ stateDir })])
  expect(first.applied.length + second.applied.length).toBeGreaterThan(0)
  expect(Math.min(first.applied.length, second.applied.length)).toBe(0)
  await second.close()

  const postmaster = Number.parseInt(fs.readFileSync(path.join(stateDir, 'data', 'postmaster.pid'), 'utf8'), 10)
  process.kill(postmaster, 'SIGKILL')
  await expect.poll(() => modes).toEqual(['lost', 'started'])
  expect(await epochIn(first)).toEqual({ epoch: 1 })
  await first.close()
  expect(fs.existsSync(path.join(stateDir, 'data', 'postmaster.pid'))).toBe(false)
})

test('an external server is used with its own settings', async () => {
  const given = await createTestDatabase()
  const database = await openDatabase({ databaseUrl: given.url })
  expect(database).toMatchObject({ mode: 'external', applied: [] })
  expect(await epochIn(database)).toEqual({ epoch: 1 })
  await database.close()
  await given.drop()
})
