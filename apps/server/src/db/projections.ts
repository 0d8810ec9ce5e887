import { writeDecisions } from './decisions.ts'
import type { PrismaClient } from './prisma.ts'
import { writeRequestSpecs } from './request-specs.ts'
import type { Rows } from './rows.ts'

const NAME = 'main'

/** How far the projections are, and the one way to write them. */
export interface ProjectionStore {
  /** The revision that the tables reflect. */
  position(): Promise<number>
  /**
   * Writes rows whose revisions follow the position, in one transaction with the new position. Answers the position
   * afterwards; undefined when another replica is writing now. Rows at or before the position are left out; rows behind
   * a gap are not written.
   */
  write(rows: readonly Rows[]): Promise<number | undefined>
}

export function createProjectionStore(prisma: PrismaClient): ProjectionStore {
  return {
    async position() {
      const found = await prisma.projectionPosition.findUnique({ where: { name: NAME } })
      return Number(found?.revision ?? 0)
    },

    write: (rows) =>
      prisma.$transaction(
        async (tx) => {
          await tx.$executeRaw`INSERT INTO projection_position (name, revision, id) VALUES (${NAME}, 0, '') ON CONFLICT DO NOTHING`
          const [held] = await tx.$queryRaw<{ revision: bigint }[]>`
            SELECT revision FROM projection_position WHERE name = ${NAME} FOR UPDATE SKIP LOCKED`
          if (held === undefined) return undefined
          const position = Number(held.revision)
          const next = rows.filter(({ revision }) => revision > position)
          const last = next.at(-1)
          if (last === undefined || next[0]?.revision !== position + 1) return position
          const decisions = next.flatMap((row) => row.decisions)
          await writeRequestSpecs(tx, decisions)
          await writeDecisions(tx, decisions)
          const claims = lastOf(next.flatMap((row) => row.claims))
          if (claims.length > 0)
            await tx.$executeRaw`
              INSERT INTO claim (id, instance_uuid, host, node, state, account, decision_id, fence, document, revision, created_at_ms, expires_at_ms)
              SELECT * FROM jsonb_to_recordset(${JSON.stringify(claims)}::jsonb) AS row(id uuid, instance_uuid text, host text, node text, state text,
                account text, decision_id text, fence bigint, document jsonb, revision bigint, created_at_ms bigint, expires_at_ms bigint)
              ON CONFLICT (id) DO UPDATE SET state = excluded.state, document = excluded.document, revision = excluded.revision, expires_at_ms = excluded.expires_at_ms`
          const nodes = lastOf(next.flatMap((row) => row.nodes))
          if (nodes.length > 0)
            await tx.$executeRaw`
              INSERT INTO compute_node (id, ordinal, host, node, status, availability_zone, document, revision)
              SELECT * FROM jsonb_to_recordset(${JSON.stringify(nodes)}::jsonb) AS row(id text, ordinal int, host text, node text, status text,
                availability_zone text, document jsonb, revision bigint)
              ON CONFLICT (id) DO UPDATE SET status = excluded.status, availability_zone = excluded.availability_zone, document = excluded.document,
                revision = excluded.revision`
          const aggregates = lastOf(next.flatMap((row) => row.aggregates))
          if (aggregates.length > 0)
            await tx.$executeRaw`
              INSERT INTO aggregate (id, name, availability_zone, metadata, hosts, version, revision, deleted_at_ms)
              SELECT * FROM jsonb_to_recordset(${JSON.stringify(aggregates)}::jsonb) AS row(id uuid, name text, availability_zone text, metadata jsonb,
                hosts jsonb, version int, revision bigint, deleted_at_ms bigint)
              ON CONFLICT (id) DO UPDATE SET name = excluded.name, availability_zone = excluded.availability_zone, metadata = excluded.metadata,
                hosts = excluded.hosts, version = excluded.version, revision = excluded.revision, deleted_at_ms = excluded.deleted_at_ms`
          const groups = lastOf(next.flatMap((row) => row.groups))
          if (groups.length > 0)
            await tx.$executeRaw`
              INSERT INTO server_group (id, policy, max_server_per_host, revision)
              SELECT * FROM jsonb_to_recordset(${JSON.stringify(groups)}::jsonb) AS row(id uuid, policy text, max_server_per_host int, revision bigint)
              ON CONFLICT (id) DO UPDATE SET policy = excluded.policy, max_server_per_host = excluded.max_server_per_host, revision = excluded.revision`
          await tx.$executeRaw`UPDATE projection_position SET revision = ${last.revision}, id = ${last.entryId} WHERE name = ${NAME}`
          return last.revision
        },
        { timeout: 30_000 },
      ),
  }
}

/** One row of each thing: the last. */
function lastOf<Row extends { readonly id: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}
