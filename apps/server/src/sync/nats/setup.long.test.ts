import { randomBytes } from 'node:crypto'
import { checkpointOf, ENTRY_FORMAT, type Entry, Fleet, ORIGIN } from '@gantt/scheduler-core'
import { aReport } from '@gantt/scheduler-core/testing'
import { jetstreamManager, StorageType } from '@nats-io/jetstream'
import { connect, headers } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type NatsServers, noNatsServer, startNatsServers } from '../../testing/nats-servers.ts'
import { EntryTooLargeError, StoreSetupError, StoreUnavailableError } from '../synchronizer.ts'
import { parseNatsAddress } from './address.ts'
import { openNatsSynchronizer } from './nats.ts'
import { checkpointSettings, coordinationSettings, logSettings, namesOf } from './stream-settings.ts'

const open = (url: string, warn: (message: string) => void = () => undefined) => {
  const address = parseNatsAddress(url)
  if (address === undefined) throw new Error(`${url} is not an address`)
  return openNatsSynchronizer(address, { reached: async () => 0, warn })
}

const entry = (hosts: readonly string[], id = 'entry'): Entry => ({
  format: ENTRY_FORMAT,
  id,
  writer: 'test',
  basis: ORIGIN,
  changes: hosts.map((host) => aReport(host)),
})

