import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPrisma } from '../../db/prisma.ts'
import { createTableWriter } from '../../db/table-writer.ts'
import { createRecordTables, type RecordTables } from '../../db/tables/record-tables.ts'
import type { StoredDecision } from '../../db/tables/rows.ts'
import { parseNatsAddress } from '../../sync/nats/address.ts'
import { openConnection } from '../../sync/nats/connection.ts'
import { ensureStream, logSettings, namesOf } from '../../sync/nats/stream-settings.ts'
import { StoreUnavailableError } from '../../sync/synchronizer.ts'
import { backUpStream } from '../../testing/nats-backup.ts'
import { type NatsServers, noNatsServer, startNatsServers, whenThere } from '../../testing/nats-servers.ts'
import { startSlowLink } from '../../testing/slow-link.ts'
import { createTestDatabase } from '../../testing/test-database.ts'
import { apiKeysSuite } from '../api-keys.suite.ts'
import { leasesSuite } from '../leases.suite.ts'
import { anAuditEntry, aRefusal, recordsSuite } from '../records.suite.ts'
import { replicasSuite } from '../replicas.suite.ts'
import { readTables, type StoresEngine } from '../stores.suite.ts'
import type { Stores } from '../stores.ts'
import { type NatsStoresOptions, openNatsStores } from './nats.ts'
import { storeStreamsOf } from './streams.ts'

/** Creates a key and returns its secret. Repeats the call while the stream is unavailable. */
async function makeKey({ keys }: Stores, name: string): Promise<string> {
  for (;;) {
    const made = await keys.create({ name, account: 'a', scopes: ['READ'] }).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailableError)) throw error
    })
    if (made !== undefined) return made.secret
  }
}

let fleets = 0
const warnings: string[] = []

