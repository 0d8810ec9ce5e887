import { randomUUID } from 'node:crypto'
import { type ApiKey, type ApiKeyStore, drawSecret, isUsable, type KeyWrite, type Scope } from '../../stores/api-keys.ts'
import { InputFault, type Invalid, type Issue, invalid, issue, type NotFound, notFound } from '../calls/outcome.ts'
import { listOf, type Page, type PageArgs, pageOf } from '../calls/paging.ts'
import { checkName, checkRange } from '../calls/text.ts'

export type { ApiKey, Scope } from '../../stores/api-keys.ts'

export const DEFAULT_OVERLAP_MS = 3_600_000
export const MAX_OVERLAP_MS = 30 * 24 * 3_600_000
const MAX_TEXT = 255
const MAX_HOSTS = 100
const MAX_NODES = 10_000

export const keyStates = ['ACTIVE', 'EXPIRED', 'REVOKED'] as const
export type KeyState = (typeof keyStates)[number]

/** The state of a key at a time. */
export function stateOf(key: ApiKey, now: number): KeyState {
  if (key.revokedAt !== null) return 'REVOKED'
  return isUsable(key, now) ? 'ACTIVE' : 'EXPIRED'
}

export interface NewKey {
  readonly name: string
  readonly account: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: number | null
  /** The hosts to which the key is bound; null if it is not bound to hosts. */
  readonly hosts: readonly string[] | null
  /** The key may report for at most this many nodes of each of its hosts; null for 1. */
  readonly maxNodes: number | null
  readonly project: string | null
}

/** The filter of listed keys. */
export interface KeyListArgs extends PageArgs {
  readonly states?: readonly KeyState[] | null | undefined
  /** Finds keys whose name, account, project or prefix contains this text, regardless of case. */
  readonly find?: string | null | undefined
}

export interface KeyDone {
  readonly type: 'done'
  readonly key: ApiKey
  /** The secret of a new key, returned only once. */
  readonly secret: string | null
}

export interface Keys {
  /** All keys, including revoked and expired keys, oldest first. */
  list(args: KeyListArgs): Page<ApiKey>
  create(key: NewKey): Promise<KeyDone | Invalid>
  /** Creates a key that replaces an existing key. The replaced key remains valid until the overlap ends. */
  rotate(id: string, overlapMs: number | null): Promise<KeyDone | NotFound | Invalid>
  /** Revokes a key. Revoking a revoked key again changes nothing. */
  revoke(id: string): Promise<KeyDone | NotFound | Invalid>
}

/** The scopes that a key may have if it is bound to hosts or to a project. All other scopes concern the whole fleet. */
const boundScopes = { hosts: ['REPORT'], project: ['READ', 'SCHEDULE', 'CLAIM'] } as const

