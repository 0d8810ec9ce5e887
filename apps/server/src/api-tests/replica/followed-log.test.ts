import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseNatsAddress } from '../../sync/nats/address.ts'
import { namesOf } from '../../sync/nats/stream-settings.ts'
import { StoreSetupError } from '../../sync/synchronizer.ts'
import { backUpStream } from '../../testing/nats-backup.ts'
import { type NatsServers, noNatsServer, startNatsServers } from '../../testing/nats-servers.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { dataOf, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

describe.skipIf(noNatsServer !== undefined)(
  `the tables have followed a log other than the present one${noNatsServer === undefined ? '' : ` [skipped: ${noNatsServer}]`}`,
  () => {
    let servers: NatsServers
    let database: TestDatabase
    let admin: TestDatabase
    let restoreOlder: () => Promise<void>
    let restoreEmpty: () => Promise<void>
    const LONG = { timeout: 120_000 }
    const start = (): Promise<TestService> => startTestService({ database, nats: parseNatsAddress(`${servers.url}/known`) })

    beforeAll(async () => {
      ;[servers, database, admin] = await Promise.all([startNatsServers(), createTestDatabase(), createTestDatabase()])
      const backUp = () => backUpStream(servers.servers[0]?.port ?? 0, namesOf('known').log)
      const first = await start()
      restoreEmpty = await backUp()
      await first.report({ h: {} })
      restoreOlder = await backUp()
      for (let i = 0; i < 3; i++) await placeWith(first, {})
      // this call is answered only when the tables contain all entries of the log
      await dataOf(first, '{ decisions(first: 1) { nodes { id } } }')
      await first.service.close()
    })
    afterAll(async () => {
      await Promise.all([database.drop(), admin.drop(), servers.stop()])
    })

    /** If `isThere` is false, blocks all connections to the service's database. Otherwise accepts connections again. */
    async function setDatabase(isThere: boolean): Promise<void> {
      const client = new pg.Client(admin.connection)
      await client.connect()
      await client.query(`ALTER DATABASE ${pg.escapeIdentifier(database.name)} ALLOW_CONNECTIONS ${isThere}`)
      await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database.name])
      await client.end()
    }

    test('a log that is shorter than the followed one is refused at the start, because claims would be lost and new entries would not get into the tables', async () => {
      await restoreOlder()
      const started = start()
      await expect(started).rejects.toBeInstanceOf(StoreSetupError)
      await expect(started).rejects.toThrow('(nats) is shorter, and the tables of the database contain a log up to revision 4')
    })

    test('without the database a log with entries is used; once the database is back and the log differs, no more entries are written', async () => {
      await setDatabase(false)
      const api = await start()
      expect(await placeWith(api, {})).toMatchObject({ __typename: 'SelectDestinationsPayload' })
      await setDatabase(true)
      const health = async () => (await dataOf(api, '{ health { mode code reason } }')).health
      await expect.poll(async () => (await health()).mode, LONG).toBe('READ_ONLY')
      expect(await health()).toMatchObject({
        code: 'store.went_back',
        reason: expect.stringContaining('the tables of the database contain a log up to revision 4'),
      })
      await api.service.close()
    })

    test('a log with another entry at the followed position is refused', async () => {
      const other = await startTestService({ nats: parseNatsAddress(`${servers.url}/known`) })
      for (let i = 0; i < 3; i++) await placeWith(other, {})
      await other.close()
      await expect(start()).rejects.toThrow(
        /has entry \S+ at revision 4, and the tables of the database contain a log up to revision 4, with entry \S+ there:/,
      )
    })

    test('with an empty log the start waits for the database, whose tables then show that the log is wrong', async () => {
      await restoreEmpty()
      await setDatabase(false)
      const started = start()
      const refused = expect(started).rejects.toThrow('(nats) is empty, and the tables of the database contain a log up to revision 4')
      await setDatabase(true)
      await refused
    })
  },
)
