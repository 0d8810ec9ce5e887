import { randomUUID } from 'node:crypto'
import type { Scope } from '../auth/caller.ts'
import type { PostgresConnection } from '../embedded-postgres/index.ts'
import { openService, type Service, type ServiceOptions } from '../service.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

/** The key of the tests, which has the scope ADMIN. */
export const ADMIN_KEY = 'the-admin-key-of-tests'

/** An answer as it was received. */
export interface Answer {
  readonly status: number
  readonly data: Record<string, never> | null | undefined
  readonly errors: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[]
  readonly text: string
}

export interface TestService {
  readonly service: Service
  readonly url: string
  /** The name of the service's database. */
  readonly database: string
  /** The database of the service, for direct queries or to start a second replica. */
  readonly connection: PostgresConnection
  /** The warnings for operators. */
  readonly warnings: string[]
  ask(query: string, variables?: unknown, key?: string | null): Promise<Answer>
  /** Creates a key with these scopes only. */
  keyWith(...scopes: readonly Scope[]): Promise<string>
  /** Sends a full report for each host. Default values describe a machine with 16 CPUs, 64 GiB and 1 TiB, and nothing used. */
  report(hosts: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Promise<void>
  close(): Promise<void>
}

const PLACE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { replayed fleetRevision decision { id outcome }
    destinations { instanceUuid selected { weight host { name } claim { id fence state } limits { resource limit } } alternates { host { name } claim { id } } } }
  ... on NoValidHost { placedCount decision { id outcome } reasons { filter code hosts text } }
  ... on IdempotencyConflict { firstSeenAt }
  ... on ReplicaBehind { replicaEpoch retryAfter }
  ... on ValidationError { issues { path rule message expected actual } }
  ... on UserError { code message path } } }`

/** Parsed JSON from an answer of the API. Its type is `any`, because tests read it without checks. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads JSON freely
export type Json = any

/** The code of the first error in an answer. */
export const codeOf = ({ errors }: Answer) => errors[0]?.extensions.code

/** The data of an answer. Throws if the answer has none. */
export async function dataOf(api: TestService, query: string, variables: Record<string, unknown> = {}): Promise<Json> {
  const { data, text } = await api.ask(query, variables)
  if (!data) throw new Error(text)
  return data
}

/** A reservation that does not expire during a test on any machine. */
export const LASTING = { mode: 'RESERVE', ttl: 'PT1H' }

/** Places an instance (default: 2 CPUs and 4 GiB) with a new key and a reservation that does not expire. */
export async function placeWith(api: TestService, input: Record<string, unknown>, gantt: Record<string, unknown> = {}): Promise<Json> {
  const spec = { gantt: { flavor: { vcpus: 2, memoryMb: 4_096 }, ...gantt } }
  return (await dataOf(api, PLACE, { in: { idempotencyKey: randomUUID(), spec, claim: LASTING, ...input } })).selectDestinations
}

/** A complete service on a free port, with a new database or with `database`, which is not removed afterwards. */
export async function startTestService({
  database: given,
  connection,
  ...options
}: Partial<
  Pick<
    ServiceOptions,
    'liveness' | 'unlistedAfterMs' | 'nats' | 'sharedFlush' | 'featureLevel' | 'connection' | 'plugins' | 'pluginTimeoutMs' | 'extenders'
  >
> & {
  readonly database?: TestDatabase
} = {}): Promise<TestService> {
  const database = given ?? (await createTestDatabase())
  const warnings: string[] = []
  const service = await openService({
    connection: connection ?? database.connection,
    host: '127.0.0.1',
    port: 0,
    adminKey: ADMIN_KEY,
    ...options,
    warn: (message) => warnings.push(message),
  })
  const ask = async (query: string, variables: unknown = {}, key: string | null = ADMIN_KEY): Promise<Answer> => {
    const response = await fetch(service.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ query, variables }),
    })
    const text = await response.text()
    const { data, errors = [] } = JSON.parse(text)
    return { status: response.status, data, errors, text }
  }
  return {
    service,
    url: service.url,
    database: String(database.connection.database),
    connection: database.connection,
    warnings,
    ask,
    keyWith: async (...scopes) => (await service.keys.create({ name: scopes.join('+') || 'none', account: 'tester', scopes })).secret,
    async report(hosts) {
      const updates = Object.entries(hosts).map(([host, shape]) => ({
        name: { host },
        reporter: { incarnation: randomUUID(), sequence: 1 },
        report: { full: { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_024, localGbUsed: 0, ...shape } },
      }))
      const { text } = await ask(
        `mutation ($updates: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $updates }) { appliedCount results { ... on UserError { message } } } }`,
        { updates },
      )
      if (!text.includes(`"appliedCount":${updates.length}`)) throw new Error(`not every report was applied: ${text}`)
    },
    async close() {
      await service.close()
      if (given === undefined) await database.drop()
    },
  }
}
