import type { ApiKey, KeyUse, KeyWrite } from '../../stores/api-keys.ts'
import type { PrismaClient } from '../prisma.ts'
import { refusalOf } from '../refusal.ts'
import type { Database, TableWriter } from '../table-writer.ts'
import { toKey, writeKeyUses } from './api-keys.ts'
import { type AuditEntry, type AuditHead, appendAudit, NO_ROWS } from './audit.ts'
import { writeDecisions } from './decisions.ts'
import { warnIfBack } from './records.ts'
import { writeRequestSpecs } from './request-specs.ts'
import type { StoredDecision } from './rows.ts'
import { type SetAside, writeOrSetAside } from './set-aside.ts'

/** The position of the tables in a stream: sequence and id of the last message that they contain. */
export interface StreamPosition {
  readonly sequence: number
  readonly id: string
}

/** The records that consecutive messages of a stream contain. */
export interface RecordRows {
  readonly decisions: readonly StoredDecision[]
  readonly audit: readonly AuditEntry[]
  readonly uses: readonly KeyUse[]
  readonly keys: readonly KeyRow[]
}

/** An API key as it is after all edits that were read. */
export interface KeyRow {
  readonly key: ApiKey
  readonly hash: string
}

/** Tables that are filled from streams of records and keys. */
export interface RecordTables {
  position(stream: string): Promise<StreamPosition>
  /**
   * Writes rows and the new position in one transaction. Returns false and writes nothing if another replica is writing, or another replica
   * has already written these rows.
   */
  write(stream: string, from: StreamPosition, to: StreamPosition, rows: RecordRows): Promise<boolean>
  /** Writes that insert the existing keys, oldest first. */
  keys(): Promise<readonly KeyWrite[]>
  /** When keys were last used. */
  uses(): Promise<ReadonlyMap<string, number>>
}

export interface RecordTablesOptions {
  readonly prisma: PrismaClient
  readonly writer: TableWriter
  /** Returns true if every replica can read decisions in packed (binary) form. */
  mayPack(): boolean
  /** Called with each row that the database refuses because of its content. All other rows are written. */
  onSetAside(row: SetAside): void
  warn(message: string): void
}

/** The time limit of a transaction in milliseconds. */
const LIMIT_MS = 30_000

export function createRecordTables({ prisma, writer, mayPack, onSetAside, warn }: RecordTablesOptions): RecordTables {
  let known: AuditHead = NO_ROWS
  const run = (stream: string, from: StreamPosition, to: StreamPosition, rows: RecordRows, isCareful: boolean) =>
    writer.transaction(async (tx): Promise<{ readonly head: AuditHead; readonly aside: readonly SetAside[] } | undefined> => {
      await tx.$executeRaw`INSERT INTO projection_position (name, revision, id) VALUES (${stream}, 0, '') ON CONFLICT DO NOTHING`
      const [held] = await tx.$queryRaw<{ revision: bigint | string; id: string }[]>`
          SELECT revision, id FROM projection_position WHERE name = ${stream} FOR UPDATE SKIP LOCKED`
      if (held === undefined || Number(held.revision) !== from.sequence || held.id !== from.id) return undefined
      const aside: SetAside[] = []
      const put: Put = isCareful
        ? async (kind, some, write) => {
            const marked = some.map((row) => ({ ...row, revision: to.sequence }))
            aside.push(...(await writeOrSetAside(tx, kind, marked, write)))
          }
        : async (_kind, some, write) => {
            if (some.length > 0) await write(some)
          }
      const head = await writeRows(tx, rows, put, { mayPack: mayPack(), known, warn })
      await tx.$executeRaw`UPDATE projection_position SET revision = ${to.sequence}, id = ${to.id} WHERE name = ${stream}`
      return { head, aside }
    }, LIMIT_MS)
  return {
    async position(stream) {
      const found = await prisma.projectionPosition.findUnique({ where: { name: stream } })
      return { sequence: Number(found?.revision ?? 0), id: found?.id ?? '' }
    },
    async write(stream, from, to, rows) {
      const done = await run(stream, from, to, rows, false).catch((error: unknown) => {
        // the rows are written again one by one: a refused row is recorded, and all other rows are written
        if (refusalOf(error) === undefined) throw error
        return run(stream, from, to, rows, true)
      })
      if (done === undefined) return false
      known = done.head
      done.aside.forEach(onSetAside)
      return true
    },
    async keys() {
      const rows = await prisma.apiKey.findMany({ orderBy: { createdAtMs: 'asc' } })
      return rows.map((row) => ({ type: 'insert', key: toKey(row), hash: row.hash }))
    },
    async uses() {
      const rows = await prisma.apiKey.findMany({ select: { id: true, lastUsedAtMs: true } })
      return new Map(rows.flatMap(({ id, lastUsedAtMs }) => (lastUsedAtMs === null ? [] : [[id, Number(lastUsedAtMs)]])))
    },
  }
}

type Put = <Row extends { readonly id: string }>(
  kind: string,
  rows: readonly Row[],
  write: (rows: readonly Row[]) => Promise<unknown>,
) => Promise<unknown>

/** Writes the rows, and returns the new end of the audit's chain. */
async function writeRows(
  tx: Database,
  { decisions, audit, uses, keys }: RecordRows,
  put: Put,
  { mayPack, known, warn }: { readonly mayPack: boolean; readonly known: AuditHead; warn(message: string): void },
): Promise<AuditHead> {
  await put('decision', decisions, async (rows) => {
    await writeRequestSpecs(tx, rows)
    await writeDecisions(tx, rows, mayPack)
  })
  let head = known
  await put('audit', audit, async (rows) => {
    const chained = await appendAudit(tx, rows)
    warnIfBack(chained.before, head, warn)
    head = chained.head
  })
  await put(
    'api_key',
    keys.map(({ key, hash }) => ({ id: key.id, key, hash })),
    (rows) => writeKeys(tx, rows),
  )
  // a key can be used before its row exists; its next use is then stored
  if (uses.length > 0) await writeKeyUses(tx, uses)
  return head
}

async function writeKeys(tx: Database, rows: readonly KeyRow[]): Promise<void> {
  const documents = rows.map(({ key, hash }) => ({
    ...{ id: key.id, name: key.name, account: key.account, prefix: key.prefix, hash, scopes: key.scopes, hosts: key.hosts },
    ...{ max_nodes: key.maxNodes },
    ...{ project: key.project, replaces: key.replaces, created_at_ms: key.createdAt, expires_at_ms: key.expiresAt },
    ...{ revoked_at_ms: key.revokedAt, last_used_at_ms: key.lastUsedAt },
  }))
  await tx.$executeRaw`
    INSERT INTO api_key (id, name, account, prefix, hash, scopes, hosts, max_nodes, project, replaces, created_at_ms, expires_at_ms, revoked_at_ms, last_used_at_ms)
    SELECT * FROM jsonb_to_recordset(${JSON.stringify(documents)}::jsonb) AS row(id uuid, name text, account text, prefix text, hash text,
      scopes text[], hosts text[], max_nodes int, project text, replaces uuid, created_at_ms bigint, expires_at_ms bigint, revoked_at_ms bigint, last_used_at_ms bigint)
    ON CONFLICT (id) DO UPDATE SET expires_at_ms = excluded.expires_at_ms, revoked_at_ms = excluded.revoked_at_ms`
}
