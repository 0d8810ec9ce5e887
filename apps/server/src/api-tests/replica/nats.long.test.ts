import { randomUUID } from 'node:crypto'
import { createGantt } from '@gantt/client'
import { canonicalJson, checkpointOf } from '@gantt/scheduler-core'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseNatsAddress } from '../../sync/nats/address.ts'
import { StoreSetupError } from '../../sync/synchronizer.ts'
import { type NatsServers, noNatsServer, startNatsServers } from '../../testing/nats-servers.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { dataOf, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

describe.skipIf(noNatsServer !== undefined)(
  `two services whose log is in NATS${noNatsServer === undefined ? '' : ` [skipped: ${noNatsServer}]`}`,
  () => {
    let cluster: NatsServers
    let database: TestDatabase
    let services: TestService[] = []

    beforeAll(async () => {
      cluster = await startNatsServers()
      database = await createTestDatabase()
      const nats = parseNatsAddress(`${cluster.url}/services`)
      services = [await startTestService({ database, nats }), await startTestService({ database, nats })]
    })

    afterAll(async () => {
      await Promise.all(services.map((service) => service.close()))
      await database.drop()
      await cluster.stop()
    })

    test('two services together place exactly as many requests as fit, refuse the others, and have the same state', async () => {
      const [a, b] = services as [TestService, TestService]
      const hosts = Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`h${i}`, { vcpus: 16 }]))
      await a.report(hosts)
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          placeWith(services[i % 2] as TestService, { idempotencyKey: `key-${i}` }, { flavor: { vcpus: 1, memoryMb: 1_024 } }),
        ),
      )
      expect(answers.map(({ __typename }) => __typename)).toEqual(answers.map(() => 'SelectDestinationsPayload'))
      const more = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          placeWith(services[i % 2] as TestService, { idempotencyKey: `more-${i}` }, { flavor: { vcpus: 1, memoryMb: 1_024 } }),
        ),
      )
      expect(more.filter(({ __typename }) => __typename === 'SelectDestinationsPayload')).toHaveLength(4)
      expect(more.filter(({ __typename }) => __typename === 'NoValidHost')).toHaveLength(8)
      await Promise.all(services.map(({ service }) => service.replica.fresh()))
      const states = services.map(({ service }) => canonicalJson(checkpointOf(service.replica.fleet)))
      expect(states[0]).toBe(states[1])
      const { free } = b.service.replica.fleet.hosts.classColumns('VCPU')
      expect(b.service.replica.fleet.hosts.records.map(({ index }) => free[index])).toEqual([0, 0, 0, 0])
    })

    test('a subscriber of one replica gets refusals of the other replica, although refusals are not in the log', async () => {
      const [a, b] = services as [TestService, TestService]
      const opened = createGantt({ url: a.url, key: 'the-admin-key-of-tests' }).events.decisions({ query: 'flavor:elsewhere' })
      const first = opened.next()
      // the time at which the stream is open is unknown, so requests are made until an event has arrived
      let hasCome = false
      void first.then(() => {
        hasCome = true
      })
      while (!hasCome) await placeWith(b, {}, { flavor: { name: 'elsewhere', vcpus: 999, memoryMb: 64 } })
      expect((await first).value).toMatchObject({ decision: { outcome: 'NO_VALID_HOST' } })
      await opened.return()
    })

    test('an empty log is refused if the tables have followed another log, because claims would be lost', async () => {
      const other = await createTestDatabase()
      const nats = parseNatsAddress(`${cluster.url}/switched`)
      const before = await startTestService({ database: other })
      await before.report({ h: {} })
      await placeWith(before, {})
      await before.service.close()
      const switched = startTestService({ database: other, nats })
      await expect(switched).rejects.toThrow('(nats) is empty, and the tables of the database contain a log up to revision 2')
      await expect(switched).rejects.toBeInstanceOf(StoreSetupError)
      const back = await startTestService({ database: other })
      expect(back.service.replica.fleet.ledger.claims.size).toBe(1)
      await back.close()
      await other.drop()
    })

    test('a retry with a key that one service has answered gets the same answer from the other', async () => {
      const [a, b] = services as [TestService, TestService]
      await a.report({ spare: {} })
      const idempotencyKey = randomUUID()
      const first = await placeWith(a, { idempotencyKey })
      const again = await placeWith(b, { idempotencyKey })
      expect(again).toMatchObject({ replayed: true, decision: first.decision })
    })

    test('health names the engine that stores the log, and no error occurred', async () => {
      const [a] = services as [TestService]
      const { health } = await dataOf(a, '{ health { mode engine sharedFlush flushMs violations } }')
      expect(health).toEqual({ mode: 'NORMAL', engine: 'nats', sharedFlush: false, flushMs: null, violations: 0 })
      expect(services.flatMap(({ warnings }) => warnings)).toEqual(services.map(() => expect.stringContaining('A single nats-server runs')))
    })

    test("if settings of the log's stream are changed under a running replica, it stops writing, because acknowledged entries may be lost", async () => {
      const nats = parseNatsAddress(`${cluster.url}/edited`)
      const other = await createTestDatabase()
      const edited = await startTestService({ database: other, nats })
      await edited.report({ h: {} })
      const connection = await connect({ port: cluster.servers[0]?.port ?? 0 })
      const { streams } = await jetstreamManager(connection, { checkAPI: false })
      await streams.update('GANTT_edited_LOG', { max_msgs: 1_000 })
      await expect
        .poll(async () => (await dataOf(edited, '{ health { mode code reason } }')).health)
        .toEqual({ mode: 'READ_ONLY', code: 'store.setup', reason: 'The stream GANTT_edited_LOG has max_msgs 1000; it must be -1.' })
      await expect(placeWith(edited, {})).rejects.toThrow('This replica takes no writes: The stream GANTT_edited_LOG has max_msgs 1000')
      await streams.update('GANTT_edited_LOG', { max_msgs: -1 })
      await connection.close()
      await edited.service.close()
      const again = await startTestService({ database: other, nats })
      expect(await placeWith(again, {})).toMatchObject({ __typename: 'SelectDestinationsPayload' })
      await again.close()
      await other.drop()
    })
  },
)
