import { createHash, randomBytes, randomUUID } from 'node:crypto'
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
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

export interface ApiKeyStore {
  /** The key that a secret belongs to, from memory: revoked and new ones are seen within five seconds. */
  verify(secret: string): ApiKey | undefined
  /** Makes a key; the secret is answered once and never kept. `secret` gives one of the caller's own. */
  create(key: {
    readonly name: string
    readonly account: string
    readonly scopes: readonly Scope[]
    readonly secret?: string
  }): Promise<{ readonly key: ApiKey; readonly secret: string }>
  list(): readonly ApiKey[]
  revoke(id: string): Promise<void>
  close(): void
}

const REFRESH_MS = 5_000

/** A random secret has 192 bits, so one round of SHA-256 is enough: there is nothing to guess. */
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export async function openApiKeyStore(prisma: PrismaClient, warn: (message: string) => void): Promise<ApiKeyStore> {
  let byHash = new Map<string, ApiKey>()
  const refresh = async (): Promise<void> => {
    const rows = await prisma.apiKey.findMany({ orderBy: { createdAtMs: 'asc' } })
    byHash = new Map(
      rows.map((row) => [
        row.hash,
        {
          id: row.id,
          name: row.name,
          account: row.account,
          prefix: row.prefix,
          scopes: scopes.filter((scope) => row.scopes.includes(scope)),
          createdAt: Number(row.createdAtMs),
          expiresAt: row.expiresAtMs === null ? null : Number(row.expiresAtMs),
          revokedAt: row.revokedAtMs === null ? null : Number(row.revokedAtMs),
        },
      ]),
    )
  }
  await refresh()
  const timer = setInterval(() => {
    refresh().catch((error: unknown) => warn(`keys could not be read: ${error instanceof Error ? error.message : String(error)}`))
  }, REFRESH_MS)
  timer.unref()
  return {
    verify(secret) {
      // the look-up is by hash, so its time tells nothing about the secret
      const key = byHash.get(hashOf(secret))
      if (key === undefined || key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= Date.now())) return undefined
      return key
    },
    async create({ name, account, scopes: given, secret = `gantt_${randomBytes(24).toString('base64url')}` }) {
      const hash = hashOf(secret)
      await prisma.apiKey.createMany({
        // two processes that start together with one admin key make it once
        skipDuplicates: true,
        data: [
          {
            id: randomUUID(),
            name,
            account,
            prefix: `${secret.slice(0, 10)}_${hash.slice(0, 6)}`,
            hash,
            scopes: [...given],
            createdAtMs: Date.now(),
          },
        ],
      })
      await refresh()
      const key = byHash.get(hash)
      if (key === undefined) throw new Error('the new key was not kept')
      return { key, secret }
    },
    list: () => [...byHash.values()],
    async revoke(id) {
      await prisma.apiKey.update({ where: { id }, data: { revokedAtMs: Date.now() } })
      await refresh()
    },
    close: () => clearInterval(timer),
  }
}
