import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { createPrisma, type PrismaClient } from '../db/prisma.ts'
import { createTableWriter, type TableWriter } from '../db/table-writer.ts'
import { createReplicaStore } from '../db/tables/replicas.ts'
import { isLiving } from '../replica/watch/registry.ts'
import type { ReplicaRows } from '../stores/replicas.ts'
import type { NatsAddress } from '../sync/nats/address.ts'
import { EngineChangeError } from './error.ts'
import { assertAlike, type LogSum, sumUp } from './fold.ts'
import { type ChangeRecord, type EngineChange, type EngineName, inTransaction, openChangeRecord, whereIs } from './record.ts'
import { drainRecords, migrateKeys } from './records.ts'
import { type NatsLogState, type NatsSide, openNatsSide } from './streams.ts'
import { projectionPlace, readTables, replaceTables } from './tables.ts'

/** The steps of a change of engine, in order. `drain` occurs only in a change to PostgreSQL, and `keys` only in a change to NATS. */
export const changeSteps = ['check', 'close', 'drain', 'copy', 'keys', 'verify', 'declare', 'end'] as const
export type ChangeStep = (typeof changeSteps)[number]

export interface ChangeOptions {
  /** The migrated database of the replicas. */
  readonly connection: pg.ClientConfig
  readonly nats: NatsAddress
  readonly to: EngineName
  /** If true, checks that the change is possible and computes the digest of the log. Nothing is changed. */
  readonly isDry?: boolean
  /** The maximum size in bytes of data that waits in NATS for the database. */
  readonly recordBytes: number
  /** Called before each step. If the callback throws, the change ends there. */
  onStep?(step: ChangeStep): void | Promise<void>
  /** Called with the count of entries copied so far. */
  onCopied?(entries: number): void
  warn(message: string): void
}

export interface ChangeReport {
  /**
   * `ready`: the change is possible, and nothing was changed (`isDry`). `done`: this call copied the log and completed the change. `ended`:
   * an earlier call had completed all but the last step. `already`: an earlier call had completed the whole change.
   */
  readonly outcome: 'ready' | 'done' | 'ended' | 'already'
  /** The digest of the copied log; null if an earlier call copied it. */
  readonly from: LogSum | null
  /** The digest of the log as it was read from the target; null if nothing was copied. */
  readonly to: LogSum | null
  /** How many API keys were copied; null if nothing was copied. */
  readonly keys: number | null
  /** The log's last revision. */
  readonly revision: number
}

interface Parts extends ChangeOptions {
  readonly record: ChangeRecord
  readonly prisma: PrismaClient
  readonly writer: TableWriter
  readonly side: NatsSide
  readonly address: string
  readonly last: EngineChange | undefined
}

/**
 * Moves the log and the other stores from one engine to the other, with the same revisions. No replica may be running. The old engine is
 * closed first. The new engine is opened last, after its log was read and compared. If a call is interrupted, at most one engine is open,
 * and the call can be repeated. Throws EngineChangeError, StoreSetupError, StoreUnavailableError, or EntryTooLargeError.
 */
export async function changeEngine(options: ChangeOptions): Promise<ChangeReport> {
  return withParts(options, async (parts) => (options.to === 'nats' ? changeToNats(parts) : changeToPostgres(parts)))
}

/** The NATS URL of a fleet in the form of GANTT_SYNC, without credentials. */
export const addressText = ({ servers, isTls, fleet }: NatsAddress): string =>
  `${isTls ? 'tls' : 'nats'}://${servers.join(',')}${fleet === 'main' ? '' : `/${fleet}`}`

async function withParts<T>(options: ChangeOptions, work: (parts: Parts) => Promise<T>): Promise<T> {
  const record = await openChangeRecord(options.connection)
  const prisma = createPrisma(options.connection)
  const writer = createTableWriter(options.connection)
  try {
    const side = await openNatsSide(options.nats)
    try {
      return await work({ ...options, record, prisma, writer, side, address: addressText(options.nats), last: await record.last() })
    } finally {
      await side.close()
    }
  } finally {
    await prisma.$disconnect()
    await writer.close()
    await record.end()
  }
}

