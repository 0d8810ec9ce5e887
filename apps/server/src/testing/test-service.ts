import { randomUUID } from 'node:crypto'
import type { Scope } from '../auth/caller.ts'
import { openService, type Service } from '../service.ts'
import { createTestDatabase } from './test-database.ts'

const ADMIN_KEY = 'the-admin-key-of-tests'

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number
  readonly data: Record<string, never> | null | undefined
  readonly errors: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[]
  readonly text: string
}

export interface TestService {
  readonly service: Service
  readonly url: string
  /** Trouble that operators were told of. */
  readonly warnings: string[]
  ask(query: string, variables?: unknown, key?: string | null): Promise<Answer>
  /** A key with these scopes only. */
  keyWith(...scopes: readonly Scope[]): Promise<string>
  /** A full report for each host; the rest is a machine of 16 CPUs, 64 GiB and 1 TiB with nothing used. */
  report(hosts: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Promise<void>
  close(): Promise<void>
}

/** A whole service on a database and a port of its own. */
export async function startTestService(): Promise<TestService> {
  const database = await createTestDatabase()
  const warnings: string[] = []
  const service = await openService({
    connection: database.connection,
    host: '127.0.0.1',
    port: 0,
    adminKey: ADMIN_KEY,
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
      await database.drop()
    },
  }
}
