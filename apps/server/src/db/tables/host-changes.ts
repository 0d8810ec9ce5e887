import { Prisma } from '../../generated/prisma/client.ts'
import type { PrismaClient } from '../prisma.ts'
import type { Database } from '../table-writer.ts'
import type { HostChangeRow, Rows } from './rows.ts'

/** The first entry from which on the tables contain every change of hosts. */
export interface HostChangeSpan {
  /** The tables have all entries after this revision; 0 means the whole log. */
  readonly fromRevision: number
  /** The time of the first entry in the tables by the store's clock, in milliseconds since 1970. */
  readonly from: number
}

/** Stores host changes. Changes that are stored already are not changed. */
export const writeHostChanges = (database: Database, rows: readonly HostChangeRow[]): Promise<unknown> =>
  database.$executeRaw`
    INSERT INTO host_change (revision, place, host, node, kind, at_ms, reason, aggregate, aggregate_name, changes, untold)
    SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(revision bigint, place int, host text, node text, kind text,
      at_ms bigint, reason text, aggregate text, aggregate_name text, changes jsonb, untold int)
    ON CONFLICT (revision, place) DO NOTHING`

/**
 * The beginning of the SQL statement that stores the new position of the tables. It also records from which entry to which entry host
 * changes are stored. A release without this table advances the position without storing host changes. The recorded range then starts again
 * after the entries of that release.
 */
export const coverHostChanges = ({
  after,
  first,
  last,
}: {
  readonly after: number
  readonly first: Pick<Rows, 'at'>
  readonly last: Pick<Rows, 'revision'>
}): Prisma.Sql =>
  Prisma.sql`WITH span AS (
    INSERT INTO host_change_span AS span (id, from_revision, from_ms, to_revision) VALUES (1, ${after}::bigint, ${first.at}::bigint, ${last.revision}::bigint)
    ON CONFLICT (id) DO UPDATE SET to_revision = excluded.to_revision,
      from_revision = CASE WHEN span.to_revision = ${after}::bigint THEN span.from_revision ELSE excluded.from_revision END,
      from_ms = CASE WHEN span.to_revision = ${after}::bigint THEN span.from_ms ELSE excluded.from_ms END)`

/** Reads from which entry on the tables contain every change of hosts. Undefined if nothing was written yet. */
export async function readHostChangeSpan(prisma: PrismaClient): Promise<HostChangeSpan | undefined> {
  const [row] = await prisma.$queryRaw<{ fromRevision: bigint; from: bigint }[]>`
    SELECT from_revision AS "fromRevision", from_ms AS "from" FROM host_change_span WHERE id = 1`
  return row === undefined ? undefined : { fromRevision: Number(row.fromRevision), from: Number(row.from) }
}
