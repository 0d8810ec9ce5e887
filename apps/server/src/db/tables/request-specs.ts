import { canonicalJson, currentSpec, demandOf, type PublishedSpec } from '@gantt/scheduler-core'
import type { PrismaClient } from '../prisma.ts'
import type { Database } from '../table-writer.ts'
import { sha256 } from './receipts.ts'
import type { StoredDecision } from './rows.ts'

/** A request document. It is stored once even if many calls send it. */
export interface StoredRequestSpec {
  /** sha256 of the canonical document, as 64 hexadecimal digits. */
  readonly id: string
  readonly version: string
  readonly document: PublishedSpec
  /** The time of the first decision with this request by the store's clock, in milliseconds since 1970. */
  readonly createdAt: number
}

export interface RequestSpecStore {
  find(id: string): Promise<StoredRequestSpec | undefined>
  /** Requests, newest first. */
  list(page: { readonly first: number; readonly after?: { readonly createdAt: number; readonly id: string } }): Promise<StoredRequestSpec[]>
  count(): Promise<number>
}

export const requestSpecId = (spec: PublishedSpec): string => sha256(canonicalJson(spec))

export function createRequestSpecStore(prisma: PrismaClient): RequestSpecStore {
  const toStored = (row: { id: string; version: string; document: unknown; createdAtMs: bigint }): StoredRequestSpec => ({
    id: row.id,
    version: row.version,
    document: row.document as PublishedSpec,
    createdAt: Number(row.createdAtMs),
  })
  return {
    async find(id) {
      const row = await prisma.requestSpec.findUnique({ where: { id } })
      return row === null ? undefined : toStored(row)
    },
    async list({ first, after }) {
      const rows = await prisma.requestSpec.findMany({
        take: first,
        orderBy: [{ createdAtMs: 'desc' }, { id: 'asc' }],
        ...(after
          ? { where: { OR: [{ createdAtMs: { lt: after.createdAt } }, { createdAtMs: after.createdAt, id: { gt: after.id } }] } }
          : {}),
      })
      return rows.map(toStored)
    },
    count: () => prisma.requestSpec.count(),
  }
}

/** Stores the requests of these decisions. Requests that are stored already are not changed. */
export async function writeRequestSpecs(database: Database, decisions: readonly StoredDecision[]): Promise<void> {
  const rows = new Map(
    decisions.map(({ requestSpecId: id, record: { request }, at }) => {
      const { vcpus, memoryMib, diskGib } = demandOf(currentSpec(request))
      return [
        id,
        {
          id,
          version: request.version,
          document: request,
          num_instances: request.numInstances,
          flavor_name: request.flavor.name,
          vcpus,
          memory_mb: memoryMib,
          disk_gb: diskGib,
          project_id: request.projectId,
          availability_zone: request.availabilityZone,
          created_at_ms: at,
        },
      ]
    }),
  )
  if (rows.size === 0) return
  await database.$executeRaw`
    INSERT INTO request_spec (id, version, document, num_instances, flavor_name, vcpus, memory_mb, disk_gb, project_id, availability_zone, created_at_ms)
    SELECT * FROM jsonb_to_recordset(${JSON.stringify([...rows.values()])}::jsonb) AS row(id text, version text, document jsonb, num_instances int,
      flavor_name text, vcpus bigint, memory_mb bigint, disk_gb bigint, project_id text, availability_zone text, created_at_ms bigint)
    ON CONFLICT (id) DO NOTHING`
}
