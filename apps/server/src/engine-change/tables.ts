import type { Checkpoint, LogEntry } from '@gantt/scheduler-core'
import type pg from 'pg'
import { fromParts, toParts } from '../sync/parts.ts'
import { type LogRow, toEntry } from '../sync/postgres/log-row.ts'
import type { ReadableLog } from './fold.ts'
import { OPEN } from './record.ts'

/** Each statement writes this many rows. */
const ROWS = 500

/** The log in the tables of a database, read in one session. Inside a transaction, the log is read as that transaction sees it. */
export async function readTables(client: pg.Client): Promise<ReadableLog> {
  const { rows: ends } = await client.query<{ first: string; last: string }>(
    'SELECT coalesce(min(revision), 0) AS first, coalesce(max(revision), 0) AS last FROM log',
  )
  const { rows: kept } = await client.query<{ revision: string; log_bytes: string }>(
    `SELECT revision, log_bytes FROM checkpoint c
     WHERE EXISTS (SELECT FROM log l WHERE l.revision = c.revision AND l.id = c.id AND l.at_ms = c.at_ms) ORDER BY revision`,
  )
  return {
    name: 'the log in PostgreSQL',
    firstRevision: Number(ends[0]?.first),
    lastRevision: Number(ends[0]?.last),
    async *entries(from) {
      for (let next = from; ; ) {
        const { rows } = await client.query<LogRow>(
          'SELECT revision, id, writer, body, at_ms FROM log WHERE revision >= $1 ORDER BY revision LIMIT $2',
          [next, ROWS],
        )
        for (const row of rows) yield toEntry(row)
        if (rows.length < ROWS) return
        next = Number(rows.at(-1)?.revision) + 1
      }
    },
    checkpoints: kept.map(({ revision, log_bytes }) => ({ revision: Number(revision), logBytes: Number(log_bytes) })),
    checkpoint: (revision) => readCheckpoint(client, revision),
  }
}

async function readCheckpoint(client: pg.Client, revision: number): Promise<Checkpoint> {
  const { rows } = await client.query<{ body: string }>('SELECT body FROM checkpoint WHERE revision = $1', [revision])
  const [head] = rows
  if (head === undefined) throw new RangeError(`there is no checkpoint at revision ${revision}`)
  return fromParts(head.body, readParts(client, revision))
}

async function* readParts(client: pg.Client, revision: number): AsyncGenerator<string> {
  for (let part = 0; ; part++) {
    const { rows } = await client.query<{ body: string }>('SELECT body FROM checkpoint_part WHERE revision = $1 AND part = $2', [
      ...[revision, part],
    ])
    const [row] = rows
    if (row === undefined) return
    yield row.body
  }
}

/**
 * Replaces the content of the tables by a log, inside the caller's transaction. Once that transaction is committed, the log is visible and
 * replicas may append. `each` is called with the count of written entries.
 */
export async function replaceTables(client: pg.Client, from: ReadableLog, each: (entries: number) => void): Promise<void> {
  await client.query(OPEN)
  await client.query('TRUNCATE log, checkpoint, checkpoint_part')
  // rows with other names are positions in streams of NATS, which would prevent trimming while the log is in tables
  await client.query(`DELETE FROM projection_position WHERE name <> 'main'`)
  let written = 0
  for await (const some of inBatches(from.entries(from.firstRevision), ROWS)) {
    await insertEntries(client, some)
    written += some.length
    each(written)
  }
  for (const { revision, logBytes } of from.checkpoints) await insertCheckpoint(client, await from.checkpoint(revision), logBytes)
}

async function insertEntries(client: pg.Client, entries: readonly LogEntry[]): Promise<void> {
  await client.query(
    `INSERT INTO log (revision, id, writer, basis_revision, basis_id, body, at_ms, changes, is_flushed)
     SELECT *, true FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::int[])`,
    [
      entries.map(({ revision }) => revision),
      entries.map(({ id }) => id),
      entries.map(({ writer }) => writer),
      entries.map(({ basis }) => basis.revision),
      entries.map(({ basis }) => basis.id),
      entries.map(({ format, basis, changes }) => JSON.stringify({ format, basis, changes })),
      entries.map(({ at }) => at),
      entries.map(({ changes }) => changes.length),
    ],
  )
}

async function insertCheckpoint(client: pg.Client, checkpoint: Checkpoint, logBytes: number): Promise<void> {
  const { place } = checkpoint
  const { head, count, parts } = toParts(checkpoint)
  await client.query(
    `INSERT INTO checkpoint (revision, id, at_ms, epoch, format, body, parts, log_bytes)
     SELECT $1, $2, $3, epoch, $4, $5, $6, $7 FROM store_epoch`,
    [place.revision, place.id, place.at, checkpoint.format, head, count, logBytes],
  )
  let part = 0
  for (const body of parts())
    await client.query('INSERT INTO checkpoint_part (revision, part, body) VALUES ($1, $2, $3)', [place.revision, part++, body])
}

async function* inBatches<T>(all: AsyncIterable<T>, length: number): AsyncGenerator<T[]> {
  let some: T[] = []
  for await (const one of all) {
    some.push(one)
    if (some.length < length) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}

/** The position of the projections in the log; revision 0 if there is none. */
export async function projectionPlace(client: pg.Client): Promise<{ readonly revision: number; readonly id: string }> {
  const { rows } = await client.query<{ revision: string; id: string }>(`SELECT revision, id FROM projection_position WHERE name = 'main'`)
  return { revision: Number(rows[0]?.revision ?? 0), id: rows[0]?.id ?? '' }
}
