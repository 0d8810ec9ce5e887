import { randomUUID } from 'node:crypto'
import { checkpointOf, digestAll, digestPart, ENTRY_FORMAT, type Fleet, Fleet as NewFleet, ORIGIN, partsOf } from '@gantt/scheduler-core'
import { aReport } from '@gantt/scheduler-core/testing'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type NatsAddress, parseNatsAddress } from '../sync/nats/address.ts'
import { openNatsSynchronizer } from '../sync/nats/nats.ts'
import { namesOf } from '../sync/nats/stream-settings.ts'
import { openPostgresSynchronizer } from '../sync/postgres/postgres.ts'
import { StoreSetupError, type Synchronizer } from '../sync/synchronizer.ts'
import { type NatsServers, noNatsServer, startNatsServers, whenThere } from '../testing/nats-servers.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../testing/test-service.ts'
import { abandonChange, type ChangeOptions, type ChangeStep, changeEngine } from './engine-change.ts'
import { assertLogIn, type EngineName } from './record.ts'

/** A query for all data that callers have received and can read again. */
const HELD = `{
  claims(first: 100) { nodes { id fence state instanceUuid revision expiresAt host { name } decision { id } } }
  hosts(first: 100) { nodes { name revision status } }
  serverGroups(first: 100) { nodes { uuid policy } }
  decisions(first: 100) { nodes { id outcome at fleetRevision } }
  apiKeys(first: 100) { nodes { id name prefix scopes revokedAt } }
}`

const TRIMMED = ['trimmed', 3] as const

let fleets = 0

