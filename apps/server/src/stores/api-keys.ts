import { createHash, randomBytes, randomUUID } from 'node:crypto'

/** The permissions that a key can have. Each scope allows one kind of task. */
export const scopes = ['READ', 'SCHEDULE', 'REPORT', 'CLAIM', 'OPERATE', 'ADMIN'] as const
export type Scope = (typeof scopes)[number]

/** A key by which callers are recognised. All times are in milliseconds since 1970; null means never. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  /**
   * The service account. Idempotency keys and claims belong to the account and not to the API key, so a new key of the account can replace
   * the old one.
   */
  readonly account: string
  /** The first characters of the secret. They may be shown to people. */
  readonly prefix: string
  readonly scopes: readonly Scope[]
  /** The names of the hosts for which the key may report; an empty list allows every host. */
  readonly hosts: readonly string[]
  /** A key bound to hosts may report at most this many nodes of each host; null means 1. */
  readonly maxNodes: number | null
  /** The only project for which the key may place instances; null allows every project. */
  readonly project: string | null
  /** The id of the key that this key replaces; null if there is none. */
  readonly replaces: string | null
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** When the key was last used. Accurate to a few seconds, because uses are written in batches after the calls. */
  readonly lastUsedAt: number | null
}

/** A change of the stored keys. */
export type KeyWrite =
  | { readonly type: 'insert'; readonly key: ApiKey; readonly hash: string }
  | { readonly type: 'expire'; readonly id: string; readonly at: number }
  | { readonly type: 'revoke'; readonly id: string; readonly at: number }

/** Gets all keys, oldest first, and returns the writes. It may be called several times for one edit. */
export type DecideKeys<Answer> = (keys: readonly ApiKey[]) => { readonly writes: readonly KeyWrite[]; readonly answer: Answer }

export type NewApiKey = Pick<ApiKey, 'name' | 'account' | 'scopes'> &
  Partial<Pick<ApiKey, 'hosts' | 'maxNodes' | 'project' | 'expiresAt'>> & {
    /** The secret, if the caller chooses it; random if absent. */
    readonly secret?: string
  }

/**
 * The keys of all callers. Every replica has them in memory, so that checking a caller needs no query.
 *
 * The laws, which api-keys.suite.ts checks for every engine:
 * - Only hashes of secrets are stored.
 * - Edits have one order. Each is decided after all earlier edits, on any replica.
 * - A replica sees its own edit at once, and the other replicas see it within `seenWithinMs`.
 */
export interface ApiKeyStore {
  /** After an edit, another replica may use the former keys for this long, in milliseconds. */
  readonly seenWithinMs: number
  /** The key of a secret, from memory. Undefined if the key is unknown, revoked or expired. */
  verify(secret: string): ApiKey | undefined
  /** Creates a key. The secret is returned once and never stored. For an existing secret the existing key is returned. */
  create(key: NewApiKey): Promise<{ readonly key: ApiKey; readonly secret: string }>
  edit<Answer>(decide: DecideKeys<Answer>): Promise<Answer>
  /** All keys, oldest first. */
  list(): readonly ApiKey[]
  /** Writes the uses that are not stored yet, and stops. */
  close(): Promise<void>
}

/** A new secret, and the parts of it that are stored. */
export function drawSecret(secret = `gantt_${randomBytes(24).toString('base64url')}`) {
  const hash = hashOf(secret)
  return { secret, hash, prefix: `${secret.slice(0, 10)}_${hash.slice(0, 6)}` }
}

/** A random secret has 192 bits and cannot be guessed, so one round of SHA-256 is enough. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export const isUsable = ({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: number): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now)

/** Creates a key on any engine. Processes that start together with one admin key create it once. */
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

/** Collects when keys were last used, until these times are written. */
export interface KeyUses {
  used(id: string, at: number): void
  /** The later one of the stored time and the time that is not written yet. */
  lastOf(key: Pick<ApiKey, 'id' | 'lastUsedAt'>): number | null
  /** Writes the waiting times. If that fails, they wait for the next call, and the error is rethrown. */
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
