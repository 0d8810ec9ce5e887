import { atOnce, type HostName, hostKey, type LeaseProvider, type Leases } from '@gantt/scheduler-core'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createLeaseStore } from '../db/tables/leases.ts'
import type { LeaseStore } from '../stores/leases.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { judgeLiveness } from './judge-liveness.ts'
import { heardBy, livenessSourceSuite } from './liveness-source.suite.ts'
import type { LivenessSource } from './liveness-source.ts'
import { openProvidedLiveness } from './provided.ts'

let database: TestDatabase
let store: LeaseStore
let failures: string[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  store = createLeaseStore(database.connection)
})
afterEach(() => {
  failures = []
})
afterAll(async () => {
  await store.close()
  await database.drop()
})

const A = { host: 'a', node: 'a' }

/** A provider with leases in memory. `more` replaces some of its functions. */
function aProvider(more: Partial<Record<keyof Leases, () => unknown>> = {}): LeaseProvider {
  const heard = new Map<string, HostName & { readonly at: number }>()
  const leases = {
    heard: (hosts: readonly HostName[]) => {
      for (const host of hosts) heard.set(hostKey(host), { ...host, at: performance.now() })
    },
    list: () => [...heard.values()].map(({ host, node, at }) => ({ host, node, heardMsAgo: performance.now() - at })),
    ...more,
  }
  // the answers of a faulty provider are invalid on purpose
  return { name: 'memory', description: 'Of a test.', open: () => leases as Leases }
}

const open = (provider = aProvider(), limitMs?: number): Promise<LivenessSource> =>
  openProvidedLiveness({
    ...{ store, breakMs: 60_000, provider },
    ...(limitMs !== undefined && { limitMs }),
    fail(what) {
      failures.push(what)
      return new Error(what)
    },
  })

describe('a lease provider of a plug-in', () => {
  livenessSourceSuite(() => open())

  test('signs of life from a provider get the store’s time, and the last sign of each host is used', async () => {
    const list = () => [
      { ...A, heardMsAgo: 9_000 },
      { ...A, heardMsAgo: 5_000 },
    ]
    const source = await open(aProvider({ list }))
    const { source: name, now, lastOf } = await heardBy(source)
    expect([name, now - (lastOf(A) ?? 0), lastOf({ host: 'b', node: 'b' })]).toEqual(['memory', 5_000, undefined])
    await source.close()
    expect(failures).toEqual([])
  })

  test('a provider that returns the largest number to mean "never" gives a valid time', async () => {
    const list = () => [{ ...A, heardMsAgo: Number.MAX_SAFE_INTEGER }]
    const source = await open(aProvider({ list }))
    const { now, lastOf } = await heardBy(source)
    const host = { ...A, state: 'UP', reportedAt: now, domains: [] } as const
    const timeouts = { suspectAfterMs: 1_000, downAfterMs: 2_000 }
    const { changes } = atOnce(judgeLiveness([host], { source: 'memory', now, listeningSince: 0, lastOf }, timeouts))
    expect(changes).toMatchObject([{ state: 'SUSPECT', reason: expect.stringContaining('silent since 1970-01-01') }])
    await source.close()
  })

  const never = (): Promise<never> => new Promise(() => undefined)
  test.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('away')
      },
      'list: away',
    ],
    ['is refused', () => Promise.reject(new Error('away')), 'list: away'],
    ['never ends', never, 'list: it did not end within 20 ms'],
    ['returns something other than a list', () => 'all', 'list returned a value of type string; it must return a list of leases'],
    [
      'returns a list that is partly invalid',
      () => [
        { ...A, heardMsAgo: 0 },
        { ...A, heardMsAgo: Number.NaN },
      ],
      'list returned an invalid lease 1',
    ],
    ['contains a sign from the future', () => [{ ...A, heardMsAgo: -1 }], 'list returned an invalid lease 0'],
  ])("if a provider's list %s, it has no effect, and operators are warned", async (_name, list, why) => {
    const source = await open(aProvider({ list }), 20)
    let looks = 0
    await expect(source.look(async () => void looks++)).rejects.toThrow(why)
    expect([looks, failures.length]).toEqual([0, 1])
    await source.close()
  })

  test('a provider that hangs is not called again until it ends', async () => {
    let asked = 0
    const list = () => {
      asked++
      return never()
    }
    const source = await open(aProvider({ list }), 20)
    await expect(heardBy(source)).rejects.toThrow('within 20 ms')
    await expect(heardBy(source)).rejects.toThrow('list: the previous call has not ended')
    expect(asked).toBe(1)
    await source.close()
  })

  test('if a provider did not answer for a long time, no host is considered silent, because no signs were received meanwhile', async () => {
    let isAway = false
    const list = () => {
      if (isAway) throw new Error('away')
      return []
    }
    const source = await open(aProvider({ list }))
    await heardBy(source)
    const client = new pg.Client(database.connection)
    await client.connect()
    await client.query('UPDATE liveness_watch SET since_ms = since_ms - 90000, until_ms = until_ms - 90000')
    await client.end()
    isAway = true
    await expect(heardBy(source)).rejects.toThrow('away')
    isAway = false
    const { listeningSince, now } = await heardBy(source)
    expect(listeningSince).toBe(now)
    await source.close()
  })

  test('if a call other than list fails, the failure is logged and the provider is still used', async () => {
    const no = (): never => {
      throw new Error('no')
    }
    const source = await open(aProvider({ heard: no, flush: no, close: never }), 20)
    source.heard([A])
    await source.flush()
    expect((await heardBy(source)).isMine).toBe(true)
    await source.close()
    expect(failures).toEqual(['heard: no', 'flush: no', 'flush: no', 'close: it did not end within 20 ms'])
  })

  test('a provider that cannot be opened ends the start with its error', async () => {
    await expect(open({ ...aProvider(), open: never }, 20)).rejects.toThrow('open: it did not end within 20 ms')
    await expect(open({ ...aProvider(), open: () => ({}) as Leases })).rejects.toThrow('open returned no leases')
  })
})
