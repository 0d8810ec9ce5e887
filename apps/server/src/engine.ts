import type pg from 'pg'
import type { DatabaseWatch } from './db/database-watch.ts'
import type { PrismaClient } from './db/prisma.ts'
import { createRecordTables } from './db/record-tables.ts'
import type { SetAside } from './db/set-aside.ts'
import { assertLogIn } from './engine-change/record.ts'
import { openPostgresStores } from './stores/postgres.ts'
import type { Stores } from './stores/stores.ts'
import type { SharedFlush } from './sync/flushing.ts'
import type { NatsAddress } from './sync/nats/address.ts'
import { openPostgresSynchronizer } from './sync/postgres/postgres.ts'
import { StoreSetupError, type Synchronizer } from './sync/synchronizer.ts'

/** What replicas share: the log, and what is kept beside it. */
export interface Engine {
  readonly log: Synchronizer
  readonly stores: Stores
}

export interface EngineOptions {
  readonly connection: pg.ClientConfig
  readonly prisma: PrismaClient
  readonly database: DatabaseWatch
  /** The NATS cluster that keeps all of it; the database does if not given. */
  readonly nats: NatsAddress | undefined
  readonly sharedFlush: SharedFlush
  /** What waits for the database takes at most so many bytes, where it is kept elsewhere. */
  readonly recordBytes: number
  /** The replica's name. */
  readonly name: string
  /** The revision that the projections have reached. */
  reached(): Promise<number>
  /** Whether every replica reads packed decisions. */
  mayPack(): boolean
  onSetAside(row: SetAside): void
  warn(message: string): void
}

/**
 * Opens the engine that the settings name; the one place that knows which there are. Throws StoreSetupError where its log has no
 * entry and the tables have followed one.
 */
export function openEngine(options: EngineOptions): Promise<Engine> {
  return options.nats === undefined ? openPostgres(options) : openNats(options, options.nats)
}

/** A service that went on from an empty log would forget every claim: the log is lost, or in the other engine. */
async function assertSameLog({ engine, past }: Synchronizer, reached: EngineOptions['reached']): Promise<void> {
  const isEmpty = async (): Promise<boolean> => (await past.retention()).firstAt === null
  if (!(await isEmpty())) return
  const revision = await reached()
  // others may have begun the log meanwhile
  if (revision === 0 || !(await isEmpty())) return
  throw new StoreSetupError([
    `The log that GANTT_SYNC names (${engine}) is empty, and the database has followed one up to revision ${revision}: with it every claim would be forgotten. Set GANTT_SYNC as it was, or restore the log; a new fleet needs a database of its own.`,
  ])
}

async function openPostgres({ connection, prisma, sharedFlush, mayPack, reached, warn }: EngineOptions): Promise<Engine> {
  await assertLogIn('postgres', connection)
  const log = await openPostgresSynchronizer(connection, sharedFlush)
  return withStores(log, reached, () => openPostgresStores({ connection, prisma, mayPack, warn }))
}

/** The driver is loaded where it is chosen. */
async function openNats(
  { connection, prisma, database, recordBytes, name, reached, mayPack, onSetAside, warn }: EngineOptions,
  address: NatsAddress,
) {
  // without the database the streams alone say whether the log is in them
  if (database.away === undefined)
    await assertLogIn('nats', connection).catch((error: unknown) => {
      if (error instanceof StoreSetupError) throw error
      warn(`whether the log was taken out of NATS could not be asked: ${error instanceof Error ? error.message : String(error)}`)
    })
  const [{ openNatsSynchronizer }, { openNatsStores }] = await Promise.all([import('./sync/nats/nats.ts'), import('./stores/nats/nats.ts')])
  const log = await openNatsSynchronizer(address, { name, warn, reached })
  const tables = createRecordTables(prisma, { mayPack, onSetAside, warn })
  const isThere = (): boolean => database.away === undefined
  return withStores(log, reached, () => openNatsStores(address, { name, tables, recordBytes, isThere, time: log.time, warn }))
}

async function withStores(log: Synchronizer, reached: EngineOptions['reached'], open: () => Promise<Stores>): Promise<Engine> {
  try {
    await assertSameLog(log, reached)
    return { log, stores: await open() }
  } catch (error) {
    await log.close()
    throw error
  }
}