export function createKeys(store: ApiKeyStore): Keys {
  const make = (key: NewKey & Pick<ApiKey, 'hosts'>, replaces: string | null, now: number) => {
    const { secret, hash, prefix } = drawSecret()
    const made: ApiKey = { ...key, id: randomUUID(), prefix, replaces, createdAt: now, revokedAt: null, lastUsedAt: null }
    const write: KeyWrite = { type: 'insert', key: made, hash }
    return { write, done: { type: 'done', key: made, secret } as const }
  }
  /** Changes the key with this id. If the change is refused, nothing is written. */
  const change = (
    id: string,
    decide: (key: ApiKey, keys: readonly ApiKey[], now: number) => { writes: readonly KeyWrite[]; answer: KeyDone | Invalid },
  ) =>
    store.edit<KeyDone | Invalid | NotFound>((keys) => {
      const key = keys.find((each) => each.id === id)
      return key === undefined ? { writes: [], answer: notFound('key', id, ['id']) } : decide(key, keys, Date.now())
    })

  return {
    list: ({ states, find, ...args }) => {
      const now = Date.now()
      const word = wordOf(find)
      const keys = store
        .list()
        .filter((key) => (states?.includes(stateOf(key, now)) ?? true) && hasWord(key, word))
        .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
      return pageOf(listOf('apiKeys', [states, word]), args, keys, {
        types: ['number', 'string'],
        keyFor: ({ createdAt, id }) => [createdAt, id] as const,
        isAfter: ({ createdAt, id }, [at, last]) => createdAt > at || (createdAt === at && id > last),
      })
    },
    async create(given) {
      const key = { ...given, scopes: [...new Set(given.scopes)], hosts: [...new Set(given.hosts)] }
      const issues = check(key, Date.now())
      // an empty list is a caller's mistake and must not create a key that is valid for all hosts
      if (given.hosts?.length === 0) issues.push(issue(['input', 'hosts'], given.hosts, 'name at least one host, or be left out'))
      if (issues.length > 0) return invalid(issues)
      return store.edit<KeyDone | Invalid>((keys) => {
        const same = keys.find(({ account }) => account === key.account)
        if (same !== undefined && same.project !== key.project) {
          const is = same.project === null ? 'bound to no project' : 'bound to another project'
          const rule = `be an account of the same project: the keys of ${key.account} are ${is}`
          return { writes: [], answer: invalid([issue(['input', 'project'], key.project ?? 'null', rule)], 'CONFLICT') }
        }
        const { write, done } = make(key, null, Date.now())
        return { writes: [write], answer: done }
      })
    },
    async rotate(id, overlapMs) {
      const overlap = overlapMs ?? DEFAULT_OVERLAP_MS
      const issues = checkRange(['overlap'], overlap, 0, MAX_OVERLAP_MS, ' ms')
      if (issues.length > 0) return invalid(issues)
      return change(id, (old, _keys, now) => {
        if (!isUsable(old, now)) return { writes: [], answer: invalid([issue(['id'], id, 'be a key that has not ended')], 'CONFLICT') }
        const { name, account, scopes, hosts, maxNodes, project, expiresAt } = old
        const { write, done } = make({ name, account, scopes, hosts, maxNodes, project, expiresAt }, id, now)
        const ends = Math.min(now + overlap, old.expiresAt ?? Number.POSITIVE_INFINITY)
        return { writes: [write, { type: 'expire', id, at: ends }], answer: done }
      })
    },
    revoke: (id) =>
      change(id, (key, keys, now) => {
        if (key.revokedAt !== null) return { writes: [], answer: { type: 'done', key, secret: null } }
        const admins = keys.filter((each) => each.scopes.includes('ADMIN') && isUsable(each, now) && each.expiresAt === null)
        if (admins.length === 1 && admins[0]?.id === id)
          return { writes: [], answer: invalid([issue(['id'], id, 'not be the last permanent key with ADMIN')], 'CONFLICT') }
        return { writes: [{ type: 'revoke', id, at: now }], answer: { type: 'done', key: { ...key, revokedAt: now }, secret: null } }
      }),
  }
}

/** The searched text, in lower case. Throws InputFault if it is longer than any name of a key may be. */
function wordOf(find: string | null | undefined): string {
  if (find && find.length > MAX_TEXT) throw InputFault.at(['find'], find, `at most ${MAX_TEXT} characters long, not ${find.length}`)
  return find?.trim().toLowerCase() ?? ''
}

const hasWord = ({ name, account, project, prefix }: ApiKey, word: string): boolean =>
  [name, account, project ?? '', prefix].some((text) => text.toLowerCase().includes(word))

function check({ name, account, scopes, expiresAt, hosts, maxNodes, project }: NewKey & Pick<ApiKey, 'hosts'>, now: number): Issue[] {
  const at = (field: string) => ['input', field]
  const issues = [...checkName(at('name'), name, { max: MAX_TEXT }), ...checkName(at('account'), account, { max: MAX_TEXT })]
  if (scopes.length === 0) issues.push(issue(at('scopes'), scopes, 'name at least one scope'))
  if (expiresAt !== null && expiresAt <= now) issues.push(issue(at('expiresAt'), new Date(expiresAt).toISOString(), 'be in the future'))
  if (hosts.length > MAX_HOSTS) issues.push(issue(at('hosts'), hosts, `be at most ${MAX_HOSTS} hosts`))
  issues.push(...hosts.slice(0, MAX_HOSTS).flatMap((host, i) => checkName([...at('hosts'), String(i)], host, { max: MAX_TEXT })))
  if (maxNodes !== null && hosts.length === 0) issues.push(issue(at('maxNodes'), maxNodes, 'be left out where no host is given'))
  else if (maxNodes !== null) issues.push(...checkRange(at('maxNodes'), maxNodes, 1, MAX_NODES, ' nodes of each host'))
  if (project !== null) issues.push(...checkName(at('project'), project, { max: MAX_TEXT }))
  if (hosts.length > 0 && project !== null) issues.push(issue(at('project'), project, 'not be given together with hosts'))
  for (const [binding, allowed] of Object.entries(boundScopes)) {
    const isBound = binding === 'hosts' ? hosts.length > 0 : project !== null
    const others = scopes.filter((scope) => !(allowed as readonly Scope[]).includes(scope))
    if (isBound && others.length > 0)
      issues.push(issue(at('scopes'), others.join(', '), `be of ${allowed.join(', ')} where ${binding} is given`))
  }
  return issues
}
