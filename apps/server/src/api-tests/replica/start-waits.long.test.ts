import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePorts } from '../../free-ports.ts'
import { openService, type Service } from '../../service.ts'
import { parseNatsAddress } from '../../sync/nats/address.ts'
import { StoreSetupError } from '../../sync/synchronizer.ts'
import { type NatsServers, noNatsServer, startNatsServers } from '../../testing/nats-servers.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { StoppedError } from '../../wait-for-store.ts'

const ADMIN_KEY = 'the-admin-key-of-tests'
const LONG = { interval: 100 }

/** A service that is starting or has started. */
interface Starting {
  /** Resolves when the service is ready. */
  readonly service: Promise<Service>
  readonly warnings: string[]
  stop(): void
  /** Sends a readiness probe. Returns the HTTP status and the text of the answer, or `nobody listens` if there is no answer. */
  ready(): Promise<string>
  /** Makes a call. Returns the HTTP status and the error code of the answer. */
  call(): Promise<string>
}

describe.skipIf(noNatsServer !== undefined)(
  `a service that starts while its log cannot be reached${noNatsServer === undefined ? '' : ` [skipped: ${noNatsServer}]`}`,
  () => {
    let cluster: NatsServers
    let database: TestDatabase
    let admin: TestDatabase
    const services: Promise<Service>[] = []

    beforeAll(async () => {
      ;[cluster, database, admin] = await Promise.all([startNatsServers({ count: 3 }), createTestDatabase(), createTestDatabase()])
    })
    afterAll(async () => {
      await Promise.all(services.map((service) => service.then((one) => one.close()).catch(() => undefined)))
      await database.drop()
      await admin.drop()
      await cluster.stop()
    })

    async function start(fleet: string, url = cluster.url): Promise<Starting> {
      const [port = 0] = await freePorts(1)
      const warnings: string[] = []
      const stop = new AbortController()
      const service = openService({
        ...{ connection: database.connection, host: '127.0.0.1', port, adminKey: ADMIN_KEY, stopped: stop.signal },
        nats: parseNatsAddress(`${url}/${fleet}`),
        warn: (message) => warnings.push(message),
      })
      service.catch(() => undefined)
      services.push(service)
      const at = `http://127.0.0.1:${port}`
      return {
        service,
        warnings,
        stop: () => stop.abort(),
        async ready() {
          const answer = await fetch(`${at}/ready`).catch(() => undefined)
          return answer === undefined ? 'nobody listens' : `${answer.status} ${(await answer.text()).trim()}`
        },
        async call() {
          const answer = await fetch(`${at}/graphql`, {
            method: 'POST',
            headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
            body: '{"query":"{ health { mode } }"}',
          })
          const { errors = [] } = (await answer.json()) as { errors?: { extensions: { code: string; retryable: boolean } }[] }
          return `${answer.status} ${errors.map(({ extensions }) => `${extensions.code} ${extensions.retryable}`).join()}`
        },
      }
    }
    const revive = (...some: NatsServers['servers']) => Promise.all(some.map((server) => server.restart()))

    test('the start waits until the servers run and have a leader, and then continues by itself', async () => {
      const [first, ...others] = cluster.servers
      if (first === undefined) throw new Error('there are three servers')
      await Promise.all(cluster.servers.map((server) => server.kill()))
      const starting = await start('waits')
      await expect
        .poll(starting.ready, LONG)
        .toMatch(
          /^503 waiting for the store that GANTT_SYNC names: NATS at .* does not answer: .*; start it, or set GANTT_SYNC to one that runs/,
        )
      expect(await starting.call()).toBe('503 UNAVAILABLE true')
      await revive(first)
      await expect.poll(starting.ready, LONG).not.toContain('does not answer')
      expect(await starting.ready()).toMatch(/^503 waiting for the store that GANTT_SYNC names: /)
      await revive(...others)
      const { replica } = await starting.service
      expect(await starting.ready()).toBe('200 ready')
      expect(replica.engine).toBe('nats')
      const waitWarnings = starting.warnings.filter((warning) => warning.startsWith('waiting for the store'))
      expect(waitWarnings.length).toBeGreaterThan(0)
      expect(starting.warnings).toContainEqual(expect.stringMatching(/^the store answered after \d+ s; the start continues$/))
    })

    test('a service that is stopped during the wait ends and frees its port', async () => {
      const [port = 0] = await freePorts(1)
      const starting = await start('stopped', `nats://127.0.0.1:${port}`)
      await expect.poll(starting.ready, LONG).toContain('does not answer')
      starting.stop()
      await expect(starting.service).rejects.toBeInstanceOf(StoppedError)
      expect(await starting.ready()).toBe('nobody listens')
    })

    test('the start ends at once if waiting would not help, for example because credentials are refused', async () => {
      const closed = await startNatsServers({ settings: 'authorization { token: "right" }', credentials: 'right' })
      try {
        const starting = await start('refused', `nats://wrong@127.0.0.1:${closed.servers[0]?.port}`)
        await expect(starting.service).rejects.toBeInstanceOf(StoreSetupError)
        expect(starting.warnings.filter((warning) => warning.startsWith('waiting'))).toEqual([])
      } finally {
        await closed.stop()
      }
    })

    test('the first service of a fleet waits for the database, because the tables contain the keys and may have followed another log', async () => {
      const setDatabase = async (isThere: boolean): Promise<void> => {
        const client = new pg.Client(admin.connection)
        await client.connect()
        await client.query(`ALTER DATABASE ${pg.escapeIdentifier(database.name)} ALLOW_CONNECTIONS ${isThere}`)
        if (!isThere) await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database.name])
        await client.end()
      }
      await setDatabase(false)
      const starting = await start('first')
      try {
        await expect
          .poll(starting.ready, LONG)
          .toContain('is empty, and the database, which may contain the tables of an earlier log, does not answer')
      } finally {
        await setDatabase(true)
      }
      const { keys } = await starting.service
      expect(keys.verify(ADMIN_KEY)?.name).toBe('admin')
      expect(await starting.ready()).toBe('200 ready')
    })
  },
)
