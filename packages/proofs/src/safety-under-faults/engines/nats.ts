import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '@gantt/scheduler-core'
import { findNatsServer, INSTALL_NATS_SERVER, openDatabase } from '@gantt/server'
import { type CutRule, type Link, startLink } from '../../processes/link.ts'
import { type Engine, EngineMissingError, type Fault, type Left, type Loss, type StartEngine, type StoreLink } from '../engine.ts'
import { shut, silence, slow } from '../faults/link-harm.ts'
import { createNatsCluster, type NatsCluster, type NatsServer } from './nats-cluster.ts'
import { createPostgresServer, type PostgresServer } from './postgres-server.ts'

/** The links of one replica, one to each server. A connection can be cut at the moment when the replica next publishes an entry. */
interface Links extends StoreLink {
  readonly ports: readonly number[]
  to(server: NatsServer): Link
  cutNextEntry(when: 'before' | 'after'): void
  close(): Promise<void>
}

/** Three nats-servers with the log, and one PostgreSQL with the projections. */
export const startNats: StartEngine = async ({ folder, replicas, smallDisks = true, say }) => {
  const program = findNatsServer()
  if (program === undefined) throw new EngineMissingError(`${INSTALL_NATS_SERVER}, or name its program in NATS_SERVER_PATH`)
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  const cluster = await createNatsCluster(program, folder, { smallDisks })
  const database = createPostgresServer(path.join(folder, 'postgres'))
  const links: Links[] = []
  const close = async (): Promise<void> => {
    await Promise.all(links.map((each) => each.close()))
    await cluster.close()
    await database.close()
  }
  try {
    await Promise.all([cluster.start(), database.start()])
    const { url, close: leave } = await openDatabase({ stateDir: database.stateDir })
    await leave()
    for (let i = 0; i < replicas; i++) links.push(await startLinks(cluster.servers))
    const linkOf = (replica: number): Links => links[replica] as Links
    const left: Left[] = [...(cluster.noDisk === undefined ? [] : [{ fault: DISK_FULL, why: cluster.noDisk }])]
    if (smallDisks) for (const { fault, why } of left) say(`  not injected: ${fault}: ${why}`)
    return {
      parts: 'three nats-servers, and one PostgreSQL',
      settingsOf: (replica) => ({
        DATABASE_URL: url,
        GANTT_SYNC: `nats://${linkOf(replica)
          .ports.map((port) => `127.0.0.1:${port}`)
          .join(',')}`,
      }),
      linkOf,
      faults: [...faultsOn(cluster), ...faultsBetween(cluster, linkOf), awayFor(database)].filter(
        ({ name }) => !left.some(({ fault }) => fault === name),
      ),
      losses: [...lossesOf(cluster), databaseOf(database), allOf(cluster, database)],
      left,
      describe: () => cluster.describe(),
      close,
    } satisfies Engine
  } catch (error) {
    await close()
    throw error
  }
}

const DISK_FULL = "disk full at the stream's leader"
/** The beginning of the protocol line that publishes an entry. */
const PUBLISHES = Buffer.from('HPUB gantt.main.log ')

async function startLinks(servers: readonly NatsServer[]): Promise<Links> {
  let armed: 'before' | 'after' | undefined
  const rule: CutRule = (piece) => {
    if (armed === undefined || !piece.includes(PUBLISHES)) return undefined
    const when = armed
    armed = undefined
    return when
  }
  const links = new Map<NatsServer, Link>()
  for (const server of servers)
    links.set(server, await startLink({ host: '127.0.0.1', port: 0 }, { host: '127.0.0.1', port: server.port }, rule))
  const each = (act: (link: Link) => void): void => [...links.values()].forEach(act)
  return {
    ports: [...links.values()].map(({ port }) => port as number),
    to: (server) => links.get(server) as Link,
    cutNextEntry(when) {
      armed = when
    },
    get received() {
      return [...links.values()].reduce((sum, { received }) => sum + received, 0)
    },
    sever: () => each((link) => link.sever()),
    setOpen: (isOpen) => each((link) => link.setOpen(isOpen)),
    setDelay: (ms) => each((link) => link.setDelay(ms)),
    setSilent: (isSilent) => each((link) => link.setSilent(isSilent)),
    async close() {
      await Promise.all([...links.values()].map((link) => link.close()))
    },
  }
}

type Harm = (ranked: readonly NatsServer[], random: Random) => Promise<void>

/**
 * The faults of the servers. A fault ends only when the copies on all servers are in sync again. So a majority of the servers always has
 * all data, except during a fault that stops the majority.
 */
