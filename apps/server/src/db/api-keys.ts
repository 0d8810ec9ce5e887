import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Prisma } from '../generated/prisma/client.ts'
import type { PrismaClient } from './prisma.ts'

/** What a key may do; each scope is a task. */
export const scopes = ['READ', 'SCHEDULE', 'REPORT', 'CLAIM', 'OPERATE', 'ADMIN'] as const
export type Scope = (typeof scopes)[number]

export interface ApiKey {
  readonly id: string
  readonly name: string
  /** The service account: idempotency keys and claims belong to it, so that keys can be exchanged. */
  readonly account: string
  /** The part that may be shown. */
  readonly prefix: string
  readonly scopes: readonly Scope[]
  /** Names of the only hosts that it may report for; none: any. */
  readonly hosts: readonly string[]
  /** The only project that it may place for; null: any. */
  readonly project: string | null
  /** The key that it took the place of. */
  readonly replaces: string | null
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** Known to within seconds: written in batches, behind the calls. */
  readonly lastUsedAt: number | null
}

/** What is written of a key. */
export type KeyWrite =
  | { readonly type: 'insert'; readonly key: ApiKey; readonly hash: string }
  | { readonly type: 'expire'; readonly id: string; readonly at: number }
  | { readonly type: 'revoke'; readonly id: string; readonly at: number }

export interface ApiKeyStore {
  /** The key that a secret belongs to, from memory: revoked and new ones are seen within five seconds. */
  verify(secret: string): ApiKey | undefined
  /** Makes a key; the secret is answered once and never kept. `secret` gives one of the caller's own. */
  create(
    key: Pick<ApiKey, 'name' | 'account' | 'scopes'> &
      Partial<Pick<ApiKey, 'hosts' | 'project' | 'expiresAt'>> & { readonly secret?: string },
  ): Promise<{ readonly key: ApiKey; readonly secret: string }>
  /** Edits keys, one editor of all replicas at a time: `decide` sees what is stored and says what is to be written. */
  edit<Answer>(decide: (keys: readonly ApiKey[]) => { readonly writes: readonly KeyWrite[]; readonly answer: Answer }): Promise<Answer>
  /** Oldest first. */
  list(): readonly ApiKey[]
  /** Writes what is known of use, and ends. */
  close(): Promise<void>
}

/** A new secret, and what of it is kept. */
export function drawSecret(secret = `gantt_${randomBytes(24).toString('base64url')}`) {
  const hash = hashOf(secret)
  return { secret, hash, prefix: `${secret.slice(0, 10)}_${hash.slice(0, 6)}` }
}

export const isUsable = ({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: number): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now)

const REFRESH_MS = 5_000
/** Held inside the transaction that edits keys. */
const KEYS_LOCK = 0x67616e78

/** A random secret has 192 bits, so one round of SHA-256 is enough: there is nothing to guess. */
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export async function openApiKeyStore(prisma: PrismaClient, warn: (message: string) => void): Promise<ApiKeyStore> {
  let byHash = new Map<string, ApiKey>()
  /** When each key was used last, as far as it is not written yet. */
  let used = new Map<string, number>()

  const refresh = async (): Promise<void> => {
    const rows = await prisma.apiKey.findMany({ orderBy: { createdAtMs: 'asc' } })
    byHash = new Map(rows.map((row) => [row.hash, toKey(row)]))
  }
  const writeUse = async (): Promise<void> => {
    if (used.size === 0) return
    const writing = used
    used = new Map()
    try {
      const rows = [...writing].map(([id, at]) => ({ id, at }))
      await prisma.$executeRaw`
        UPDATE api_key SET last_used_at_ms = greatest(last_used_at_ms, row.at)
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(id uuid, at bigint) WHERE api_key.id = row.id`
    } catch (error) {
      used = new Map([...writing, ...used])
      throw error
    }
  }

  await refresh()
  const timer = setInterval(() => {
    writeUse()
      .then(refresh)
      .catch((error: unknown) => warn(`keys could not be read: ${error instanceof Error ? error.message : String(error)}`))
  }, REFRESH_MS)
  timer.unref()

  return {
    verify(secret) {
      // the look-up is by hash, so its time tells nothing about the secret
      const key = byHash.get(hashOf(secret))
      const now = Date.now()
      if (key === undefined || !isUsable(key, now)) return undefined
      used.set(key.id, now)
      return key
    },
    async create({ name, account, scopes: given, hosts = [], project = null, expiresAt = null, secret: own }) {
      const { secret, hash, prefix } = drawSecret(own)
      await prisma.apiKey.createMany({
        // two processes that start together with one admin key make it once
        skipDuplicates: true,
        data: [
          {
            id: randomUUID(),
            name,
            account,
            prefix,
            hash,
            scopes: [...given],
            hosts: [...hosts],
            project,
            createdAtMs: Date.now(),
            expiresAtMs: expiresAt,
          },
        ],
      })
      await refresh()
      const key = byHash.get(hash)
      if (key === undefined) throw new Error('the new key was not kept')
      return { key, secret }
    },
    async edit(decide) {
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
    },
    list: () => [...byHash.values()].map((key) => ({ ...key, lastUsedAt: later(key.lastUsedAt, used.get(key.id)) })),
    async close() {
      clearInterval(timer)
      await writeUse().catch((error: unknown) =>
        warn(`the last use of keys was not written: ${error instanceof Error ? error.message : String(error)}`),
      )
    },
  }
}

const later = (a: number | null, b: number | undefined): number | null => (b === undefined ? a : Math.max(a ?? 0, b))

type Row = Prisma.ApiKeyGetPayload<object>

const numberOf = (value: bigint | null): number | null => (value === null ? null : Number(value))

const toKey = (row: Row): ApiKey => ({
  id: row.id,
  name: row.name,
  account: row.account,
  prefix: row.prefix,
  scopes: scopes.filter((scope) => row.scopes.includes(scope)),
  hosts: row.hosts,
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
