import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { serverEnvironment } from './account.ts'
import { EmbeddedPostgresError } from './error.ts'
import type { Settings } from './postmaster.ts'
import type { EmbeddedPostgres, PostgresConnection } from './start.ts'
import { openStateDir } from './state-dir.ts'

/** Settings of a primary and of its standbys, so that they can swap roles. */
export const REPLICATED: Settings = {
  wal_level: 'replica',
  max_wal_senders: 4,
  wal_keep_size: '64MB',
  hot_standby: 'on',
  wal_retrieve_retry_interval: '200ms',
  wal_sender_timeout: '5s',
  wal_receiver_status_interval: '1s',
}

/**
 * Folders that are copied without their content, and files that are not copied. A server creates their content itself, or must not get that
 * of another server.
 */
const EMPTY = new Set(['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots', 'pg_subtrans', 'pg_stat_tmp'])
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts', 'standby.signal', 'backup_label'])
const COPY_TRIES = 5

/** Promotes a standby to primary. From then on it accepts writes and follows no server. */
export async function promote(standby: Pick<EmbeddedPostgres, 'connection'>): Promise<void> {
  const promoted = await asAdmin(standby.connection(), (admin) => admin.query<{ done: boolean }>('SELECT pg_promote() AS done'))
  if (promoted.rows[0]?.done !== true)
    throw new EmbeddedPostgresError('postgres.start_failed', 'The standby did not become the primary within a minute.')
}

/** Makes the commits of this server, and of later copies of it, wait until a standby has them on its disk. */
export async function waitForStandbys(server: Pick<EmbeddedPostgres, 'connection'>): Promise<void> {
  await asAdmin(server.connection(), async (admin) => {
    await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await admin.query('SELECT pg_reload_conf()')
  })
}

/** How many standbys are synchronous. The server acknowledges a commit only after a synchronous standby has stored it. */
export async function countSynchronous(server: Pick<EmbeddedPostgres, 'connection'>): Promise<number> {
  const { rows } = await asAdmin(server.connection(), (admin) =>
    admin.query<{ count: number }>(`SELECT count(*)::int AS count FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')`),
  )
  return rows[0]?.count ?? 0
}

/**
 * Turns a state directory into that of a standby of a running server on this machine, with a base backup and the address of the primary.
 * Earlier content is deleted. The standby must be started with the settings REPLICATED.
 */
export async function makeStandby(primary: PostgresConnection, from: string, to: string): Promise<void> {
  const [source, target] = [openStateDir(from), openStateDir(to)]
  await asAdmin(primary, async (admin) => {
    await admin.query(`SELECT pg_backup_start('standby', true)`)
    copyData(source.data, target.data)
    const { rows } = await admin.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)')
    const { host, user, password } = primary
    const { uid, gid } = fs.statSync(source.data)
    for (const [name, text] of [
      ['backup_label', rows[0]?.labelfile ?? ''],
      ['standby.signal', ''],
      // If a setting occurs twice, its last line applies. The file contains a password, so only the server's account may read it.
      ['postgresql.auto.conf', `primary_conninfo = 'host=${host} user=${user} password=${password} application_name=standby'\n`],
    ] as const) {
      const file = path.join(target.data, name)
      fs.appendFileSync(file, text, { mode: 0o600 })
      fs.chownSync(file, uid, gid)
    }
  })
}

/**
 * Copies a data directory with owners and modes. If the copy fails, for example because the server deletes a file meanwhile, it is
 * repeated.
 */
function copyData(from: string, to: string): void {
  for (let left = COPY_TRIES; ; left--) {
    fs.rmSync(to, { recursive: true, force: true })
    fs.mkdirSync(to, { mode: 0o700 })
    const { uid, gid } = fs.statSync(from)
    fs.chownSync(to, uid, gid)
    const names = fs.readdirSync(from).filter((name) => !LEFT_OUT.has(name))
    const whole = names.filter((name) => !EMPTY.has(name)).map((name) => path.join(from, name))
    const run = spawnSync('cp', ['-a', '--', ...whole, to], { encoding: 'utf8', env: serverEnvironment })
    for (const name of names.filter((each) => EMPTY.has(each))) {
      fs.mkdirSync(path.join(to, name), { mode: 0o700 })
      fs.chownSync(path.join(to, name), uid, gid)
    }
    if (run.status === 0) return
    if (left === 1)
      throw new EmbeddedPostgresError('postgres.start_failed', `${from} was not copied: ${run.error?.message ?? run.stderr.trim()}`)
  }
}

async function asAdmin<T>(connection: PostgresConnection, use: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client(connection)
  // the server may end at any time, and then the running statement fails
  admin.on('error', () => undefined)
  await admin.connect()
  try {
    return await use(admin)
  } finally {
    await admin.end().catch(() => undefined)
  }
}
