import { publishedStats } from '@gantt/scheduler-core'
import { mapAheadOfQueries } from '../../event-loop/lists.ts'
import type { Followed } from '../../sync/followed-log.ts'
import type { PrismaClient } from '../prisma.ts'
import { refusalOf } from '../refusal.ts'
import type { Database, TableWriter } from '../table-writer.ts'
import { writeDecisions } from './decisions.ts'
import { coverHostChanges, writeHostChanges } from './host-changes.ts'
import { writeLostTries } from './lost-tries.ts'
import { writeRequestSpecs } from './request-specs.ts'
import type { NodeRow, Rows } from './rows.ts'
import { type SetAside, writeOrSetAside } from './set-aside.ts'

const NAME = 'main'
/**
 * How many rows are in one statement. The replica does other work between two statements, because one entry may change every host of a
 * fleet.
 */
const STATEMENT_ROWS = 100
/** The time limit of a transaction, and the time that each row adds to it, in milliseconds. */
const WRITE_MS = 30_000
const ROW_MS = 2

/** Reads the position in the log up to which the projections are written, and writes the projections. Nothing else writes these tables. */
export interface ProjectionStore {
  /** The last entry that the tables contain. */
  position(): Promise<Followed>
  /**
   * Writes the rows whose revisions follow the stored position, and the new position, in one transaction. Returns the new position, or
   * undefined if another replica is writing. Rows up to the present position are skipped, and rows after a gap are not written.
   */
  write(rows: readonly Rows[]): Promise<number | undefined>
  /** How many rows were skipped so far because the database refused their content. */
  countSetAside(): Promise<number>
}

export interface ProjectionStoreOptions {
  readonly prisma: PrismaClient
  readonly writer: TableWriter
  /** Returns true if every replica can read decisions in packed (binary) form. */
  mayPack(): boolean
  /** Called for every row that the database refuses because of its content. */
  onSetAside(row: SetAside): void
}

export function createProjectionStore({ prisma, writer, mayPack, onSetAside }: ProjectionStoreOptions): ProjectionStore {
  const run = (rows: readonly Rows[], isCareful: boolean): Promise<{ position: number | undefined; aside: readonly SetAside[] }> =>
    writer.transaction(
      async (tx) => {
        await tx.$executeRaw`INSERT INTO projection_position (name, revision, id) VALUES (${NAME}, 0, '') ON CONFLICT DO NOTHING`
        const [held] = await tx.$queryRaw<{ revision: bigint | string }[]>`
          SELECT revision FROM projection_position WHERE name = ${NAME} FOR UPDATE SKIP LOCKED`
        if (held === undefined) return { position: undefined, aside: [] }
        const position = Number(held.revision)
        const next = rows.filter(({ revision }) => revision > position)
        const last = next.at(-1)
        const [first] = next
        if (last === undefined || first?.revision !== position + 1) return { position, aside: [] }
        const aside: SetAside[] = []
        await writeTables(
          tx,
          next,
          isCareful ? async (kind, own, write) => void aside.push(...(await writeOrSetAside(tx, kind, own, write))) : putAll,
          mayPack(),
        )
        await tx.$executeRaw`${coverHostChanges({ after: position, first, last })} UPDATE projection_position SET revision = ${last.revision}, id = ${last.entryId} WHERE name = ${NAME}`
        return { position: last.revision, aside }
      },
      WRITE_MS + ROW_MS * rows.reduce((sum, { nodes, hostChanges }) => sum + nodes.length + hostChanges.length, 0),
    )

  return {
    async position() {
      const found = await prisma.projectionPosition.findUnique({ where: { name: NAME } })
      return { revision: Number(found?.revision ?? 0), id: found?.id ?? '' }
    },

    async write(rows) {
      const { position, aside } = await run(rows, false).catch((error: unknown) => {
        // the rows are written again one by one: a refused row is recorded, and all other rows are written
        if (refusalOf(error) === undefined) throw error
        return run(rows, true)
      })
      aside.forEach(onSetAside)
      return position
    },

    countSetAside: () => prisma.projectionSetAside.count(),
  }
}

/** Writes rows of one table. */
type Put = <Row extends { readonly id: string; readonly revision: number }>(
  kind: string,
  rows: readonly Row[],
  write: (rows: readonly Row[]) => Promise<unknown>,
) => Promise<unknown>

