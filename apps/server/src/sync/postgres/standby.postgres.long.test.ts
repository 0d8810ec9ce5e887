import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ENTRY_FORMAT, type Entry, ORIGIN, type Place } from '@gantt/scheduler-core'
import { aReport } from '@gantt/scheduler-core/testing'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../db/migrate.ts'
import {
  type EmbeddedPostgres,
  makeStandby,
  promote,
  REPLICATED,
  startEmbeddedPostgres,
  waitForStandbys,
} from '../../embedded-postgres/index.ts'
import { Replica } from '../../replica/replica.ts'
import { sendSignal } from '../../testing/send-signal.ts'
import { StoreUnavailableError, StoreWentBackError, type Synchronizer } from '../synchronizer.ts'
import { openPostgresSynchronizer } from './postgres.ts'

/** A primary and its standby. Clients connect through a proxy that is redirected when the two swap roles. */
let folder: string
let primary: EmbeddedPostgres
let standby: EmbeddedPostgres

const stateDir = (name: 'a' | 'b'): string => path.join(folder, name)
const start = (name: 'a' | 'b') => startEmbeddedPostgres({ stateDir: stateDir(name), settings: REPLICATED })
const leadTo = (server: EmbeddedPostgres): void => {
  const link = path.join(folder, 'current')
  fs.rmSync(link, { force: true })
  fs.symlinkSync(server.connection().host, link)
}
const connection = () => ({ ...primary.connection('gantt'), host: path.join(folder, 'current') })

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gantt-pair-'))
  fs.chmodSync(folder, 0o711)
  primary = await start('a')
  await onServer(primary, 'CREATE DATABASE gantt')
  await migrate(primary.connection('gantt'))
  await waitForStandbys(primary)
  await makeStandby(primary.connection(), stateDir('a'), stateDir('b'))
  standby = await start('b')
  leadTo(primary)
})
afterAll(async () => {
  await primary.stop()
  await standby.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

test('an entry that only the killed primary had is not acknowledged before the standby has it', async () => {
  const writer = await openPostgresSynchronizer(connection())
  let resume = (): void => {}
  try {
    const first = await appended(writer, anEntry('e1', ORIGIN))
    expect(writer.durableRevision()).toBe(1)
    resume = pauseStandby()
    const second = anEntry('e2', first)
    const unanswered = expect(writer.append(second)).rejects.toBeInstanceOf(StoreUnavailableError)
    // the entry is on the primary's disk, and is not visible before the standby has it
    await expect.poll(() => waitsForStandby(primary)).toBe(true)
    await kill(primary)
    await unanswered
    // after its restart the server shows the entry, although the standby does not have it
    primary = await start('a')
    const sent = sendAgain(writer, second)
    await Promise.race([sent, expect.poll(() => waitsForStandby(primary), { timeout: 60_000 }).toBe(true)])
    expect(writer.durableRevision()).toBe(1)
    resume()
    expect((await sent).map(({ id }) => id)).toEqual(['e2'])
    expect(writer.durableRevision()).toBe(2)
  } finally {
    resume()
    await writer.close()
  }
})

test('after a fail-over to an asynchronous standby that lacks acknowledged entries, the replica stops writing', async () => {
  await waitForNobody(primary)
  const store = await openPostgresSynchronizer(connection())
  const replica = await Replica.start({ store, name: 'x', recordUnlogged: async () => {}, warn: () => {} })
  try {
    await replica.propose([aReport('h1')])
    await expect.poll(() => lagOf(primary)).toBe(0)
    // a standby that is only paused would still receive the data in transit
    await kill(standby)
    await replica.propose([aReport('h2')])
    await kill(primary)
    standby = await start('b')
    await promote(standby)
    await waitForNobody(standby)
    leadTo(standby)
    await expect.poll(() => replica.halted).toBeInstanceOf(StoreWentBackError)
    expect(replica.halted?.message).toContain('a fail-over lost data')
    await expect(replica.propose([aReport('h3')])).rejects.toThrow('this replica takes no writes')
  } finally {
    await replica.close()
  }
})

const anEntry = (id: string, basis: Place): Entry => ({
  format: ENTRY_FORMAT,
  id,
  writer: 'test',
  basis,
  changes: [{ type: 'feature', level: 1 }],
})

async function appended(store: Synchronizer, entry: Entry): Promise<Place> {
  const place = await store.append(entry)
  if (place === undefined) throw new Error(`entry ${entry.id} was refused`)
  return place
}

/** Handles an entry with an unknown outcome as a replica does: sends it again until there is an answer, and then reads the log. */
async function sendAgain(store: Synchronizer, entry: Entry): Promise<readonly Place[]> {
  for (;;)
    try {
      await store.append(entry)
      return await store.read(entry.basis, 10)
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
    }
}

const waitForNobody = (server: EmbeddedPostgres) =>
  onServer(server, `ALTER SYSTEM SET synchronous_standby_names = ''`, 'SELECT pg_reload_conf()')

/** Resolves with true if a commit waits for the standby. */
const waitsForStandby = async (server: EmbeddedPostgres): Promise<boolean> =>
  (await onServer(server, `SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)).length > 0

/** How many bytes the standby has not written yet; undefined while it is not connected. */
const lagOf = async (server: EmbeddedPostgres): Promise<number | undefined> =>
  (await onServer(server, 'SELECT (pg_current_wal_lsn() - flush_lsn)::int AS lag FROM pg_stat_replication'))[0]?.lag

function pauseStandby(): () => void {
  const pids = processesOf(standby.pid as number)
  sendSignal(pids, 'SIGSTOP')
  return () => sendSignal(pids, 'SIGCONT')
}

/** Kills all processes of the server at once, so that none of them can answer. */
async function kill(server: EmbeddedPostgres): Promise<void> {
  sendSignal(processesOf(server.pid as number), 'SIGKILL')
  await server.stop()
}

function processesOf(postmaster: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const all = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return [postmaster, ...all.flatMap(([pid, parent]) => (parent === postmaster && pid !== undefined ? [pid] : []))]
}

async function onServer(server: EmbeddedPostgres, ...statements: string[]): Promise<{ lag?: number }[]> {
  const client = new pg.Client(server.connection())
  await client.connect()
  try {
    let rows: { lag?: number }[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}
