import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { type Ids, initdbIds, serverEnvironment, serverIds } from './account.ts'
import type { Binaries } from './binaries.ts'
import { createAtomically, entriesBelow } from './create-atomically.ts'
import { EmbeddedPostgresError } from './error.ts'
import type { StateDir } from './state-dir.ts'

export const DATABASE_USER = 'gantt'

/** Options of initdb. Sorting and case conversion do not depend on the C library. A random password needs few hash rounds. */
const FLAGS = [
  ...['--username', DATABASE_USER, '--auth', 'scram-sha-256', '--encoding', 'UTF8', '--no-instructions'],
  ...['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
  ...['--wal-segsize', '4', '--set', 'scram_iterations=1'],
]

/**
 * Creates the database if it does not exist, and returns true if it was created. The password is stored in the folder of the database, so
 * that neither exists without the other.
 */
export function createDatabase(stateDir: StateDir, binaries: Binaries): boolean {
  return createAtomically(stateDir.data, (unfinished) => {
    const password = randomBytes(24).toString('base64url')
    const passwordForInitdb = `${unfinished}.password`
    fs.mkdirSync(unfinished, { mode: 0o700 })
    try {
      fs.writeFileSync(passwordForInitdb, password, { mode: 0o600 })
      if (initdbIds) giveTo(initdbIds, [unfinished, passwordForInitdb])
      runInitdb(binaries.initdb, ['--pgdata', unfinished, '--pwfile', passwordForInitdb, ...FLAGS])
    } finally {
      fs.rmSync(passwordForInitdb, { force: true })
    }
    fs.writeFileSync(path.join(unfinished, path.basename(stateDir.passwordFile)), password, { mode: 0o600, flush: true })
    if (serverIds) giveTo(serverIds, [unfinished, ...entriesBelow(unfinished).map(({ file }) => file)])
  })
}

/** Throws for a database of another major version. Only the release that created it can open it. */
export function assertSameVersion({ data }: StateDir, { majorVersion }: Binaries): void {
  const found = fs.readFileSync(path.join(data, 'PG_VERSION'), 'utf8').trim()
  if (found === majorVersion) return
  throw new EmbeddedPostgresError(
    'postgres.wrong_version',
    `${data} was created by PostgreSQL ${found}, and this release contains PostgreSQL ${majorVersion}. Nothing was changed. Export the data with the release that created it, or set DATABASE_URL to a PostgreSQL ${found} server.`,
  )
}

function runInitdb(program: string, flags: readonly string[]): void {
  const run = spawnSync(program, flags, { ...initdbIds, cwd: '/', encoding: 'utf8', env: serverEnvironment })
  if (run.status === 0) return
  const reason = run.error?.message ?? run.stderr.trim()
  const cure = /user does not exist/.test(reason)
    ? ' The first start needs an entry for this account in /etc/passwd; or set DATABASE_URL to a PostgreSQL server of your own.'
    : ''
  throw new EmbeddedPostgresError('postgres.initdb_failed', `initdb failed: ${reason}.${cure}`)
}

function giveTo({ uid, gid }: Ids, files: readonly string[]): void {
  for (const file of files) fs.lchownSync(file, uid, gid)
}
