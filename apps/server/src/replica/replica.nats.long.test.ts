import { canonicalJson, checkpointOf } from '@gantt/scheduler-core'
import { aReport, aRequest } from '@gantt/scheduler-core/testing'
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseNatsAddress } from '../sync/nats/address.ts'
import { openNatsSynchronizer } from '../sync/nats/nats.ts'
import { namesOf } from '../sync/nats/stream-settings.ts'
import { StoreUnavailableError, StoreWentBackError, type Synchronizer } from '../sync/synchronizer.ts'
import { type NatsServer, type NatsServers, noNatsServer, startNatsServers, whenThere } from '../testing/nats-servers.ts'
import type { PlacementCall, PlacementOutcome } from './propose/placement.ts'
import { Replica } from './replica.ts'

const skipped = noNatsServer === undefined ? '' : ` [skipped: ${noNatsServer}]`
let fleets = 0

const call = (key: string): PlacementCall => ({
  account: 'nova',
  key,
  digest: key,
  request: aRequest({ vcpus: 1, memoryMb: 1 }),
  profile: 'first-fit',
  mode: 'CONFIRM',
  ttlMs: 120_000,
  deadlineMs: 30_000,
  alternatesPerInstance: 0,
  intent: 'CREATE',
  source: null,
  allOrNothing: true,
})

/** Runs a test on replicas of a new fleet with hosts of 8 CPUs, and closes the replicas. `through` wraps the store of each replica. */
async function withReplicas(
  { url }: NatsServers,
  { replicas: count, hosts }: { readonly replicas: number; readonly hosts: number },
  use: (replicas: readonly Replica[], fleet: string) => Promise<void>,
  through: (store: Synchronizer, other: Synchronizer) => Synchronizer = (store) => store,
): Promise<void> {
  const fleet = `replicas-${++fleets}`
  const address = parseNatsAddress(`${url}/${fleet}`)
  if (address === undefined) throw new Error(`${url} is not an address`)
  const open = () => whenThere(() => openNatsSynchronizer(address, { reached: async () => 0, warn: () => undefined }))
  const other = await open()
  const replicas: Replica[] = []
  try {
    for (let i = 0; i < count; i++) {
      const store = through(await open(), other)
      replicas.push(await Replica.start({ store, name: `r${i}`, warn: () => undefined, recordUnlogged: async () => undefined }))
    }
    await replicas[0]?.propose(Array.from({ length: hosts }, (_, i) => aReport(`h${i}`, { vcpus: 8, memoryMb: 65_536 })))
    await use(replicas, fleet)
  } finally {
    await Promise.all([...replicas.map((replica) => replica.close()), other.close()])
  }
}

/**
 * Each caller places `each` instances one after the other, on the replicas in turn. A call without an answer is repeated with the same key.
 */
const placeMany = (replicas: readonly Replica[], callers: number, each: number, round = ''): Promise<PlacementOutcome[][]> =>
  Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      const outcomes: PlacementOutcome[] = []
      for (let i = 0; i < each; i++) {
        const replica = replicas[(caller + i) % replicas.length] as Replica
        const key = `${round}${caller}-${i}`
        outcomes.push(await replica.place(call(key)).catch(() => placeAgain(replica, key)))
      }
      return outcomes
    }),
  )

