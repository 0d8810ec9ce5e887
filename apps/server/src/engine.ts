import type pg from 'pg'
import type { PrismaClient } from './db/prisma.ts'
import { openPostgresStores } from './stores/postgres.ts'
import type { Stores } from './stores/stores.ts'
import type { SharedFlush } from './sync/flushing.ts'
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
  readonly sharedFlush: SharedFlush
  /** Whether every replica reads packed decisions. */
  mayPack(): boolean
  warn(message: string): void
}

/** Opens the engine that the settings name; the one place that knows which there are. */
export async function openEngine({ connection, prisma, sharedFlush, mayPack, warn }: EngineOptions): Promise<Engine> {
  const stores = await openPostgresStores({ connection, prisma, mayPack, warn })
  try {
    return { log: await openPostgresSynchronizer(connection, sharedFlush), stores }
  } catch (error) {
    await stores.close()
    throw error
  }
}
