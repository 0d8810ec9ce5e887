import type pg from 'pg'
import type { DatabaseWatch } from './db/database-watch.ts'
import type { PrismaClient } from './db/prisma.ts'
import type { TableWriter } from './db/table-writer.ts'
import { createRecordTables } from './db/tables/record-tables.ts'
import type { SetAside } from './db/tables/set-aside.ts'
import { assertLogIn } from './engine-change/record.ts'
import { openPostgresStores } from './stores/postgres.ts'
import type { Stores } from './stores/stores.ts'
import type { SharedFlush } from './sync/flushing.ts'
import { type Followed, findMismatch, mismatchText } from './sync/followed-log.ts'
import type { NatsAddress } from './sync/nats/address.ts'
import { openPostgresSynchronizer } from './sync/postgres/postgres.ts'
import { StoreSetupError, StoreUnavailableError, type Synchronizer } from './sync/synchronizer.ts'
import { realTimers } from './timers.ts'

/** The parts that replicas share: the log and the other stores. */
export interface Engine {
  readonly log: Synchronizer
  readonly stores: Stores
}

export interface EngineOptions {
  readonly connection: pg.ClientConfig
  readonly prisma: PrismaClient
  readonly writer: TableWriter
  readonly database: DatabaseWatch
  /** The NATS cluster that stores the log and the other stores; absent: the database stores them. */
  readonly nats: NatsAddress | undefined
  readonly sharedFlush: SharedFlush
  /** The maximum size in bytes of data that waits for the database, if NATS stores the log. */
  readonly recordBytes: number
  /** The replica's name. */
  readonly name: string
  /** The revision that the projections have reached, as far as it is known. */
  reached(): Promise<number>
  /** The last entry that the projections contain. Throws if the database does not answer. */
  followed(): Promise<Followed>
  /** Returns true if every replica can read decisions in packed (binary) form. */
  mayPack(): boolean
  onSetAside(row: SetAside): void
  warn(message: string): void
}

/**
 * Opens the engine that the settings name: PostgreSQL or NATS. Throws StoreSetupError if the database's tables contain the projection of
 * another log, and StoreUnavailableError if this cannot be checked yet.
 */
export function openEngine(options: EngineOptions): Promise<Engine> {
  return options.nats === undefined ? openPostgres(options) : openNats(options, options.nats)
}

/**
 * Checks that the database's tables contain the projection of this log. A service that continued with an empty, shorter or different log
 * would lose claims. While the database is unavailable, a log with entries is accepted without this check, and is compared once the
 * database answers again (replica/follow/projector.ts).
 */
async function assertSameLog(log: Synchronizer, { database, followed }: Pick<EngineOptions, 'database' | 'followed'>): Promise<void> {
  if (database.away !== undefined) {
    if ((await log.past.retention()).firstAt !== null) return
    throw new StoreUnavailableError(
      `the log that GANTT_SYNC names (${log.engine}) is empty, and the database, which may contain the tables of an earlier log, does not answer (${database.away.reason})`,
    )
  }
  // the position of the tables is read first, because the log always reaches at least the position of the tables
  const mismatch = await findMismatch(log, await followed(), realTimers)
  if (mismatch !== undefined) throw new StoreSetupError([mismatchText(mismatch)])
}

async function openPostgres(options: EngineOptions): Promise<Engine> {
  const { connection, prisma, writer, sharedFlush, mayPack, warn } = options
  await assertLogIn('postgres', connection)
  const log = await openPostgresSynchronizer(connection, sharedFlush)
  return withStores(log, options, () => openPostgresStores({ connection, prisma, writer, mayPack, warn }))
}

/** Opens the engine NATS. Its modules are imported here, so that a service without NATS does not load them. */
async function openNats(options: EngineOptions, address: NatsAddress): Promise<Engine> {
  const { connection, prisma, writer, database, recordBytes, name, reached, mayPack, onSetAside, warn } = options
  // if the database is unreachable, only the streams can show whether they contain the log
  if (database.away === undefined)
    await assertLogIn('nats', connection).catch((error: unknown) => {
      if (error instanceof StoreSetupError) throw error
      warn(
        `the database could not be asked whether the log was moved out of NATS: ${error instanceof Error ? error.message : String(error)}`,
      )
    })
  const [{ openNatsSynchronizer }, { openNatsStores }] = await Promise.all([import('./sync/nats/nats.ts'), import('./stores/nats/nats.ts')])
  const log = await openNatsSynchronizer(address, { name, warn, reached })
  const tables = createRecordTables({ prisma, writer, mayPack, onSetAside, warn })
  const isDatabaseUp = (): boolean => database.away === undefined
  return withStores(log, options, () => openNatsStores(address, { name, tables, recordBytes, isDatabaseUp, time: log.time, warn }))
}

async function withStores(log: Synchronizer, options: EngineOptions, open: () => Promise<Stores>): Promise<Engine> {
  try {
    await assertSameLog(log, options)
    return { log, stores: await open() }
  } catch (error) {
    await log.close()
    throw error
  }
}
