import type { RecordTables } from '../../db/tables/record-tables.ts'
import type { NatsAddress } from '../../sync/nats/address.ts'
import { openConnection } from '../../sync/nats/connection.ts'
import { checkServer, namesOf } from '../../sync/nats/stream-settings.ts'
import { realTimers, type Timers } from '../../timers.ts'
import { FORGOTTEN_AFTER_MS } from '../replicas.ts'
import type { Stores } from '../stores.ts'
import { openNatsKeys } from './api-keys.ts'
import { LEASES_LAST_MS, openNatsLeases } from './leases.ts'
import { createRecordsOut, type RecordsOut } from './records.ts'
import { openNatsReplicas } from './replicas.ts'
import { ensureStoreStreams } from './streams.ts'
import { createWriteBehind, type WriteBehind } from './write-behind.ts'

export interface NatsStoresOptions {
  /** Shown in the servers' list of connections. */
  readonly name: string
  readonly tables: RecordTables
  /** The maximum size of the stream of records, in bytes. */
  readonly recordBytes: number
  /** Returns true if the database is available. */
  isDatabaseUp(): boolean
  /** The time by the store's clock, in milliseconds since 1970. */
  time(): Promise<number>
  warn(message: string): void
  readonly timers?: Timers
  /** If a stream seems to have lost messages, the loss is accepted only after this time, in milliseconds. */
  readonly doubtMs?: number
}

/**
 * Opens all stores in JetStream. The tables follow these stores. Throws StoreSetupError if servers or streams have wrong settings, and
 * StoreUnavailableError if no server answers.
 */
export async function openNatsStores(
  address: NatsAddress,
  { name, tables, recordBytes, isDatabaseUp, time, warn, timers = realTimers, doubtMs }: NatsStoresOptions,
): Promise<Stores> {
  const opened: (() => Promise<void> | void)[] = []
  const close = async (): Promise<void> => {
    for (let end = opened.pop(); end !== undefined; end = opened.pop()) await end()
  }
  try {
    const connection = await openConnection(address, `${name} (stores)`)
    opened.push(() => connection.close())
    const copies = checkServer(connection)
    const forgottenAfterMs = Math.max(FORGOTTEN_AFTER_MS, LEASES_LAST_MS)
    const names = await ensureStoreStreams(connection, address.fleet, { copies, recordBytes, forgottenAfterMs })
    let behind: WriteBehind | undefined
    const records: RecordsOut = createRecordsOut(connection, names.records, { onKept: () => behind?.kick(), warn })
    const keys = await openNatsKeys(connection, {
      ...{ names: names.keys, timers, warn, doubtMs },
      keepUses: records.keepUses,
      readUses: async () => (isDatabaseUp() ? tables.uses() : new Map()),
      begin: tables.keys,
    })
    const writer = createWriteBehind(connection, { names, tables, keys, timers, isDatabaseUp, warn })
    behind = writer
    opened.push(() => writer.close())
    opened.push(() => keys.close())
    const replicas = await openNatsReplicas(connection, { names: names.replicas, log: namesOf(address.fleet).log, timers, time })
    opened.push(() => replicas.close())
    const leases = await openNatsLeases(connection, { names: names.leases, timers, time })
    opened.push(() => leases.close())
    const { keepDecisions, keepAudit } = records
    return {
      keys,
      records: { keepDecisions, keepAudit, caughtUp: writer.caughtUp, takesMore: () => !records.isFull },
      replicas,
      leases,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
