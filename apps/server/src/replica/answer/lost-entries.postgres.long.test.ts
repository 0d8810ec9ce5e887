import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ORIGIN } from '@gantt/scheduler-core'
import { aReport, aRequest } from '@gantt/scheduler-core/testing'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openDatabase } from '../../db/open-database.ts'
import { openPostgresSynchronizer } from '../../sync/postgres/postgres.ts'
import { Replica } from '../replica.ts'

test('entries that are lost by kill -9 of the database are written again, and the waiting call is answered once', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gantt-tail-'))
  fs.chmodSync(folder, 0o711)
  const stateDir = path.join(folder, 'state')
  const modes: string[] = []
  const database = await openDatabase({ stateDir, onRecovered: (mode) => modes.push(mode) })
  const admin = new pg.Client(database.connection)
  admin.on('error', () => undefined)
  try {
    await admin.connect()
    // the server flushes nothing to disk while the test runs
    await admin.query(`ALTER SYSTEM SET wal_writer_delay = '10s'`)
    await admin.query('SELECT pg_reload_conf()')
    const warnings: string[] = []
    const opened = await openPostgresSynchronizer(database.connection, 'on')
    let flushes: Promise<void> = Promise.resolve()
    // reading makes entries durable, so the replica must not read its own unflushed entries before the crash
    const store: typeof opened = {
      ...opened,
      durable: (place) => flushes.then(() => opened.durable(place)),
      read: (after, limit) => flushes.then(() => opened.read(after, limit)),
    }
    const replica = await Replica.start({ store, name: 'x', recordUnlogged: async () => {}, warn: (text) => warnings.push(text) })
    let release = (): void => {}
    try {
      await replica.propose([aReport('h1')])
      flushes = new Promise((resolve) => {
        release = resolve
      })
      const placed = replica.place({
        account: 'nova',
        key: 'k1',
        digest: 'k1',
        request: aRequest({ vcpus: 1, memoryMb: 64 }),
        profile: 'default',
        mode: 'CONFIRM',
        ttlMs: 120_000,
        deadlineMs: 120_000,
        alternatesPerInstance: 0,
        intent: 'CREATE',
        source: null,
        allOrNothing: true,
      })
      // without this handler, a failure before the test awaits the call would be an unhandled rejection
      placed.catch(() => undefined)
      await expect.poll(() => replica.fleet.ledger.claims.size).toBe(1)
      const { id, at } = replica.fleet.place
      process.kill(Number.parseInt(fs.readFileSync(path.join(stateDir, 'data', 'postmaster.pid'), 'utf8'), 10), 'SIGKILL')
      await expect.poll(() => modes).toEqual(['started'])
      const other = await openPostgresSynchronizer(database.connection)
      expect(await other.read(ORIGIN, 10)).toHaveLength(1)
      release()
      expect(await placed).toMatchObject({ type: 'placed', replayed: false })
      const entries = await other.read(ORIGIN, 10)
      expect(entries.map((entry) => entry.id)).toEqual([entries[0]?.id, id])
      expect(entries[1]?.at).not.toBe(at)
      expect(replica.fleet.ledger.claims.size).toBe(1)
      expect(warnings.join()).toContain('the store lost its unflushed tail, revisions 2 to 2')
      await other.close()
    } finally {
      release()
      await replica.close()
    }
  } finally {
    await admin.end().catch(() => undefined)
    await database.close()
    fs.rmSync(folder, { recursive: true, force: true })
  }
})
