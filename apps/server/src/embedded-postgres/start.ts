import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type Binaries, removeOtherBinaries, stageBinaries } from './binaries.ts'
import { codeOf, EmbeddedPostgresError } from './error.ts'
import { assertSameVersion, createDatabase, DATABASE_USER } from './initdb.ts'
import { type Departure, joinOwners, leaveOwners } from './owner.ts'
import { askToStop, findPostmaster, type Launched, launch, readLogTail, removeStaleLocks, type Settings } from './postmaster.ts'
import { defaultStateDir, openStateDir, type StateDir } from './state-dir.ts'

export type EmbeddedPostgresOptions = {
  readonly stateDir?: string
  /** Additional PostgreSQL settings. They apply if this process starts the server, not if it joins. */
  readonly settings?: Settings
  readonly timeoutMs?: number
  /**
   * If true, the call throws `postgres.in_use` if another process owns the server, or if another process that also needs the server alone
   * was faster. Processes without this option may join later.
   */
  readonly alone?: boolean
  /**
   * Called when the server ended unexpectedly. The server can be started again with the same socket and password, so that pools reconnect.
   */
  readonly onLost?: () => void
}

export type EmbeddedPostgres = {
  /**
   * `started`: this process started the server. `attached`: other processes already used the server. `adopted`: the server ran without an
   * owner, because its owners died or because the process that started it has not joined yet.
   */
  readonly mode: 'started' | 'attached' | 'adopted'
  /** True if this start created the database. */
  readonly created: boolean
  /** How many processes used the server when this one joined, including this one. */
  readonly owners: number
  readonly pid: number | undefined
  /** The duration of this call in milliseconds. */
  readonly ms: number
  connection(database?: string): PostgresConnection
  url(database?: string): string
  /** Stops using the server. The caller's connections must be closed first. Further calls return the same answer. */
  stop(): Promise<Departure>
  /** Stops using the server but lets it run, even without another owner. The next process adopts it. */
  leave(): Promise<void>
}

export type PostgresConnection = {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  readonly ssl: false
}

const POLL_INTERVAL_MS = 20
const RESTART_DELAY_MS = 200

/**
 * Provides a running PostgreSQL server on the state directory. Creates the database at the first start, and joins the server if one is
 * running, otherwise starts it. All processes with the same directory share one server, and the last one to stop stops it.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions = {}): Promise<EmbeddedPostgres> {
  const { settings = {}, timeoutMs = 60_000, alone = false, onLost = () => {} } = options
  const startedAt = performance.now()
  const stateDir = openStateDir(options.stateDir ?? defaultStateDir())
  const binaries = stageBinaries(stateDir.root)
  const created = createDatabase(stateDir, binaries)
  assertSameVersion(stateDir, binaries)

  const password = fs.readFileSync(stateDir.passwordFile, 'utf8')
  const connection = (database = 'postgres'): PostgresConnection => ({
    host: stateDir.run,
    port: 5432,
    user: DATABASE_USER,
    password,
    database,
    ssl: false, // overrides PGSSLMODE
  })
  const { client, owners, launched } = await joinOrLaunch({ stateDir, binaries, settings, timeoutMs, alone, connection: connection() })

  const pid = findPostmaster(stateDir)
  const mode = launched !== undefined && launched.pid === pid ? 'started' : owners === 1 ? 'adopted' : 'attached'
  if (mode === 'started') removeOtherBinaries(stateDir.root, binaries)

  let departure: Promise<Departure> | undefined
  client.once('end', () => {
    if (departure === undefined) onLost()
  })
  return {
    mode,
    created,
    owners,
    pid,
    ms: Math.round(performance.now() - startedAt),
    connection,
    url: (database = 'postgres') =>
      `postgresql://${DATABASE_USER}:${password}@localhost:5432/${encodeURIComponent(database)}?host=${encodeURIComponent(stateDir.run)}`,
    stop: () => {
      departure ??= leaveOwners(client, stateDir)
      return departure
    },
    async leave() {
      departure ??= client.end().then(
        () => 'left',
        () => 'gone',
      )
      await departure
    },
  }
}

type Attempt = {
  readonly stateDir: StateDir
  readonly binaries: Binaries
  readonly settings: Settings
  readonly timeoutMs: number
  readonly alone: boolean
  readonly connection: PostgresConnection
}

type Joined = { readonly client: pg.Client; readonly owners: number; readonly launched: Launched | undefined }

/** Tries to join a server, and starts one if there is none. Repeats this until joining or starting succeeds. */
async function joinOrLaunch({ stateDir, binaries, settings, timeoutMs, alone, connection }: Attempt): Promise<Joined> {
  let launched: Launched | undefined
  let deadline = Date.now() + timeoutMs
  try {
    for (;;) {
      const joined = await tryToJoin(connection, stateDir, alone)
      if ('client' in joined) return { ...joined, launched }

      // 57P03: the server is starting, recovering or stopping. The timeout begins only when the server has left this state.
      if (codeOf(joined.refusal) === '57P03') deadline = Date.now() + timeoutMs
      if (Date.now() > deadline) throw timedOut(stateDir, timeoutMs, joined.refusal)

      const isOurTurn = findPostmaster(stateDir) === undefined && (launched === undefined || launched.ended !== undefined)
      if (isOurTurn) {
        if (launched !== undefined) {
          assertPasses(stateDir, launched)
          await sleep(RESTART_DELAY_MS)
        }
        removeStaleLocks(stateDir)
        launched = launch(stateDir, binaries, settings)
      }
      await sleep(POLL_INTERVAL_MS)
    }
  } catch (error) {
    // stops the server that this process started, unless another process owns it now
    if (launched?.pid !== undefined && launched.ended === undefined && codeOf(error) !== 'postgres.in_use') askToStop(launched.pid)
    throw error
  }
}

async function tryToJoin(
  connection: PostgresConnection,
  { passwordFile }: StateDir,
  alone: boolean,
): Promise<Omit<Joined, 'launched'> | { refusal: unknown }> {
  try {
    return await joinOwners(connection, alone)
  } catch (refusal) {
    const code = codeOf(refusal)
    if (code === 'postgres.in_use') throw refusal
    if (code === '28P01' || code === '28000') {
      throw new EmbeddedPostgresError(
        'postgres.wrong_password',
        `The embedded PostgreSQL server refuses the password in ${passwordFile}.`,
        {
          cause: refusal,
        },
      )
    }
    return { refusal }
  }
}

/**
 * Throws if the server that this process started failed for a reason that retrying does not resolve. Retrying resolves three cases: another
 * process started the server first, children of a killed server are still ending, or the last owner stopped the server before this process
 * joined.
 */
function assertPasses(stateDir: StateDir, { ended }: Launched): void {
  if (ended === '0') return
  const tail = readLogTail(stateDir)
  if (/already exists|still in use/.test(tail)) return
  throw new EmbeddedPostgresError('postgres.start_failed', `The embedded PostgreSQL server did not start (${ended}):\n${tail}`)
}

function timedOut({ socket, logFile }: StateDir, timeoutMs: number, refusal: unknown): EmbeddedPostgresError {
  const reason = refusal instanceof Error ? refusal.message : String(refusal)
  return new EmbeddedPostgresError(
    'postgres.timeout',
    `The embedded PostgreSQL server did not answer on ${socket} within ${timeoutMs} ms: ${reason}. Its log is ${logFile}.`,
    { cause: refusal },
  )
}
