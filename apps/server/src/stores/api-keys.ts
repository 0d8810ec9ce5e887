import { createHash, randomBytes, randomUUID } from 'node:crypto'

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
  /** Most nodes that each of its hosts may have, for it to report another one; null: 1. Of a key that is bound to hosts. */
  readonly maxNodes: number | null
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

/** Sees all keys, oldest first, and says what is to be written of them; it may be asked more than once for one edit. */
export type DecideKeys<Answer> = (keys: readonly ApiKey[]) => { readonly writes: readonly KeyWrite[]; readonly answer: Answer }

export type NewApiKey = Pick<ApiKey, 'name' | 'account' | 'scopes'> &
  Partial<Pick<ApiKey, 'hosts' | 'maxNodes' | 'project' | 'expiresAt'>> & {
    /** One of the caller's own; drawn if not given. */
    readonly secret?: string
  }

/**
 * The keys of all callers. Held in memory by every replica, so that knowing a caller costs nothing.
 *
 * The law, which api-keys.suite.ts holds every engine to:
 * - Only hashes of secrets are kept.
 * - Edits have one order, and each is decided on all edits before it, whichever replica they came from.
 * - What one replica edited is seen by itself at once, and by the others within `seenWithinMs`.
 */
export interface ApiKeyStore {
  /** How long another replica may go on as before an edit, milliseconds. */
  readonly seenWithinMs: number
  /** The key that a secret belongs to, from memory; undefined for one that is unknown, revoked or expired. */
  verify(secret: string): ApiKey | undefined
  /** Makes a key; the secret is answered once and never kept. A secret that is there already is answered with its key. */
  create(key: NewApiKey): Promise<{ readonly key: ApiKey; readonly secret: string }>
  edit<Answer>(decide: DecideKeys<Answer>): Promise<Answer>
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

/** A random secret has 192 bits, so one round of SHA-256 is enough: there is nothing to guess. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export const isUsable = ({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: number): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now)

/** How every engine makes a key: processes that start together with one admin key make it once. */
export async function createKey(
  { edit }: Pick<ApiKeyStore, 'edit'>,
  { name, account, scopes: given, hosts = [], maxNodes = null, project = null, expiresAt = null, secret: own }: NewApiKey,
): Promise<{ readonly key: ApiKey; readonly secret: string }> {
  const { secret, hash, prefix } = drawSecret(own)
  const made: ApiKey = {
    ...{ id: randomUUID(), name, account, prefix, scopes: [...given], hosts: [...hosts], maxNodes, project, expiresAt },
    ...{ replaces: null, createdAt: Date.now(), revokedAt: null, lastUsedAt: null },
  }
  const key = await edit<ApiKey>((keys) => {
    const same = keys.find((one) => one.prefix === prefix)
    return same === undefined ? { writes: [{ type: 'insert', key: made, hash }], answer: made } : { writes: [], answer: same }
  })
  return { key, secret }
}

/** When each key was used last, as far as it is not written yet. */
export interface KeyUses {
  used(id: string, at: number): void
  /** The later of what is written and what is not. */
  lastOf(key: Pick<ApiKey, 'id' | 'lastUsedAt'>): number | null
  /** Hands over what is to be written; what could not be is kept for the next time, and the error goes on. */
  write(keep: (uses: readonly KeyUse[]) => Promise<void>): Promise<void>
}

export interface KeyUse {
  readonly id: string
  readonly at: number
}

export function createKeyUses(): KeyUses {
  let waiting = new Map<string, number>()
  return {
    used: (id, at) => void waiting.set(id, at),
    lastOf({ id, lastUsedAt }) {
      const at = waiting.get(id)
      return at === undefined ? lastUsedAt : Math.max(lastUsedAt ?? 0, at)
    },
    async write(keep) {
      if (waiting.size === 0) return
      const writing = waiting
      waiting = new Map()
      try {
        await keep([...writing].map(([id, at]) => ({ id, at })))
      } catch (error) {
        waiting = new Map([...writing, ...waiting])
        throw error
      }
    },
  }
}
