import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@gantt/client'
import { type Answer, claimsOf, release, select } from '../promises/calls.ts'

/** Callers that send calls to all replicas, with the results of their calls so far. */
export interface DatabaseLoad {
  /** The ids of all decisions in the answers, including those of refusals. */
  readonly decisions: readonly string[]
  /** The ids of the claims that the callers hold now. */
  held(): readonly string[]
  /** How many instances have been placed so far. */
  readonly placed: number
  /** How many mutations were answered, and how many have an unknown outcome. */
  readonly answered: number
  readonly unknown: number
  /** The longest duration of a placement, milliseconds. */
  readonly longestMs: number
  /** The errors of failed calls, the newest last. */
  readonly failures: readonly string[]
  /** API keys that a replica treated wrongly: it accepted a key that had been revoked, or refused a key that had been created. */
  readonly wrongKeys: readonly string[]
  /** How many API keys were created. */
  readonly keys: number
  stop(): Promise<void>
}

const CALLERS_PER_REPLICA = 3
const PAUSE_MS = 50
/** One of this many calls requests more CPUs than any host has. Such a call must be refused. */
const REFUSED_ONE_IN = 8
const MAX_HELD_CLAIMS = 20
const TOO_MANY_VCPUS = 60_000
const KEY_EVERY_MS = 4_000
const MAX_FAILURES = 5

const CREATE = `mutation ($input: ApiKeyCreateInput!) { apiKeyCreate(input: $input) { ... on ApiKeyPayload { secret key { id } } ... on UserError { message } } }`
const REVOKE = 'mutation ($id: ID!) { apiKeyRevoke(id: $id) { __typename } }'

/**
 * Sends calls to all replicas until it is stopped. The calls place instances, make requests that are refused, release claims, and create
 * and revoke keys.
 */
export function startDatabaseLoad(clients: readonly Client[], as: (replica: number, key: string) => Client): DatabaseLoad {
  const decisions: string[] = []
  const failures: string[] = []
  const wrongKeys: string[] = []
  const holders: { readonly id: string; readonly fence: number }[][] = []
  let [placed, answered, unknown, keys, longestMs] = [0, 0, 0, 0, 0]
  let isOver = false

  /** Counts a mutation; returns undefined if its outcome is unknown. */
  const mutate = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
    try {
      const answer = await call()
      answered++
      return answer
    } catch (error) {
      unknown++
      failures.push(error instanceof Error ? error.message : String(error))
      if (failures.length > MAX_FAILURES) failures.shift()
      return undefined
    }
  }
  const caller = async (replica: number, n: number): Promise<void> => {
    const client = clients[replica] as Client
    const held: { readonly id: string; readonly fence: number }[] = []
    holders.push(held)
    for (let i = 0; !isOver; i++) {
      const isTooMuch = i % REFUSED_ONE_IN === REFUSED_ONE_IN - 1
      const key = `load-${replica}-${n}-${i}`
      const begunAt = performance.now()
      const answer: Answer | undefined = await mutate(() => select(client, { key, ...(isTooMuch ? { vcpus: TOO_MANY_VCPUS } : {}) }))
      longestMs = Math.max(longestMs, performance.now() - begunAt)
      if (answer?.decision !== undefined) decisions.push(answer.decision.id)
      const claims = answer === undefined ? [] : claimsOf(answer)
      placed += claims.length
      held.push(...claims.map(({ id, fence }) => ({ id, fence })))
      if (held.length > MAX_HELD_CLAIMS) {
        const oldest = held.splice(0, MAX_HELD_CLAIMS / 2)
        await mutate(() => release(client, oldest))
      }
      await sleep(PAUSE_MS)
    }
  }
  /** Creates a key on one replica, uses and revokes it on the next one, and checks that the third one refuses it. */
  const editKeys = async (): Promise<void> => {
    for (let i = 0; !isOver; i++) {
      const at = (offset: number): number => (i + offset) % clients.length
      const input = { name: `k${i}`, account: 'load', scopes: ['READ'] }
      const made = await mutate(() =>
        (clients[at(0)] as Client).request<{ apiKeyCreate: { secret?: string; key?: { id: string } } }>(CREATE, { input }),
      )
      const { secret, key } = made?.apiKeyCreate ?? {}
      if (secret !== undefined && key !== undefined) {
        keys++
        if (!(await isKnown(as(at(1), secret), true))) wrongKeys.push(`key ${i} is not known`)
        const revoked = await mutate(() => (clients[at(1)] as Client).request(REVOKE, { id: key.id }))
        if (revoked !== undefined && (await isKnown(as(at(2), secret), false))) wrongKeys.push(`key ${i} is known after it was revoked`)
      }
      for (const end = performance.now() + KEY_EVERY_MS; performance.now() < end && !isOver; ) await sleep(PAUSE_MS)
    }
  }
  const running = Promise.all([
    editKeys(),
    ...clients.flatMap((_client, replica) => Array.from({ length: CALLERS_PER_REPLICA }, (_, n) => caller(replica, n))),
  ])
  // If a caller fails, `stop` throws the error, so the error is ignored here.
  running.catch(() => undefined)
  return {
    decisions,
    failures,
    wrongKeys,
    held: () => holders.flat().map(({ id }) => id),
    get placed() {
      return placed
    },
    get answered() {
      return answered
    },
    get unknown() {
      return unknown
    },
    get longestMs() {
      return longestMs
    },
    get keys() {
      return keys
    },
    async stop() {
      isOver = true
      await running
    },
  }
}

/**
 * The time in milliseconds within which every other replica must know that a key was created or revoked. The contract allows one second.
 * The limit is longer here because the machine is loaded.
 */
const KEY_DELAY_LIMIT_MS = 5_000

/**
 * Whether the service accepts the key of this client. If the result differs from the expected one, the check is repeated for
 * KEY_DELAY_LIMIT_MS, because the replica may not yet know the change of the key.
 */
async function isKnown(client: Client, expected: boolean): Promise<boolean> {
  for (const end = performance.now() + KEY_DELAY_LIMIT_MS; ; await sleep(PAUSE_MS)) {
    const known = await client.request('{ health { mode } }').then(
      () => true,
      () => false,
    )
    if (known === expected || performance.now() > end) return known
  }
}