const putAll: Put = async (_kind, rows, write) => {
  for (let from = 0; from < rows.length; from += STATEMENT_ROWS) await write(rows.slice(from, from + STATEMENT_ROWS))
}

/** Writes the effects of these entries, table by table: the last state of each object. */
async function writeTables(tx: Database, next: readonly Rows[], put: Put, mayPack: boolean): Promise<void> {
  const decisions = next.flatMap((row) => row.decisions.map((decision) => ({ revision: row.revision, ...decision })))
  await put('decision', decisions, async (rows) => {
    await writeRequestSpecs(tx, rows)
    await writeDecisions(tx, rows, mayPack)
  })
  await put(
    'lost_try',
    next.flatMap((row) => row.lostTries),
    (rows) => writeLostTries(tx, rows),
  )
  await put(
    'claim',
    lastOf(next.flatMap((row) => row.claims)),
    (rows) => tx.$executeRaw`
      INSERT INTO claim (id, instance_uuid, host, node, state, account, decision_id, fence, document, revision, created_at_ms, expires_at_ms)
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(id uuid, instance_uuid text, host text, node text, state text,
        account text, decision_id text, fence bigint, document jsonb, revision bigint, created_at_ms bigint, expires_at_ms bigint)
      ON CONFLICT (id) DO UPDATE SET host = excluded.host, node = excluded.node, state = excluded.state, document = excluded.document, revision = excluded.revision, expires_at_ms = excluded.expires_at_ms`,
  )
  await put(
    'host_change',
    next.flatMap((row) => row.hostChanges),
    (rows) => writeHostChanges(tx, rows),
  )
  const nodes = lastOfHost(next.flatMap((row) => row.nodes))
  // renamed hosts are deleted first and together, because the former name of a renamed host may now be the name of a host that is written
  // later
  const renamed = nodes.filter(({ isRenamed }) => isRenamed).map(({ ordinal }) => ordinal)
  if (renamed.length > 0) await tx.$executeRaw`DELETE FROM compute_node WHERE ordinal = ANY(${renamed}::int[])`
  await put(
    'compute_node',
    nodes,
    async (rows) => tx.$executeRaw`
      INSERT INTO compute_node (id, ordinal, host, node, status, availability_zone, document, revision)
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(await mapAheadOfQueries(rows, withDocument))}::jsonb) AS row(id text, ordinal int, host text, node text, status text,
        availability_zone text, document jsonb, revision bigint)
      ON CONFLICT (id) DO UPDATE SET status = excluded.status, availability_zone = excluded.availability_zone, document = excluded.document,
        revision = excluded.revision`,
  )
  await put(
    'aggregate',
    lastOf(next.flatMap((row) => row.aggregates)),
    (rows) => tx.$executeRaw`
      INSERT INTO aggregate (id, name, availability_zone, metadata, hosts, version, revision, deleted_at_ms)
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(id uuid, name text, availability_zone text, metadata jsonb,
        hosts jsonb, version int, revision bigint, deleted_at_ms bigint)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, availability_zone = excluded.availability_zone, metadata = excluded.metadata,
        hosts = excluded.hosts, version = excluded.version, revision = excluded.revision, deleted_at_ms = excluded.deleted_at_ms`,
  )
  await put(
    'server_group',
    lastOf(next.flatMap((row) => row.groups)),
    (rows) => tx.$executeRaw`
      INSERT INTO server_group (id, policy, max_server_per_host, revision)
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(id uuid, policy text, max_server_per_host int, revision bigint)
      ON CONFLICT (id) DO UPDATE SET policy = excluded.policy, max_server_per_host = excluded.max_server_per_host, revision = excluded.revision`,
  )
}

function withDocument({ reported: { stats, statusReason, namespaces }, ...row }: NodeRow) {
  return { document: { stats: publishedStats(stats), statusReason, namespaces: Object.fromEntries(namespaces) }, ...row }
}

/** The last row of each id. */
function lastOf<Row extends { readonly id: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

/**
 * The last row of each host. Hosts are identified by ordinal, because ids can change. Renamed hosts come first, because another host may
 * now have one of their former ids.
 */
function lastOfHost(rows: readonly NodeRow[]): NodeRow[] {
  const last = [...new Map(rows.map((row) => [row.ordinal, row])).values()]
  return last.sort((a, b) => Number(b.isRenamed) - Number(a.isRenamed))
}