async function changeToNats(parts: Parts): Promise<ChangeReport> {
  const { record, prisma, side, last, address, nats, recordBytes, isDry = false, onStep = () => {}, onCopied = () => {} } = parts
  await onStep('check')
  const state = await side.state()
  if (last?.to === 'nats' && last.state === 'done' && state.phase === 'here' && state.change === last.id) return already(last)
  assertMayGo(parts, state)
  const begun = last !== undefined && last.state !== 'done' ? last : undefined
  if (begun !== undefined && state.phase === 'here' && state.change === begun.id) {
    if (!isDry) await record.mark(begun.id, 'done', state.lastRevision)
    return { outcome: 'ended', from: null, to: null, keys: null, revision: state.lastRevision }
  }
  await assertMayFill(parts, state, begun)
  assertNobodyLives(await createReplicaStore(prisma).list())
  if (state.phase === 'here') assertNobodyLives(await side.replicas())
  if (isDry) return dryReport(await sumUp(await readTables(record.client)))

  await onStep('close')
  const id = begun?.id ?? randomUUID()
  if (begun === undefined) await record.begin({ id, to: 'nats', address })
  else await record.mark(id, 'copying', 0)
  const log = await readTables(record.client)
  const from = await sumUp(log)
  await onStep('copy')
  await side.remove()
  await side.fill(id, log, onCopied)
  await onStep('keys')
  await record.client.query(`DELETE FROM projection_position WHERE name <> 'main'`)
  const keys = await migrateKeys(parts, nats.fleet, recordBytes)
  await onStep('verify')
  const to = await sumUp(await side.read())
  assertAlike(from, to)
  await onStep('declare')
  await record.mark(id, 'verified', to.revision)
  await side.declare()
  await onStep('end')
  await record.mark(id, 'done', to.revision)
  return { outcome: 'done', from, to, keys, revision: to.revision }
}

async function changeToPostgres(parts: Parts): Promise<ChangeReport> {
  const { record, side, last, address, isDry = false, onStep = () => {}, onCopied = () => {} } = parts
  await onStep('check')
  const state = await side.state()
  if (last?.to === 'postgres' && last.state === 'done' && state.phase === 'left' && state.change === last.id) return already(last)
  const begun = last !== undefined && last.state !== 'done' ? last : undefined
  assertMayGo(parts, state)
  if (state.phase !== 'here' && !(state.phase === 'left' && state.change === begun?.id))
    throw new EngineChangeError('engine.not_open', `there is no log of the fleet ${parts.nats.fleet} in use at ${address}`)
  await assertMayReplace(parts)
  assertNobodyLives(await side.replicas())
  if (isDry) return dryReport(await sumUp(await side.read()))

  await onStep('close')
  const id = begun?.id ?? randomUUID()
  if (begun === undefined) await record.begin({ id, to: 'postgres', address })
  await side.leave(id)
  const log = await side.read()
  const from = await sumUp(log)
  await onStep('drain')
  const keys = await drainRecords(parts)
  await onStep('copy')
  const to = await inTransaction(record.client, async () => {
    await replaceTables(record.client, log, onCopied)
    await onStep('verify')
    const copied = await sumUp(await readTables(record.client))
    assertAlike(from, copied)
    const { lastRevision } = await side.state()
    if (lastRevision !== copied.revision)
      throw new EngineChangeError(
        'engine.in_use',
        `an entry came into NATS at revision ${lastRevision} after it was closed; run this again`,
      )
    await onStep('declare')
    await record.mark(id, 'done', copied.revision)
    return copied
  })
  await onStep('end')
  return { outcome: 'done', from, to, keys, revision: to.revision }
}

/**
 * Cancels an incomplete change. The old engine is then used again. Throws EngineChangeError if there is no such change
 * (`engine.no_change`), or if the new engine is already in use (`engine.elsewhere`).
 */