describe.skipIf(noNatsServer !== undefined)(`settings of NATS${noNatsServer === undefined ? '' : ` [skipped: ${noNatsServer}]`}`, () => {
  const started: NatsServers[] = []
  let server: NatsServers

  const start = async (...options: Parameters<typeof startNatsServers>): Promise<NatsServers> => {
    const servers = await startNatsServers(...options)
    started.push(servers)
    return servers
  }

  beforeAll(async () => {
    server = await start()
  })

  afterAll(() => Promise.all(started.map((servers) => servers.stop())))

  test('a stream with wrong settings is refused, and the error names each wrong setting with its found and its required value', async () => {
    const { log, ...names } = namesOf('others')
    const nats = await connect({ port: server.servers[0]?.port ?? 0 })
    const { streams } = await jetstreamManager(nats, { checkAPI: false })
    await streams.add({ ...logSettings({ log, ...names }), deny_delete: false, max_age: 3_600_000_000_000, max_msgs: 100 })
    await nats.close()
    const refused = await open(`${server.url}/others`).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(StoreSetupError)
    expect(String(refused)).toContain('The stream GANTT_others_LOG has max_age 3600000000000; it must be 0.')
    expect(String(refused)).toContain('The stream GANTT_others_LOG has max_msgs 100; it must be -1.')
    expect(String(refused)).toContain('The stream GANTT_others_LOG has deny_delete false; it must be true.')
  })

  test('existing streams are reused, including a stream for coordination with other settings', async () => {
    const names = namesOf('again')
    await (await open(`${server.url}/again`)).close()
    const nats = await connect({ port: server.servers[0]?.port ?? 0 })
    const { streams } = await jetstreamManager(nats, { checkAPI: false })
    await streams.update(names.coordination, { max_age: 300_000_000_000 })
    const store = await open(`${server.url}/again`)
    expect(await store.time()).toBeGreaterThan(1_700_000_000_000)
    const configs = await Promise.all(
      [names.log, names.checkpoints, names.coordination].map(async (name) => (await streams.info(name)).config),
    )
    // the server omits settings that are false
    const wanted = [logSettings(names), checkpointSettings(names), coordinationSettings(names)].map(({ no_ack, ...settings }) => settings)
    expect(configs).toMatchObject(wanted)
    await store.close()
    await nats.close()
  })

  test('a former release uses its own stream for coordination, in memory, and both releases start in either order', async () => {
    const nats = await connect({ port: server.servers[0]?.port ?? 0 })
    const { streams } = await jetstreamManager(nats, { checkAPI: false })
    const former = {
      name: 'GANTT_former_BESIDE',
      subjects: ['gantt.former.beside.>'],
      storage: StorageType.Memory,
      max_msgs_per_subject: 1,
    }
    await streams.add(former)
    const store = await open(`${server.url}/former`)
    expect(await store.time()).toBeGreaterThan(1_700_000_000_000)
    await (await store.takeTurn())()
    // like a former release, which creates the stream or updates the settings of an existing one
    await expect(streams.update(former.name, { ...former, max_age: 0 } as Parameters<typeof streams.update>[1])).resolves.toBeDefined()
    expect((await streams.info(namesOf('former').coordination)).config.storage).toBe(StorageType.File)
    await store.close()
    await nats.close()
  })

  test('a single server causes a warning', async () => {
    const warnings: string[] = []
    await (await open(`${server.url}/alone`, (message) => warnings.push(message))).close()
    expect(warnings).toEqual(['A single nats-server runs: its data is lost with its machine. A cluster of three keeps three copies.'])
  })

  test('a server that requires credentials refuses a client without them, and no message shows them', async () => {
    const settings = 'authorization { user: gantt, password: "right-one" }'
    const { servers } = await start({ settings, credentials: 'gantt:right-one' })
    const at = `127.0.0.1:${servers[0]?.port}`
    await (await open(`nats://gantt:right-one@${at}`)).close()
    const refused = await open(`nats://gantt:wrong-one@${at}`).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(StoreSetupError)
    expect(String(refused)).toContain(`NATS at ${at} refuses the credentials of GANTT_SYNC`)
    expect(String(refused)).not.toMatch(/wrong-one|right-one/)
  })

  test('a token is accepted, and the maximum size of a message is checked', async () => {
    const { servers } = await start({ settings: 'authorization { token: "s3cr3t" }\nmax_payload: 65536', credentials: 's3cr3t' })
    const refused = open(`nats://s3cr3t@127.0.0.1:${servers[0]?.port}`)
    await expect(refused).rejects.toThrow('has max_payload 65536; it must be 1048576 or more')
  })

  test('if no server answers, the error lists all addresses', async () => {
    const { servers } = await start()
    await servers[0]?.kill()
    const where = `127.0.0.1:${servers[0]?.port}`
    const refused = await open(`nats://me:secret@${where}`).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(StoreUnavailableError)
    expect(String(refused)).toContain(`NATS at ${where} does not answer`)
    expect(String(refused)).not.toContain('secret')
  })

  test('an entry larger than a message is compressed; if it still does not fit, it is refused and nothing is sent', async () => {
    const store = await open(`${server.url}/large`)
    const hosts = Array.from({ length: 5_000 }, (_, i) => `host-${i}`)
    const large = entry(hosts)
    expect(JSON.stringify(large).length).toBeGreaterThan(1_048_576)
    await store.append(large)
    expect((await store.read(ORIGIN, 10)).map(({ changes }) => changes)).toEqual([large.changes])
    const noise = Array.from({ length: 3_000 }, () => randomBytes(400).toString('base64url'))
    await expect(
      store.append({
        ...entry([], 'noise'),
        changes: noise.map((reason) => ({ type: 'status', host: 'h', node: 'h', status: 'DISABLED', reason })),
      }),
    ).rejects.toBeInstanceOf(EntryTooLargeError)
    expect(await store.read(ORIGIN, 10)).toHaveLength(1)
    await store.close()
  })

  test('without a connection an entry is not refused as too large: its outcome is unknown, and it is sent again', async () => {
    const { servers, url } = await start()
    const store = await open(url)
    await servers[0]?.kill()
    const failures: unknown[] = []
    // until the client notices the lost connection, calls wait for an answer that never comes
    for (let i = 0; i < 3; i++) failures.push(await store.append(entry(['h1'], `entry-${i}`)).catch((error: unknown) => error))
    for (const failure of failures) expect(failure).toBeInstanceOf(StoreUnavailableError)
    await store.close()
  })

  test('a damaged checkpoint causes a warning, a message that is not a checkpoint is ignored, and an older checkpoint is loaded', async () => {
    const warnings: string[] = []
    const store = await open(`${server.url}/damaged`, (message) => warnings.push(message))
    const fleet = new Fleet()
    for (const id of ['older', 'newer']) {
      await store.append({ ...entry([id], id), basis: fleet.place })
      for (const one of await store.read(fleet.place, 10)) fleet.apply(one)
      expect(await store.saveCheckpoint(checkpointOf(fleet))).toBe(true)
    }
    const { checkpoints, checkpointSubject } = namesOf('damaged')
    const nats = await connect({ port: server.servers[0]?.port ?? 0 })
    const { streams } = await jetstreamManager(nats, { checkAPI: false })
    const head = await streams.getMessage(checkpoints, { last_by_subj: `${checkpointSubject}.heads.2` })
    const parts = `${checkpointSubject}.parts.${head?.json<{ save: string }>().save}`
    await streams.purge(checkpoints, { filter: parts })
    await nats.request(parts, 'no packed text', { timeout: 120_000 })
    for (const [revision, text] of ['hello', 'null', '{}', '{"revision":3}'].entries())
      await nats.request(`${checkpointSubject}.heads.${revision + 3}`, text, { timeout: 120_000 })
    expect((await store.loadCheckpoint(10))?.place.revision).toBe(1)
    expect(warnings).toContainEqual(expect.stringContaining('the checkpoint at revision 2 is damaged'))
    await store.trim({ days: 30, bytes: 1_000_000 })
    await Promise.all([store.close(), nats.close()])
  })

  test('messages of other clients on the subject of the log are entries without changes on every replica', async () => {
    const [store, other] = [await open(`${server.url}/stray`), await open(`${server.url}/stray`)]
    const nats = await connect({ port: server.servers[0]?.port ?? 0 })
    await store.append(entry(['h1']))
    await nats.request(namesOf('stray').logSubject, 'hello')
    await nats.request(namesOf('stray').logSubject, '{"changes":[{"type":"none"}]}')
    const withHeaders = async (id: string, body: string, encoding = ''): Promise<void> => {
      const head = headers()
      head.set('Gantt-Entry', id)
      if (encoding !== '') head.set('Gantt-Encoding', encoding)
      await nats.request(namesOf('stray').logSubject, body, { headers: head, timeout: 120_000 })
    }
    await withHeaders('damaged', 'no deflated text', 'deflate')
    const strange: Record<string, unknown>[] = [{}, { basis: ORIGIN }, { basis: ORIGIN, changes: [null] }, { basis: 1, changes: [] }]
    for (const [i, other] of strange.entries())
      await withHeaders(`strange-${i}`, JSON.stringify({ format: ENTRY_FORMAT, id: `strange-${i}`, writer: 'w', ...other }))
    await store.append({
      ...entry(['h2'], 'next'),
      basis: (await store.read(ORIGIN, 1)).map(({ revision, id, at }) => ({ revision, id, at }))[0] ?? ORIGIN,
    })
    const states = await Promise.all(
      [store, other].map(async (sync) => {
        const fleet = new Fleet()
        for (const one of await sync.read(ORIGIN, 20)) fleet.apply(one)
        return { place: fleet.place, hosts: fleet.hosts.count }
      }),
    )
    expect(states[0]).toMatchObject({ place: { revision: 9 }, hosts: 2 })
    expect(states[1]).toEqual(states[0])
    await Promise.all([store.close(), other.close(), nats.close()])
  })
})