function faultsOn({ ranked, waitUntilInSync, diskOf }: NatsCluster): Fault[] {
  const onServers = (name: string, harm: Harm): Fault => ({
    name,
    hits: ['servers'],
    async inject(_replica, random) {
      await harm(await ranked(), random)
      await waitUntilInSync()
    },
  })
  const paused =
    (rank: number, most: number): Harm =>
    async (servers, random) => {
      servers[rank]?.pause()
      await sleep(300 + random.below(most))
      servers[rank]?.resume()
    }
  const down = async (servers: readonly NatsServer[], ms: number): Promise<void> => {
    await Promise.all(servers.map((server) => server.kill({ stays: true })))
    await sleep(ms)
    for (const server of servers) server.start()
  }
  return [
    onServers("kill -9 of the stream's leader", (servers) => servers[0]?.kill() ?? Promise.resolve()),
    onServers("kill -9 of a stream's follower", (servers) => servers[1]?.kill() ?? Promise.resolve()),
    onServers("SIGSTOP of the stream's leader", paused(0, 6_000)),
    onServers("SIGSTOP of a stream's follower", paused(1, 4_000)),
    onServers('two of three nats-servers down', (servers, random) =>
      down(servers.slice(random.below(2)).slice(0, 2), 2_000 + random.below(3_000)),
    ),
    onServers('kill -9 of all nats-servers', (servers, random) => down(servers, random.below(1_000))),
    onServers(DISK_FULL, async ([leader], random) => {
      if (leader === undefined) return
      const disk = diskOf(leader)
      disk?.fill()
      await sleep(1_000 + random.below(3_000))
      disk?.free()
      // A server whose disk was full has disabled JetStream until it is restarted.
      await leader.kill()
    }),
  ]
}

/**
 * Faults of the link between one replica and one server, and faults that affect a single entry. Faults of all links of a replica are not
 * listed here, because they are the same for all engines.
 */
function faultsBetween({ ranked }: NatsCluster, linkOf: (replica: number) => Links): Fault[] {
  const toLeader = (name: string, harm: (link: Link, random: Random) => Promise<void>): Fault => ({
    name,
    hits: ['replica'],
    inject: async (replica, random) => harm(linkOf(replica).to((await ranked())[0]), random),
  })
  return [
    toLeader("a replica's way to the leader closed", (link, random) => shut(link, 1_000 + random.below(3_000))),
    toLeader("a replica's way to the leader delayed", (link, random) => slow(link, 50 + random.below(400), 2_000 + random.below(2_000))),
    toLeader("a replica's way to the leader silent", (link, random) => silence(link, 1_000 + random.below(5_000))),
    { name: 'entry whose answer is lost', hits: ['replica'], inject: async (replica) => linkOf(replica).cutNextEntry('after') },
    { name: 'entry that does not arrive', hits: ['replica'], inject: async (replica) => linkOf(replica).cutNextEntry('before') },
  ]
}

/** The ways to lose the leader of the log until it is started or resumed again. */
function lossesOf({ ranked, untilLedBy, waitUntilInSync }: NatsCluster): Loss[] {
  const loss = (name: string, take: (server: NatsServer) => Promise<void> | void, giveBack: (server: NatsServer) => void): Loss => ({
    name,
    of: 'leader',
    async take() {
      const [leader, ...others] = await ranked()
      const taken = take(leader)
      const succeeded = untilLedBy(others)
      succeeded.catch(() => undefined)
      await taken
      return {
        succeeded,
        async giveBack() {
          giveBack(leader)
          await waitUntilInSync()
        },
      }
    },
  })
  return [
    loss(
      "kill -9 of the stream's leader",
      (leader) => leader.kill({ stays: true }),
      (leader) => leader.start(),
    ),
    loss(
      "SIGSTOP of the stream's leader",
      (leader) => leader.pause(),
      (leader) => leader.resume(),
    ),
    loss(
      "orderly stop of the stream's leader",
      (leader) => leader.stop(),
      (leader) => leader.start(),
    ),
  ]
}

const databaseOf = (database: PostgresServer): Loss => ({
  name: 'the database',
  of: 'follower database',
  async take() {
    await database.kill({ stays: true })
    return {
      succeeded: undefined,
      async giveBack() {
        await database.start()
      },
    }
  },
})

const allOf = ({ servers, waitUntilInSync }: NatsCluster, database: PostgresServer): Loss => ({
  name: 'kill -9 of every server',
  of: 'all servers',
  async take() {
    await Promise.all([...servers, database].map((server) => server.kill({ stays: true })))
    return {
      succeeded: undefined,
      async giveBack() {
        for (const server of servers) server.start()
        await database.start()
        await waitUntilInSync()
      },
    }
  },
})

/**
 * Keeps the database down for some seconds. Running replicas continue without the database, and its tables catch up afterwards. A replica
 * that starts meanwhile waits for the database.
 */
const awayFor = (database: PostgresServer): Fault => ({
  name: 'database away',
  hits: ['database'],
  async inject(_replica, random) {
    await database.kill({ stays: true })
    await sleep(2_000 + random.below(6_000))
    await database.start()
  },
})