// Tests of single steps run with one server. The cluster of three servers also has copies of the streams.
describe.each([1, 3] as const)('changing the engine with %i nats-server processes', (count) => {
  describe.skipIf(noNatsServer !== undefined)(`nats-server${noNatsServer === undefined ? '' : ` [skipped: ${noNatsServer}]`}`, () => {
    let servers: NatsServers
    let database: TestDatabase
    let nats: NatsAddress

    beforeAll(async () => {
      servers = await startNatsServers({ count })
    })
    afterAll(() => servers.stop())

    beforeEach(async () => {
      nats = addressOf(`change-${++fleets}`)
      database = await createTestDatabase()
    })
    afterEach(() => database.drop())

    const onOne = (name: string, body: () => Promise<void>): void => {
      if (count === 1) test(name, body)
    }
    const addressOf = (fleet: string): NatsAddress => {
      const address = parseNatsAddress(`${servers.url}/${fleet}`)
      if (address === undefined) throw new Error(`${servers.url} is not a NATS URL`)
      return address
    }
    const options = (to: EngineName, other: Partial<ChangeOptions> = {}): ChangeOptions => ({
      ...{ connection: database.connection, nats, to, recordBytes: 10_000_000, warn: () => undefined },
      ...other,
    })
    const change = (to: EngineName, other: Partial<ChangeOptions> = {}) => changeEngine(options(to, other))
    /** Throws before the given step begins, as if the process ended there. */
    const cutAt = (to: EngineName, cut: ChangeStep) =>
      change(to, {
        onStep(step) {
          if (step === cut) throw new Error(`cut at ${step}`)
        },
      })
    const openLog = (engine: EngineName): Promise<Synchronizer> =>
      assertLogIn(engine, database.connection).then(() =>
        engine === 'nats'
          ? whenThere(() => openNatsSynchronizer(nats, { reached: async () => 0, warn: () => undefined }))
          : openPostgresSynchronizer(database.connection),
      )
    /** True if a replica with this engine finds the log. False for an empty log, because a service does not start with it. */
    const isOpen = async (engine: EngineName): Promise<boolean> => {
      const log = await openLog(engine).catch((error: unknown) => {
        if (error instanceof StoreSetupError) return undefined
        throw error
      })
      if (log === undefined) return false
      const { firstAt } = await log.retention()
      await log.close()
      return firstAt !== null
    }
    /** Creates a log of a few hosts without a service, trimmed if requested. */
    const fillLog = async ({ entries = 5, trimmedTo = 0 } = {}): Promise<Fleet> => {
      const log = await openPostgresSynchronizer(database.connection)
      const fleet = new NewFleet()
      for (let i = 1; i <= entries; i++) {
        await log.append({ format: ENTRY_FORMAT, id: randomUUID(), writer: 'test', basis: fleet.place, changes: [aReport(`h${i}`)] })
        for (const entry of await log.read(fleet.place, 10)) fleet.apply(entry)
        if (i === trimmedTo || i === entries - 1) await log.saveCheckpoint(checkpointOf(fleet))
      }
      await log.close()
      if (trimmedTo > 0) await sql(`DELETE FROM log WHERE revision < ${trimmedTo}`)
      return fleet
    }
    const sql = async (text: string): Promise<pg.QueryResult> => {
      const client = new pg.Client(database.connection)
      await client.connect()
      try {
        return await client.query(text)
      } finally {
        await client.end()
      }
    }
    /** Runs a service on the engine during the given work. */
    const on = async <T>(engine: EngineName, work: (api: TestService) => Promise<T>): Promise<T> => {
      const api = await startTestService({ database, ...(engine === 'nats' ? { nats } : {}) })
      try {
        return await work(api)
      } finally {
        await api.close()
      }
    }

    onOne('claims, fences, keys, answers and decisions are kept by a change to the other engine and back', async () => {
      const call = { idempotencyKey: randomUUID() }
      const group = { instanceGroup: { uuid: randomUUID(), policy: 'ANTI_AFFINITY' } }
      const before = await on('postgres', async (api) => {
        await api.report({ h1: {}, h2: {}, h3: {} })
        const answer = await placeWith(api, call)
        await placeWith(api, {}, group)
        const refused = await placeWith(api, {}, { flavor: { vcpus: 999, memoryMb: 4_096 } })
        expect(refused.__typename).toBe('NoValidHost')
        const reader = await api.keyWith('READ')
        return { answer, reader, held: await dataOf(api, HELD), decision: refused.decision.id, state: stateOf(api.service.replica.fleet) }
      })
      const there = await change('nats')
      expect(there).toMatchObject({ outcome: 'done', keys: 2, to: { state: before.state, claims: 2, hosts: 3 } })
      expect(there.to).toEqual(there.from)
      await expect(on('postgres', async () => undefined)).rejects.toThrow(/was taken to NATS .* Set GANTT_SYNC=nats:.*\/change-/)

      const between = await on('nats', async (api) => {
        expect(await dataOf(api, HELD)).toEqual(before.held)
        expect(await placeWith(api, call)).toMatchObject({ replayed: true, ...answerOf(before.answer) })
        expect((await api.ask('{ viewer { account } }', {}, before.reader)).data).not.toBeNull()
        await expectSameDecision(api, before.decision)
        // later changes must be copied back too: an ended claim, a new claim, a refusal, a key
        const [claim] = before.answer.destinations
        const { id, fence } = claim.selected.claim
        await dataOf(api, `mutation { claimRelease(claims: [{ id: "${id}", fence: ${fence} }]) { __typename } }`)
        const later = { idempotencyKey: randomUUID() }
        const answer = await placeWith(api, later)
        await placeWith(api, {}, { flavor: { vcpus: 998, memoryMb: 4_096 } })
        const writer = await api.keyWith('SCHEDULE')
        await expect(change('postgres')).rejects.toThrow(/replicas gave a recent sign of life: .* at http/)
        return { answer, later, writer, held: await dataOf(api, HELD), state: stateOf(api.service.replica.fleet) }
      })
      const back = await change('postgres')
      expect(back).toMatchObject({ outcome: 'done', keys: 3, to: { state: between.state } })
      await expect(on('nats', async () => undefined)).rejects.toThrow(/taken from NATS into this database.* Set GANTT_SYNC=postgres/)

      await on('postgres', async (api) => {
        expect(await dataOf(api, HELD)).toEqual(between.held)
        expect(await placeWith(api, call)).toMatchObject({ __typename: 'SelectDestinationsPayload', replayed: true })
        expect(await placeWith(api, between.later)).toMatchObject({ replayed: true, ...answerOf(between.answer) })
        expect((await api.ask('{ viewer { account } }', {}, between.writer)).data).not.toBeNull()
        for (const { id } of between.held.decisions.nodes) await expectSameDecision(api, id)
        expect((await placeWith(api, {})).__typename).toBe('SelectDestinationsPayload')
      })
      expect(await sql(`SELECT name FROM projection_position WHERE name <> 'main'`)).toMatchObject({ rowCount: 0 })
    })

    test.each(count === 3 ? [TRIMMED] : [['whole', 0] as const, TRIMMED])(
      'a log that is %s is copied to the other engine and back with its revisions, and this works twice',
      async (_name, trimmedTo) => {
        const fleet = await fillLog({ trimmedTo })
        const there = await change('nats')
        expect(there.to).toMatchObject({ revision: 5, entries: trimmedTo === 0 ? 5 : 3, state: stateOf(fleet), entry: fleet.place.id })
        const log = await openLog('nats')
        await log.append({ format: ENTRY_FORMAT, id: 'in nats', writer: 'test', basis: fleet.place, changes: [aReport('h6')] })
        const [entry] = await log.read(fleet.place, 10)
        await log.close()
        expect(entry).toMatchObject({ revision: 6, id: 'in nats' })
        const back = await change('postgres')
        expect(back.to).toMatchObject({ revision: 6, hosts: 6 })
        expect((await change('nats')).to).toEqual(back.to)
        expect(await change('nats')).toMatchObject({ outcome: 'already', revision: 6 })
      },
    )

    onOne('an empty log is copied to the other engine and back too', async () => {
      expect(await change('nats')).toMatchObject({ outcome: 'done', to: { entries: 0, revision: 0 } })
      expect(await change('postgres')).toMatchObject({ outcome: 'done', to: { entries: 0, revision: 0 } })
    })

    onOne('a change that is interrupted at any step leaves at most one engine open, and the next call completes it', async () => {
      const fleet = await fillLog()
      const openAfter = { check: 'postgres', close: 'postgres', copy: '', keys: '', verify: '', declare: '', end: 'nats' } as const
      for (const [cut, open] of Object.entries(openAfter)) {
        await expect(cutAt('nats', cut as ChangeStep)).rejects.toThrow(`cut at ${cut}`)
        expect({ cut, open: await openEngines() }).toEqual({ cut, open })
      }
      expect(await change('nats')).toMatchObject({ outcome: 'ended', revision: 5 })
      const openAfterBack = { check: 'nats', close: 'nats', drain: '', copy: '', verify: '', declare: '', end: 'postgres' } as const
      for (const [cut, open] of Object.entries(openAfterBack)) {
        await expect(cutAt('postgres', cut as ChangeStep)).rejects.toThrow(`cut at ${cut}`)
        expect({ cut, open: await openEngines() }).toEqual({ cut, open })
      }
      expect(await change('postgres')).toMatchObject({ outcome: 'already', revision: 5 })
      expect((await change('nats', { isDry: true })).from).toMatchObject({ state: stateOf(fleet) })
    })

    onOne('a change that has not ended can be abandoned, and the old engine continues to be used', async () => {
      const fleet = await fillLog()
      await expect(cutAt('nats', 'verify')).rejects.toThrow('cut')
      await abandonChange(options('nats'))
      expect(await openEngines()).toBe('postgres')
      const log = await openLog('postgres')
      expect(await log.append({ format: ENTRY_FORMAT, id: 'on', writer: 'test', basis: fleet.place, changes: [] })).toMatchObject({
        revision: 6,
      })
      await log.close()
      await change('nats')
      await expect(abandonChange(options('nats'))).rejects.toMatchObject({ code: 'engine.no_change' })
      await expect(cutAt('postgres', 'copy')).rejects.toThrow('cut')
      await abandonChange(options('postgres'))
      expect(await openEngines()).toBe('nats')
    })

    test('a replica that was stopped during the change writes nothing, and its error names the present engine', async () => {
      const { place } = await fillLog()
      const late = { format: ENTRY_FORMAT, id: 'late', writer: 'test', basis: place, changes: [aReport('late')] } as const
      const asleep = await openLog('postgres')
      await change('nats')
      await expect(asleep.append(late)).rejects.toThrow(/not in this database but in NATS at nats:.*set GANTT_SYNC to it/)
      await asleep.close()
      const inNats = await openLog('nats')
      await change('postgres')
      await expect(inNats.append(late)).rejects.toThrow()
      await expect(inNats.read(place, 1)).rejects.toThrow(/is not in use any more: .* Set GANTT_SYNC=postgres/)
      await inNats.close()
    })

    onOne('a change is refused if the target is not empty or follows another fleet, or if the source does not exist', async () => {
      await expect(change('postgres')).rejects.toMatchObject({ code: 'engine.not_open' })
      const other = await openLog('nats')
      await other.append({ format: ENTRY_FORMAT, id: 'other', writer: 'test', basis: ORIGIN, changes: [] })
      await other.close()
      await fillLog()
      await expect(change('nats')).rejects.toMatchObject({
        code: 'engine.not_empty',
        message: expect.stringContaining('holds a log in use (1 entries)'),
      })
      await expect(change('postgres')).rejects.toMatchObject({ code: 'engine.not_empty' })
      await sql(`DELETE FROM log; INSERT INTO projection_position (name, revision, id) VALUES ('main', 1, 'not other')`)
      await expect(change('postgres')).rejects.toMatchObject({ code: 'engine.other_fleet' })
      nats = addressOf(`change-${++fleets}`)
      await sql('DELETE FROM checkpoint')
      await fillLog()
      await change('nats')
      nats = addressOf(`change-${++fleets}`)
      await expect(change('nats')).rejects.toMatchObject({ code: 'engine.elsewhere' })
    })

    onOne('a copy that differs from the log is not accepted', async () => {
      await fillLog()
      const spoil = async (step: ChangeStep): Promise<void> => {
        if (step !== 'keys') return
        const connection = await connect({ port: servers.servers[0]?.port ?? 0 })
        const { logSubject } = namesOf(nats.fleet)
        await connection.request(`${logSubject}.incoming`, 'not of the old log')
        await connection.close()
      }
      const spoilt = change('nats', { onStep: spoil })
      await expect(spoilt).rejects.toMatchObject({ code: 'engine.differs' })
      expect(await openEngines()).toBe('')
    })

    const openEngines = async (): Promise<string> => {
      const open = [(await isOpen('postgres')) && 'postgres', (await isOpen('nats')) && 'nats']
      return open.filter((one) => one !== false).join(' and ')
    }
    const expectSameDecision = async (api: TestService, id: string): Promise<void> => {
      const { verifyDecision }: Json = await dataOf(api, 'query ($id: ID!) { verifyDecision(id: $id) { outcome } }', { id })
      expect({ id, ...verifyDecision }).toEqual({ id, outcome: 'SAME' })
    }
  })
})

/** All fields of an answer except the fleet's revision, which changes between calls. */
const answerOf = ({ decision, destinations }: Json) => ({ decision, destinations })

const stateOf = (fleet: Fleet): string => digestAll(Array.from({ length: partsOf(fleet) }, (_, part) => digestPart(fleet, part)))
