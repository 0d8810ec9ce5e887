import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createNatsChild, drawNatsPorts, type NatsChild, prepareNatsServers, type Raft, type View } from '@gantt/server'
import { mountSmallDisk, type SmallDisk } from '../faults/small-disk.ts'

/** A nats-server that is restarted whenever it ends, unless it is kept down. */
export interface NatsServer extends NatsChild {
  readonly name: string
  readonly port: number
  /** Reads the state of the streams from the server. Undefined if the server does not answer. */
  look(): Promise<View | undefined>
}

/** Three servers with three copies of each stream. Each server has its own small disk if one could be mounted. */
export interface NatsCluster {
  readonly servers: readonly NatsServer[]
  /** The small disk of a server. Undefined if none could be mounted. */
  diskOf(server: NatsServer): SmallDisk | undefined
  /** Why no disk could be mounted. Undefined if all disks are mounted. */
  readonly noDisk: string | undefined
  /** Starts all servers, and waits until they have elected a leader. */
  start(): Promise<void>
  /** Returns the servers, beginning with the leader of the log. Waits until there is a leader. */
  ranked(): Promise<readonly [leader: NatsServer, ...followers: NatsServer[]]>
  /** Waits until the leader of the log and the leader of the cluster are both among these servers. */
  untilLedBy(servers: readonly NatsServer[]): Promise<void>
  /** Waits until the copy of every stream on every server is in the same state as the copy on the leader of the stream. */
  waitUntilInSync(): Promise<void>
  /** Each server's report about the streams, and the end of its output. */
  describe(): Promise<string>
  close(): Promise<void>
}

export const LOG_STREAM = 'GANTT_main_LOG'

const SIZE = 3
/** The size of a disk. It is large enough for the logs of a run, and small enough to be filled quickly. */
const DISK_MIB = 256
const POLL_INTERVAL_MS = 50
const CATCH_UP_TIMEOUT_MS = 60_000
const LAST_LINES = 30

export async function createNatsCluster(
  program: string,
  folder: string,
  { smallDisks = true }: { readonly smallDisks?: boolean } = {},
): Promise<NatsCluster> {
  const prepared = prepareNatsServers({
    program,
    folder,
    ports: await drawNatsPorts(SIZE),
    cluster: 'nemesis',
    limits: { memory: '64MB', disk: '4GB' },
  })
  let noDisk: string | undefined
  const disks = new Map<NatsServer, SmallDisk>()
  const servers = prepared.servers.map((each): NatsServer => {
    const disk = smallDisks
      ? mountSmallDisk(each.store, DISK_MIB)
      : { why: 'the servers keep what they store on a disk that is not theirs alone' }
    const server = { ...createNatsChild(each, { comesBack: true }), name: each.name, port: each.ports.client, look: each.look }
    if ('unmount' in disk) disks.set(server, disk)
    else noDisk = disk.why
    return server
  })

  const views = (): Promise<(View | undefined)[]> => Promise.all(servers.map((server) => server.look()))
  /** The status of a Raft group, as its leader reports it. Only the leader knows the state of the other members. */
  const leads = (raftOf: (view: View) => Raft | undefined, all: readonly (View | undefined)[]): Raft | undefined =>
    all.flatMap((view, i) => {
      const raft = view === undefined ? undefined : raftOf(view)
      return raft !== undefined && raft.leader === servers[i]?.name ? [raft] : []
    })[0]
  const isWhole = (raft: Raft | undefined): boolean =>
    raft !== undefined && raft.replicas.length === SIZE - 1 && raft.replicas.every(({ current, offline }) => current && !offline)
  const describe = async (): Promise<string> =>
    (await views()).map((view, i) => `${servers[i]?.name} ${wordsOf(view)}\n${lastLines(prepared.servers[i]?.log ?? '')}`).join('\n')
  const until = async <T>(what: string, find: (all: readonly (View | undefined)[]) => T | undefined): Promise<T> => {
    for (const deadline = performance.now() + CATCH_UP_TIMEOUT_MS; performance.now() < deadline; await sleep(POLL_INTERVAL_MS)) {
      const found = find(await views())
      if (found !== undefined) return found
    }
    throw new Error(`the nats-servers have no ${what} after ${CATCH_UP_TIMEOUT_MS / 1_000} s`)
  }

  return {
    servers,
    diskOf: (server) => disks.get(server),
    noDisk,
    async start() {
      for (const server of servers) server.start()
      await prepared.untilReady()
    },
    async ranked() {
      const name = await until(`leader of ${LOG_STREAM}`, (all) => leads(({ streams }) => streams.get(LOG_STREAM), all)?.leader)
      const leader = servers.find((server) => server.name === name) as NatsServer
      return [leader, ...servers.filter((server) => server !== leader)]
    },
    async untilLedBy(some) {
      const isOneOf = (name: string | undefined): boolean => some.some((server) => server.name === name)
      for (const deadline = performance.now() + CATCH_UP_TIMEOUT_MS; performance.now() < deadline; await sleep(POLL_INTERVAL_MS)) {
        const seen = await Promise.all(some.map((server) => server.look()))
        if (seen.some((view) => isOneOf(view?.meta.leader) && isOneOf(view?.streams.get(LOG_STREAM)?.leader))) return
      }
      throw new Error(`none of the other nats-servers leads ${LOG_STREAM} after ${CATCH_UP_TIMEOUT_MS / 1_000} s`)
    },
    async waitUntilInSync() {
      await until('copies that are in sync', (all) => {
        const names = new Set(all.flatMap((view) => [...(view?.streams.keys() ?? [])]))
        const rafts = [leads(({ meta }) => meta, all), ...[...names].map((name) => leads(({ streams }) => streams.get(name), all))]
        return (names.has(LOG_STREAM) && all.every((view) => view !== undefined) && rafts.every(isWhole)) || undefined
      })
    },
    describe,
    async close() {
      await Promise.all(servers.map((server) => server.close()))
      for (const disk of disks.values()) disk.unmount()
    },
  }
}

/** Describes what one server reports: the leaders, and the copies that are behind. */
function wordsOf(view: View | undefined): string {
  if (view === undefined) return 'does not answer'
  const raftOf = (name: string, { leader, replicas }: Raft): string => {
    const late = replicas.filter(({ current, offline }) => !current || offline)
    const words = late.map((copy) => `, ${copy.name} ${copy.offline ? 'offline' : 'behind'}`)
    return `${name}: ${leader === '' ? 'no leader' : `led by ${leader}`}${words.join('')}`
  }
  return `sees ${[raftOf('the cluster', view.meta), ...[...view.streams].map(([name, raft]) => raftOf(name, raft))].join('; ')}`
}

/** The last lines of a file; an empty text if the file does not exist. */
function lastLines(file: string): string {
  if (!existsSync(file)) return ''
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n')
}