async function placeAgain(replica: Replica, key: string): Promise<PlacementOutcome> {
  for (;;) {
    const outcome = await replica.place(call(key)).catch(() => undefined)
    if (outcome !== undefined) return outcome
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Checks that every placed call has its claim, nothing is allocated twice, and all replicas have the same state. */
async function expectSound(replicas: readonly Replica[], outcomes: readonly PlacementOutcome[]): Promise<void> {
  await Promise.all(replicas.map((replica) => replica.fresh(20_000)))
  const [first, ...others] = replicas.map(({ fleet }) => canonicalJson(checkpointOf(fleet)))
  for (const other of others) expect(other).toBe(first)
  const { ledger, hosts } = (replicas[0] as Replica).fleet
  const placed = outcomes.flatMap((outcome) => (outcome.type === 'placed' ? outcome.claims : []))
  for (const claim of placed) expect(ledger.claims.has(claim?.id ?? '')).toBe(true)
  expect(ledger.claims.size).toBe(placed.length)
  const { free } = hosts.classColumns('VCPU')
  for (const { index } of hosts.records) expect(free[index]).toBeGreaterThanOrEqual(0)
}

describe.skipIf(noNatsServer !== undefined)(`replicas on one nats-server${skipped}`, () => {
  let server: NatsServers

  beforeAll(async () => {
    server = await startNatsServers()
  })

  afterAll(() => server.stop())

  test('four replicas with more requests than capacity allocate nothing twice and have equal states', () =>
    withReplicas(server, { replicas: 4, hosts: 25 }, async (replicas) => {
      const outcomes = (await placeMany(replicas, 32, 8)).flat()
      expect(outcomes.filter(({ type }) => type === 'placed')).toHaveLength(200)
      expect(outcomes.filter(({ type }) => type === 'refused')).toHaveLength(56)
      await expectSound(replicas, outcomes)
    }))

  test('an entry that was appended twice, the first time without an answer, takes effect once', () => {
    let sent = 0
    const twice = (store: Synchronizer, other: Synchronizer): Synchronizer => ({
      ...store,
      async append(entry) {
        // every third entry is first appended on another connection; after that, alternately, the answer is lost or the entry is appended
        // again
        if (++sent % 3 !== 0) return store.append(entry)
        await other.append(entry)
        if (sent % 2 === 0) throw new StoreUnavailableError('the answer was lost')
        return store.append(entry)
      },
    })
    return withReplicas(
      server,
      { replicas: 2, hosts: 8 },
      async (replicas) => {
        const outcomes = (await placeMany(replicas, 8, 8)).flat()
        expect(outcomes.every(({ type }) => type === 'placed')).toBe(true)
        expect(sent).toBeGreaterThan(10)
        await expectSound(replicas, outcomes)
      },
      twice,
    )
  })

  test('a server that is killed and restarted under load loses no answered call', () =>
    withReplicas(server, { replicas: 2, hosts: 32 }, async (replicas) => {
      const [one] = server.servers
      const placing = placeMany(replicas, 8, 32)
      await expect.poll(() => replicas[0]?.fleet.ledger.claims.size, { interval: 5 }).toBeGreaterThan(20)
      await one?.kill()
      expect(replicas[0]?.fleet.ledger.claims.size).toBeLessThan(256)
      await one?.restart()
      const outcomes = (await placing).flat()
      expect(outcomes.every(({ type }) => type === 'placed')).toBe(true)
      await expectSound(replicas, outcomes)
    }))

  test('while the server is paused the store is unavailable, and afterwards calls continue', () =>
    withReplicas(server, { replicas: 1, hosts: 1 }, async ([replica]) => {
      const [one] = server.servers
      one?.stall(true)
      try {
        await expect.poll(() => replica?.isStoreAway).toBe(true)
        await expect(replica?.place(call('away'))).rejects.toThrow('the store has not answered for')
      } finally {
        one?.stall(false)
      }
      expect(await placeAgain(replica as Replica, 'back')).toMatchObject({ type: 'placed' })
    }))

  test('a replica does not write to a recreated stream, because that stream is another log', () =>
    withReplicas(server, { replicas: 1, hosts: 1 }, async ([replica], fleet) => {
      const { log } = namesOf(fleet)
      await withStreams(server, async (streams) => {
        const { config } = await streams.info(log)
        await streams.delete(log)
        await streams.add(config)
      })
      await expect.poll(() => replica?.halted).toBeInstanceOf(StoreWentBackError)
      expect((await withStreams(server, (streams) => streams.info(log))).state.messages).toBe(0)
    }))
})

describe.skipIf(noNatsServer !== undefined)(`replicas on a cluster of three nats-servers${skipped}`, () => {
  let cluster: NatsServers

  beforeAll(async () => {
    cluster = await startNatsServers({ count: 3 })
  })

  afterAll(() => cluster.stop())

  test(
    'no answered call is lost if the leader of the log is killed twice under load',
    () =>
      withReplicas(cluster, { replicas: 3, hosts: 64 }, async (replicas, fleet) => {
        const outcomes: PlacementOutcome[] = []
        for (const round of ['a', 'b']) {
          const before = replicas[0]?.fleet.ledger.claims.size ?? 0
          const placing = placeMany(replicas, 6, 40, round)
          await expect.poll(() => replicas[0]?.fleet.ledger.claims.size, { interval: 5 }).toBeGreaterThan(before + 10)
          const leader = await leaderOf(cluster, namesOf(fleet).log)
          const done = replicas[0]?.fleet.ledger.claims.size ?? 0
          await leader.kill()
          expect(done).toBeLessThan(before + 240)
          outcomes.push(...(await placing).flat())
          await leader.restart()
          // all three copies must exist again before the next server is stopped
          await expect.poll(() => isWhole(cluster, namesOf(fleet).log), { interval: 200 }).toBe(true)
        }
        expect(outcomes.filter(({ type }) => type === 'placed')).toHaveLength(480)
        await expectSound(replicas, outcomes)
      }),
    120_000,
  )
})

async function withStreams<T>({ servers }: NatsServers, use: (streams: JetStreamManager['streams']) => Promise<T>): Promise<T> {
  const nats = await connect({ servers: servers.map(({ port }) => `127.0.0.1:${port}`) })
  try {
    return await use((await jetstreamManager(nats, { timeout: 60_000, checkAPI: false })).streams)
  } finally {
    await nats.close()
  }
}

async function leaderOf(cluster: NatsServers, stream: string): Promise<NatsServer> {
  const { cluster: raft } = await withStreams(cluster, (streams) => streams.info(stream))
  const leader = cluster.servers.find(({ name }) => name === raft?.leader)
  if (leader === undefined) throw new Error(`the stream ${stream} has no leader`)
  return leader
}

/** Resolves with true if all copies of a stream exist and are up to date. */
const isWhole = (cluster: NatsServers, stream: string): Promise<boolean> =>
  withStreams(cluster, (streams) =>
    streams.info(stream).then(
      ({ cluster: raft }) => raft?.leader !== undefined && (raft.replicas ?? []).every(({ current }) => current),
      () => false,
    ),
  )