export async function abandonChange(options: ChangeOptions): Promise<void> {
  await withParts(options, async ({ record, side, last, address, to }) => {
    if (last === undefined || last.state === 'done')
      throw new EngineChangeError('engine.no_change', 'there is no change of the engine that could be reverted')
    const { phase, change } = await side.state()
    if (last.to !== to || (last.address !== address && change !== last.id)) throw new EngineChangeError('engine.no_change', whereIs(last))
    if (to === 'postgres') {
      await side.comeBack()
      const before = await record.client.query('SELECT FROM engine_change WHERE id <> $1', [last.id])
      // a database whose log was already in the other engine before this change stays closed
      return record.forget(last.id, before.rowCount === 0)
    }
    if (phase === 'here' && change === last.id)
      throw new EngineChangeError(
        'engine.elsewhere',
        'the log in NATS is already in use: run the same command without --abandon to end the change',
      )
    if (phase === 'incoming' && change === last.id) await side.remove()
    await record.client.query(`DELETE FROM projection_position WHERE name <> 'main'`)
    await record.forget(last.id, true)
  })
}

const already = ({ revision }: EngineChange): ChangeReport => ({
  ...{ outcome: 'already', from: null, to: null, keys: null },
  revision: revision ?? 0,
})

const dryReport = (from: LogSum): ChangeReport => ({ outcome: 'ready', from, to: null, keys: null, revision: from.revision })

/**
 * Checks that the log is in the engine from which it will be copied, or that an incomplete change in the same direction between the same
 * engines exists.
 */
function assertMayGo({ last, to, address }: Parts, { change }: NatsLogState): void {
  if (last === undefined) return
  // A cluster can have several URLs. A different URL is accepted if the streams contain the id of the same change.
  const isSame = last.address === address || change === last.id
  const mayGo = last.state === 'done' ? last.to !== to && (to === 'nats' || isSame) : last.to === to && isSame
  if (!mayGo) throw new EngineChangeError('engine.elsewhere', whereIs(last))
}

/** Checks that the streams are empty or contain only data of this database's own changes. */
async function assertMayFill(
  { record, address, nats }: Parts,
  { phase, change, lastRevision }: NatsLogState,
  begun?: EngineChange,
): Promise<void> {
  if (phase === 'absent' || (phase === 'here' && lastRevision === 0) || (phase === 'incoming' && change === begun?.id)) return
  const own = await record.client.query('SELECT FROM engine_change WHERE id::text = $1', [change])
  if (phase === 'left' && own.rowCount === 1) return
  const found = {
    here: 'holds a log in use',
    incoming: 'is being filled from another database',
    left: 'holds a log that another database took over',
  }
  throw new EngineChangeError(
    'engine.not_empty',
    `the fleet ${nats.fleet} at ${address} ${found[phase]} (${lastRevision} entries); name another fleet, or remove its streams GANTT_${nats.fleet}_* if they are not needed`,
  )
}

/**
 * Checks that the tables contain no log, or only the log that an earlier change copied to NATS. Also checks that the other content of the
 * tables belongs to this fleet.
 */
async function assertMayReplace({ record, side, last }: Parts): Promise<void> {
  const tables = await readTables(record.client)
  if (tables.lastRevision > 0 && last === undefined)
    throw new EngineChangeError(
      'engine.not_empty',
      `the database holds a log in use (${tables.lastRevision} entries); use the one that follows the fleet`,
    )
  const { revision, id } = await projectionPlace(record.client)
  if (revision === 0) return
  const log = await side.read()
  if (revision >= log.firstRevision && revision <= log.lastRevision)
    for await (const entry of log.entries(revision)) {
      if (entry.id === id) return
      break
    }
  throw new EngineChangeError(
    'engine.other_fleet',
    `the tables of the database follow another log: they are at revision ${revision}, entry ${id}, which the log in NATS does not contain`,
  )
}

/** Throws EngineChangeError (`engine.in_use`) with the names of all replicas that gave a recent sign of life. */
function assertNobodyLives({ now, rows }: ReplicaRows): void {
  const living = rows.filter((row) => isLiving(row, now))
  if (living.length === 0) return
  const names = living.map(
    ({ id, url, seenAt }) => `${id}${url === null ? '' : ` at ${url}`}, ${Math.max(0, Math.round((now - seenAt) / 1_000))} s ago`,
  )
  throw new EngineChangeError(
    'engine.in_use',
    `these replicas gave a recent sign of life: ${names.join('; ')}. Stop them; after a kill, wait for 10 s`,
  )
}
