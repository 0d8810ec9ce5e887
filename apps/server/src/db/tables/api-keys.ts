import type { Prisma } from '../../generated/prisma/client.ts'
import { type ApiKey, type ApiKeyStore, createKey, createKeyUses, hashOf, isUsable, type KeyUse, scopes } from '../../stores/api-keys.ts'
import type { PrismaClient } from '../prisma.ts'
import type { Database } from '../table-writer.ts'

const REFRESH_MS = 5_000
/** The lock that is held in a transaction that edits keys. */
const KEYS_LOCK = 0x67616e78

/** Keys in a table. The table is read again every few seconds. */
export async function openApiKeyStore(prisma: PrismaClient, warn: (message: string) => void): Promise<ApiKeyStore> {
  let byHash = new Map<string, ApiKey>()
  const uses = createKeyUses()

  const refresh = async (): Promise<void> => {
    const rows = await prisma.apiKey.findMany({ orderBy: { createdAtMs: 'asc' } })
    byHash = new Map(rows.map((row) => [row.hash, toKey(row)]))
  }
  const writeUse = () => uses.write((some) => writeKeyUses(prisma, some))

  await refresh()
  const timer = setInterval(() => {
    writeUse()
      .then(refresh)
      .catch((error: unknown) => warn(`keys could not be read: ${error instanceof Error ? error.message : String(error)}`))
  }, REFRESH_MS)
  timer.unref()

  const edit: ApiKeyStore['edit'] = async (decide) => {
    const answer = await prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${KEYS_LOCK}::bigint)`
      const rows = await tx.apiKey.findMany({ orderBy: { createdAtMs: 'asc' } })
      const decided = decide(rows.map(toKey))
      for (const write of decided.writes) {
        if (write.type === 'insert') await tx.apiKey.create({ data: toRow(write.key, write.hash) })
        else
          await tx.apiKey.update({
            where: { id: write.id },
            data: write.type === 'expire' ? { expiresAtMs: write.at } : { revokedAtMs: write.at },
          })
      }
      return decided.answer
    })
    await refresh()
    return answer
  }
  return {
    seenWithinMs: REFRESH_MS,
    verify(secret) {
      // keys are found by their hash, so the duration of the search reveals nothing about the secret
      const key = byHash.get(hashOf(secret))
      const now = Date.now()
      if (key === undefined || !isUsable(key, now)) return undefined
      uses.used(key.id, now)
      return key
    },
    create: (key) => createKey({ edit }, key),
    edit,
    list: () => [...byHash.values()].map((key) => ({ ...key, lastUsedAt: uses.lastOf(key) })),
    async close() {
      clearInterval(timer)
      await writeUse().catch((error: unknown) =>
        warn(`the last use of keys was not written: ${error instanceof Error ? error.message : String(error)}`),
      )
    },
  }
}

/** Stores when keys were used last. */
export async function writeKeyUses(database: Database, uses: readonly KeyUse[]): Promise<void> {
  await database.$executeRaw`
    UPDATE api_key SET last_used_at_ms = greatest(last_used_at_ms, row.at)
    FROM jsonb_to_recordset(${JSON.stringify(uses)}::jsonb) AS row(id uuid, at bigint) WHERE api_key.id = row.id`
}

type Row = Prisma.ApiKeyGetPayload<object>

const numberOf = (value: bigint | null): number | null => (value === null ? null : Number(value))

export const toKey = (row: Row): ApiKey => ({
  id: row.id,
  name: row.name,
  account: row.account,
  prefix: row.prefix,
  scopes: scopes.filter((scope) => row.scopes.includes(scope)),
  hosts: row.hosts,
  maxNodes: row.maxNodes,
  project: row.project,
  replaces: row.replaces,
  createdAt: Number(row.createdAtMs),
  expiresAt: numberOf(row.expiresAtMs),
  revokedAt: numberOf(row.revokedAtMs),
  lastUsedAt: numberOf(row.lastUsedAtMs),
})

const toRow = ({ createdAt, expiresAt, revokedAt, lastUsedAt, scopes: given, hosts, ...key }: ApiKey, hash: string) => ({
  ...key,
  hash,
  scopes: [...given],
  hosts: [...hosts],
  createdAtMs: createdAt,
  expiresAtMs: expiresAt,
  revokedAtMs: revokedAt,
  lastUsedAtMs: lastUsedAt,
})
