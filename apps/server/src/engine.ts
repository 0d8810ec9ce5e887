import type pg from 'pg'
import type { PrismaClient } from './db/prisma.ts'
import { openPostgresStores } from './stores/postgres.ts'
import type { Stores } from './stores/stores.ts'
import type { SharedFlush } from './sync/flushing.ts'
import type { NatsAddress } from './sync/nats/address.ts'
import { openPostgresSynchronizer } from './sync/postgres/postgres.ts'
import type { Synchronizer } from './sync/synchronizer.ts'

/** What replicas share: the log, and what is kept beside it. */
export interface Engine {
  readonly log: Synchronizer
  readonly stores: Stores
}

export interface EngineOptions {
  readonly connection: pg.ClientConfig
  readonly prisma: PrismaClient
  /** The NATS cluster that keeps the log; undefined: the database does. */
  readonly nats: NatsAddress | undefined
  readonly sharedFlush: SharedFlush
  /** The replica's, for lists of connections. */
  readonly name: string
  /** The revision that all who follow the log beside replicas have reached. */
  reached(): Promise<number>
  /** Whether every replica reads packed decisions. */
  mayPack(): boolean
  warn(message: string): void
}

/** Opens the engine that the settings name; the one place that knows which there are. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { connection, prisma, mayPack, warn } = options
  const stores = await openPostgresStores({ connection, prisma, mayPack, warn })
  try {
    return { log: await openLog(options), stores }
  } catch (error) {
    await stores.close()
    throw error
  }
}

/** The driver of NATS is loaded where it is chosen. */
async function openLog({ connection, nats, sharedFlush, name, reached, warn }: EngineOptions): Promise<Synchronizer> {
  if (nats === undefined) return openPostgresSynchronizer(connection, sharedFlush)
  const { openNatsSynchronizer } = await import('./sync/nats/nats.ts')
  return openNatsSynchronizer(nats, { name, warn, reached })
}