for (const count of [1, 3] as const)
  describe.skipIf(noNatsServer !== undefined)(
    `with ${count} of nats-server${noNatsServer === undefined ? '' : ` [skipped: ${noNatsServer}]`}`,
    () => {
      let cluster: NatsServers
      beforeAll(async () => {
        cluster = await startNatsServers({ count })
      })
      afterAll(() => cluster.stop())

      const aPlace = async (url = cluster.url) => {
        const address = parseNatsAddress(`${url}/stores-${++fleets}`)
        if (address === undefined) throw new Error(`${url} is not an address`)
        const connection = await openConnection(address, 'suite')
        await whenThere(() => ensureStream(connection, logSettings(namesOf(address.fleet)), count))
        await connection.close()
        const database = await createTestDatabase()
        const prisma = createPrisma(database.connection)
        const writer = createTableWriter(database.connection)
        const warn = (message: string): void => void warnings.push(message)
        const tables = createRecordTables({ prisma, writer, mayPack: () => true, onSetAside: ({ reason }) => warn(reason), warn })
        const open = (other: Partial<NatsStoresOptions>) =>
          whenThere(() =>
            openNatsStores(address, {
              ...{ name: 'suite', tables, recordBytes: 10_000_000, warn, isDatabaseUp: () => true, time: async () => Date.now() },
              ...other,
            }),
          )
        const drop = async (): Promise<void> => {
          await prisma.$disconnect()
          await writer.close()
          await database.drop()
        }
        return { address, prisma, tables, open, drop }
      }

      const engine: StoresEngine = {
        name: `NATS of ${count}`,
        async createPlace() {
          const { prisma, open, drop } = await aPlace()
          const writer = await open({})
          return {
            open: () => open({}),
            async tables() {
              expect(await writer.records.caughtUp(10_000)).toBe(true)
              return readTables(prisma)
            },
            async drop() {
              await writer.close()
              await drop()
            },
          }
        },
      }

      test('after a writer died between its commit and its trim no record is repeated, and the stream is trimmed', async () => {
        const { address, tables, prisma, open, drop } = await aPlace()
        let dies = false
        const dying: RecordTables = {
          ...tables,
          async write(...args) {
            const written = await tables.write(...args)
            if (!dies || args[0] !== 'records') return written
            dies = false
            isDatabaseUp = false
            throw new Error('killed')
          },
        }
        let isDatabaseUp = false
        const first = await open({ tables: dying, isDatabaseUp: () => isDatabaseUp })
        await first.keys.create({ name: 'k', account: 'a', scopes: ['READ'] })
        const [decisions, audit] = [
          [aRefusal(), aRefusal()],
          [anAuditEntry(), anAuditEntry()],
        ]
        await first.records.keepDecisions(decisions)
        await first.records.keepAudit(audit)
        dies = true
        isDatabaseUp = true
        await expect.poll(() => isDatabaseUp).toBe(false)
        const streamOf = async () => {
          const connection = await openConnection(address, 'suite')
          const { state } = await connection.streams.info(storeStreamsOf(address.fleet).records.stream)
          await connection.close()
          return state
        }
        expect((await streamOf()).messages).toBe(2)
        const second = await open({})
        await second.records.keepAudit(audit)
        expect(await second.records.caughtUp(10_000)).toBe(true)
        const kept = await readTables(prisma)
        expect([[...kept.decisions].sort(), kept.audit, kept.auditFaults]).toEqual([
          decisions.map(({ id }) => id).sort(),
          audit.map(({ id }) => id),
          [],
        ])
        await expect.poll(async () => (await streamOf()).messages).toBe(1)
        await Promise.all([first.close(), second.close()])
        await drop()
      })

      test('trimming up to the very first message drops no later message', async () => {
        const { prisma, open, drop } = await aPlace()
        const stores = await open({})
        const entries = Array.from({ length: 12 }, () => anAuditEntry())
        for (const entry of entries) {
          await stores.records.keepAudit([entry])
          // the tables must have the first record, and the stream must be trimmed, before the next one arrives
          if (entry === entries[0]) expect(await stores.records.caughtUp(10_000)).toBe(true)
        }
        expect(await stores.records.caughtUp(10_000)).toBe(true)
        expect((await readTables(prisma)).audit).toEqual(entries.map(({ id }) => id))
        await stores.close()
        await drop()
      })

      test('a full stream of records refuses more records and reports that it is full, until the tables have the waiting ones', async () => {
        const { prisma, open, drop } = await aPlace()
        let isDatabaseUp = false
        const stores = await open({ recordBytes: 1_000_000, isDatabaseUp: () => isDatabaseUp })
        const decisions: StoredDecision[] = []
        const fill = async (): Promise<void> => {
          for (;;) {
            const some = Array.from({ length: 20 }, () => aRefusal())
            await stores.records.keepDecisions(some)
            decisions.push(...some)
          }
        }
        await expect(fill()).rejects.toThrow('is full')
        expect(stores.records.takesMore()).toBe(false)
        isDatabaseUp = true
        expect(await stores.records.caughtUp(30_000)).toBe(true)
        await stores.records.keepAudit([anAuditEntry()])
        expect(stores.records.takesMore()).toBe(true)
        const kept = new Set((await readTables(prisma)).decisions)
        expect(decisions.filter(({ id }) => !kept.has(id))).toEqual([])
        await stores.close()
        await drop()
      })

      test('a replica that stops writes its own records, and does not wait for those of other replicas', async () => {
        const { prisma, open, drop } = await aPlace()
        let isDatabaseUp = false
        const [first, second] = [await open({ isDatabaseUp: () => isDatabaseUp }), await open({ isDatabaseUp: () => false })]
        const there = Array.from({ length: 3 }, () => anAuditEntry())
        for (const entry of there) await first.records.keepAudit([entry])
        let isOver = false
        const others = (async () => {
          while (!isOver) await second.records.keepAudit([anAuditEntry()])
        })()
        isDatabaseUp = true
        await first.close()
        isOver = true
        await others
        expect((await readTables(prisma)).audit).toEqual(expect.arrayContaining(there.map(({ id }) => id)))
        await second.close()
        await drop()
      })

      test('if the tables have the position of another stream, they get all records of the present stream', async () => {
        const { prisma, tables, open, drop } = await aPlace()
        const none = { decisions: [], audit: [], uses: [], keys: [] }
        await tables.write('records', await tables.position('records'), { sequence: 1_000, id: 'of another stream' }, none)
        let isDatabaseUp = false
        const stores = await open({ isDatabaseUp: () => isDatabaseUp })
        const entry = anAuditEntry()
        await stores.records.keepAudit([entry])
        isDatabaseUp = true
        expect(await stores.records.caughtUp(20_000)).toBe(true)
        expect((await readTables(prisma)).audit).toEqual([entry.id])
        await stores.close()
        await drop()
      })

      test('the leases leave out a host that was silent for longer than any timeout', async () => {
        const { open, drop } = await aPlace()
        let days = 0
        const stores = await open({ time: async () => Date.now() + days * 86_400_000 })
        const host = { host: 'h', node: 'h' }
        await stores.leases.renew([host])
        const lastOf = async (): Promise<number | undefined> => {
          let last: number | undefined
          await stores.leases.look(60_000, async (look) => {
            last = (await look.leases())(host)
          })
          return last
        }
        expect(await lastOf()).toBeGreaterThan(0)
        days = 3
        expect(await lastOf()).toBeUndefined()
        await stores.close()
        await drop()
      })

      // a slow connection behaves the same with any number of servers
      if (count === 1)
        test('records arrive in parts over a slow connection', async () => {
          const link = await startSlowLink(cluster.servers[0]?.port ?? 0)
          const { prisma, open, drop } = await aPlace(`nats://127.0.0.1:${link.port}`)
          let isDatabaseUp = false
          const stores = await open({ isDatabaseUp: () => isDatabaseUp })
          const entries = Array.from({ length: 60 }, () => ({ ...anAuditEntry(), summary: 'x'.repeat(5_000) }))
          for (const entry of entries) await stores.records.keepAudit([entry])
          // with this rate, sending all records takes four seconds
          link.slowTo(75_000)
          isDatabaseUp = true
          expect(await stores.records.caughtUp(60_000)).toBe(true)
          link.slowTo(Number.POSITIVE_INFINITY)
          expect((await readTables(prisma)).audit).toEqual(entries.map(({ id }) => id))
          await stores.close()
          await drop()
          await link.close()
        })

      test('after a restore of the keys from a backup every replica has the same keys, without the lost edits', async () => {
        const { address, open, drop } = await aPlace()
        const first = await open({ doubtMs: 0 })
        const kept = await first.keys.create({ name: 'kept', account: 'a', scopes: ['READ'] })
        const restore = await backUpStream(cluster.servers[0]?.port ?? 0, storeStreamsOf(address.fleet).keys.stream)
        const lost = await first.keys.create({ name: 'lost', account: 'a', scopes: ['READ'] })
        await restore()
        const later = await makeKey(first, 'later')
        const second = await open({})
        const known = ({ keys }: Stores) => [kept.secret, lost.secret, later].map((secret) => keys.verify(secret)?.name)
        expect(known(first)).toEqual(['kept', undefined, 'later'])
        expect(known(second)).toEqual(known(first))
        expect(warnings).toContainEqual(expect.stringContaining('the keys of this replica now equal those in the stream'))
        await Promise.all([first.close(), second.close()])
        await drop()
      })

      test('invalid messages of other clients on the subjects of the stores are ignored, by running and starting replicas', async () => {
        const { address, prisma, open, drop } = await aPlace()
        const first = await open({})
        const { key, secret } = await first.keys.create({ name: 'k', account: 'a', scopes: ['READ'] })
        const connection = await openConnection(address, 'stranger')
        const { keys, records, leases, replicas } = storeStreamsOf(address.fleet)
        const strange: readonly (readonly [subject: string, body: unknown])[] = [
          ...[keys.subject, records.subject, `${leases.subject}.x`, `${leases.subject}.watch`, `${replicas.subject}.x`].flatMap((subject) =>
            [null, 7, [], { format: 1 }].map((body) => [subject, body] as const),
          ),
          [keys.subject, { format: 1, id: 'x', after: '', writes: [null] }],
          [records.subject, { format: 1, decisions: [1] }],
          [records.subject, { format: 1, audit: [{ ...anAuditEntry(), id: 'no uuid' }] }],
          [records.subject, { format: 1, uses: [{ id: key.id, at: 'never' }] }],
          [`${leases.subject}.x`, { heard: [1, ['h', 'x'], ['h', -1], ['heard', 0]] }],
          [`${leases.subject}.watch`, { watch: { by: 'x', heldMs: null, since: 1e300, until: 'a' } }],
          [`${replicas.subject}.x`, { id: 'x', revision: 1e300 }],
        ]
        for (const [subject, body] of strange) await connection.request(subject, JSON.stringify(body))
        const second = await open({})
        for (const { keys, records, replicas, leases } of [first, second]) {
          expect(keys.verify(secret)).toMatchObject({ id: key.id })
          await keys.create({ name: 'another', account: 'a', scopes: ['READ'] })
          expect(await replicas.list()).toMatchObject({ rows: [] })
          await leases.look(60_000, async (look) => {
            const lastOf = await look.leases()
            expect([look.isMine, lastOf({ host: 'h', node: 'h' })]).toEqual([true, undefined])
            expect(lastOf({ host: 'heard', node: 'heard' })).toBeGreaterThan(0)
          })
          await records.keepAudit([anAuditEntry()])
          expect(await records.caughtUp(20_000)).toBe(true)
        }
        expect((await readTables(prisma)).audit).toHaveLength(2)
        await Promise.all([first.close(), second.close(), connection.close()])
        await drop()
      })

      apiKeysSuite(engine)
      recordsSuite(engine)
      replicasSuite(engine)
      leasesSuite(engine)
    },
  )
