import { setTimeout as sleep } from 'node:timers/promises'
import type { PrismaClient } from '../db/prisma.ts'
import type { TableWriter } from '../db/table-writer.ts'
import { createRecordTables, type KeyRow, type RecordTables } from '../db/tables/record-tables.ts'
import { type NatsKeys, openNatsKeys } from '../stores/nats/api-keys.ts'
import { LEASES_LAST_MS } from '../stores/nats/leases.ts'
import { ensureStoreStreams } from '../stores/nats/streams.ts'
import { createWriteBehind, KEYS } from '../stores/nats/write-behind.ts'
import { FORGOTTEN_AFTER_MS } from '../stores/replicas.ts'
import { StoreUnavailableError } from '../sync/synchronizer.ts'
import { realTimers } from '../timers.ts'
import { differs } from './fold.ts'
import type { NatsSide } from './streams.ts'

export interface RecordsOptions {
  readonly side: NatsSide
  readonly prisma: PrismaClient
  readonly writer: TableWriter
  warn(message: string): void
}

/** The timeout for writing the data that waits in NATS into the tables. */
const DRAIN_MS = 600_000
const RETRY_DELAY_MS = 50

const tablesOf = ({ prisma, writer, warn }: RecordsOptions): RecordTables =>
  createRecordTables({
    prisma,
    writer,
    // Decisions are written as JSON documents instead of in packed form, because every release can read JSON documents.
    mayPack: () => false,
    onSetAside: ({ kind, id, reason }) => warn(`the database refuses ${kind} ${id}: ${reason}; it is skipped`),
    warn,
  })

const openKeys = ({ side, warn }: RecordsOptions, begin: RecordTables['keys']): Promise<NatsKeys> =>
  openNatsKeys(side.connection, {
    ...{ names: side.stores.keys, timers: realTimers, begin, warn },
    keepUses: async () => {},
    readUses: async () => new Map(),
  })

/**
 * Creates the NATS streams of all stores but the log, and copies the API keys from their PostgreSQL table. Returns how many keys there are.
 */
export async function migrateKeys(options: RecordsOptions, fleet: string, recordBytes: number): Promise<number> {
  const { side } = options
  const tables = tablesOf(options)
  const forgottenAfterMs = Math.max(FORGOTTEN_AFTER_MS, LEASES_LAST_MS)
  await ensureStoreStreams(side.connection, fleet, { copies: side.copies, recordBytes, forgottenAfterMs })
  const keys = await openKeys(options, tables.keys)
  try {
    return assertSameKeys(await rowsOf(tables), keys.fold.list())
  } finally {
    await keys.close()
  }
}

/**
 * Writes the data that waits in NATS (refusals, placements that claim nothing, the audit, uses and edits of API keys) into the tables.
 * Returns how many keys there are.
 */
export async function drainRecords(options: RecordsOptions): Promise<number> {
  const { side, warn } = options
  const tables = tablesOf(options)
  const keys = await openKeys(options, async () => [])
  try {
    const writer = createWriteBehind(side.connection, {
      ...{ names: side.stores, tables, keys, timers: realTimers, warn },
      isDatabaseUp: () => true,
    })
    try {
      writer.kick()
      const isDone = async (): Promise<boolean> =>
        (await writer.caughtUp(DRAIN_MS)) && (keys.fold.head === '' || (await tables.position(KEYS)).id === keys.fold.head)
      for (const end = Date.now() + DRAIN_MS; !(await isDone()); await sleep(RETRY_DELAY_MS)) {
        if (Date.now() > end) throw new StoreUnavailableError('the tables do not accept the data that waits for them in NATS')
        writer.kick()
      }
    } finally {
      await writer.close()
    }
    if (keys.fold.unreadable !== undefined) throw differs(keys.fold.unreadable)
    return assertSameKeys(keys.fold.list(), await rowsOf(tables))
  } finally {
    await keys.close()
  }
}

const rowsOf = async (tables: RecordTables): Promise<KeyRow[]> =>
  (await tables.keys()).flatMap((write) => (write.type === 'insert' ? [write] : []))

function assertSameKeys(from: readonly KeyRow[], to: readonly KeyRow[]): number {
  const known = new Set(to.map(textOf))
  const missing = from.filter((row) => !known.has(textOf(row)))
  if (missing.length > 0 || from.length !== to.length)
    throw differs(
      `${missing.length} of ${from.length} keys are missing or different in the copy of ${to.length} keys: ${missing[0]?.key.id ?? ''}`,
    )
  return from.length
}

/** All fields of a key as text, except the time of its last use, which is copied later. */
const textOf = ({ key: { lastUsedAt: _lastUsedAt, scopes, hosts, ...key }, hash }: KeyRow): string =>
  JSON.stringify([
    key.id,
    key.name,
    key.account,
    key.prefix,
    scopes,
    hosts,
    key.maxNodes,
    key.project,
    key.replaces,
    key.createdAt,
    key.expiresAt,
    key.revokedAt,
    hash,
  ])
