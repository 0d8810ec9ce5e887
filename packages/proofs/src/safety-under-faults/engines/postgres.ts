import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { countSynchronous, type EmbeddedPostgres, makeStandby, openDatabase, promote, waitForStandbys } from '@gantt/server'
import { type CuttingProxy, startCuttingProxy } from '../../processes/cutting-proxy.ts'
import type { Engine, Fault, Left, Loss, StartEngine } from '../engine.ts'
import { mountSmallDisk, type SmallDisk } from '../faults/small-disk.ts'
import { createPostgresServer, type PostgresServer } from './postgres-server.ts'

/** The size of a disk. It is large enough for the programs, the database and the log of a run, and small enough to be filled quickly. */
const DISK_MIB = 512
const POLL_INTERVAL_MS = 20
/** After the end of all faults, the standby must have all data within this many milliseconds. */
const CATCH_UP_TIMEOUT_MS = 60_000

/** A server, with its small disk if one could be mounted. */
interface Node {
  readonly server: PostgresServer
  readonly disk: SmallDisk | undefined
}

/** A primary and a synchronous standby that can switch roles. A commit is answered only once both have it on disk. */
export const startPostgres: StartEngine = async ({ folder, replicas, smallDisks = true, say }) => {
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  const left: Left[] = []
  const nodeIn = (name: string): Node => {
    const stateDir = path.join(folder, name)
    if (!smallDisks) return { server: createPostgresServer(stateDir), disk: undefined }
    const disk = mountSmallDisk(stateDir, DISK_MIB)
    if ('unmount' in disk) return { server: createPostgresServer(stateDir), disk }
    if (left.length === 0) left.push({ fault: DISK_FULL, why: disk.why })
    return { server: createPostgresServer(stateDir), disk: undefined }
  }
  let primary = nodeIn('a')
  let standby = nodeIn('b')
  const links: CuttingProxy[] = []

  const close = async (): Promise<void> => {
    await Promise.all(links.map((link) => link.close()))
    // A primary that shuts down waits until its standby has all data, so the primary is stopped first.
    for (const { server, disk } of [primary, standby]) {
      disk?.free()
      await server.close()
    }
    for (const { disk } of [primary, standby]) disk?.unmount()
  }

  /** Creates the standby anew from the primary, and waits until it is in sync. */
  const rebuild = async (): Promise<void> => {
    const from = await primary.server.start()
    await makeStandby(from.connection(), primary.server.stateDir, standby.server.stateDir)
    await standby.server.start()
    await waitUntilInSync()
  }
  const waitUntilInSync = async (): Promise<void> => {
    for (const deadline = performance.now() + CATCH_UP_TIMEOUT_MS; performance.now() < deadline; await sleep(POLL_INTERVAL_MS)) {
      const { running } = primary.server
      // While the server shuts down or starts, this query fails and no standby counts as in sync.
      if (running !== undefined && (await countSynchronous(running).catch(() => 0)) > 0) return
    }
    throw new Error('the standby did not get in sync with the primary')
  }
  /**
   * Kills the primary and replaces it. The standby is promoted, the replicas are connected to it, and the old primary becomes the new
   * standby.
   */
  const failOver = async (): Promise<void> => {
    await primary.server.kill({ stays: true })
    const next = await standby.server.start()
    await promote(next)
    ;[primary, standby] = [standby, primary]
    for (const link of links) {
      link.lead(socketFolderOf(next))
      link.sever()
    }
    await rebuild()
  }

  try {
    const first = await primary.server.start()
    const { url, close: leave } = await openDatabase({ stateDir: primary.server.stateDir })
    await leave()
    await waitForStandbys(first)
    await rebuild()
    for (let i = 0; i < replicas; i++) links.push(await startCuttingProxy(socketFolderOf(first), path.join(folder, `link-${i}`)))
    const { username, password } = new URL(url)
    const linkOf = (replica: number): CuttingProxy => links[replica] as CuttingProxy
    const faults = faultsOn({ primary: () => primary, standby: () => standby, linkOf, failOver, waitUntilInSync })
    for (const { fault, why } of left) say(`  not injected: ${fault}: ${why}`)
    return {
      parts: 'PostgreSQL, a primary and a synchronous standby',
      settingsOf: (replica) => ({
        // Different replicas use different values of GANTT_SHARED_FLUSH, unless the environment sets one value for all.
        GANTT_SHARED_FLUSH: process.env.GANTT_SHARED_FLUSH ?? (FLUSHES[replica % FLUSHES.length] as string),
        DATABASE_URL: `postgresql://${username}:${password}@localhost:5432/gantt?host=${encodeURIComponent(linkOf(replica).host)}`,
      }),
      linkOf,
      faults: faults.filter(({ name }) => !left.some(({ fault }) => fault === name)),
      losses: lossesOf({ primary: () => primary, standby: () => standby, failOver, waitUntilInSync }),
      left,
      describe: async () => `primary ${wordsOf(primary)}; standby ${wordsOf(standby)}`,
      close,
    } satisfies Engine
  } catch (error) {
    await close()
    throw error
  }
}

const wordsOf = ({ server }: Node): string => (server.running === undefined ? 'down' : 'running')

const FLUSHES = ['off', 'on', 'auto'] as const

const DISK_FULL = 'disk full at the primary'

const socketFolderOf = (server: EmbeddedPostgres): string => server.connection().host

interface Pair {
  primary(): Node
  standby(): Node
  linkOf(replica: number): CuttingProxy
  failOver(): Promise<void>
  waitUntilInSync(): Promise<void>
}

/** The ways to lose the primary, or both servers. If the standby is promoted, it is the run that promotes it, and not the service. */
const lossesOf = ({ primary, standby, failOver, waitUntilInSync }: Omit<Pair, 'linkOf'>): Loss[] => [
  {
    name: 'kill -9 of the primary, which starts again by itself',
    of: 'leader',
    async take() {
      const back = primary().server.kill()
      back.catch(() => undefined)
      return {
        succeeded: back,
        async giveBack() {
          await back
          await waitUntilInSync()
        },
      }
    },
  },
  {
    name: 'kill -9 of the primary, and its standby promoted at once',
    of: 'leader',
    async take() {
      const promoted = failOver()
      promoted.catch(() => undefined)
      return { succeeded: undefined, giveBack: () => promoted }
    },
  },
  {
    name: 'kill -9 of every server',
    of: 'all servers',
    async take() {
      const both = [primary().server, standby().server]
      await Promise.all(both.map((server) => server.kill({ stays: true })))
      return {
        succeeded: undefined,
        async giveBack() {
          await Promise.all(both.map((server) => server.start()))
          await waitUntilInSync()
        },
      }
    },
  },
]

function faultsOn({ primary, standby, linkOf, failOver, waitUntilInSync }: Pair): Fault[] {
  const paused = async (server: PostgresServer, ms: number): Promise<void> => {
    server.pause()
    await sleep(ms)
    server.resume()
  }
  return [
    { name: 'kill -9 of the primary', hits: ['primary'], inject: () => primary().server.kill() },
    { name: 'fail-over to the standby', hits: ['primary', 'standby'], inject: failOver },
    {
      name: 'SIGSTOP of the primary',
      hits: ['primary'],
      inject: (_replica, random) => paused(primary().server, 300 + random.below(1_500)),
    },
    {
      name: 'kill -9 of the standby',
      hits: ['standby'],
      async inject() {
        await standby().server.kill()
        await waitUntilInSync()
      },
    },
    {
      name: 'SIGSTOP of the standby',
      hits: ['standby'],
      async inject(_replica, random) {
        await paused(standby().server, 300 + random.below(2_500))
        await waitUntilInSync()
      },
    },
    {
      name: 'fail-over after a restart that the standby did not see',
      hits: ['primary', 'standby'],
      async inject(_replica, random) {
        // The standby is killed and not paused, because a paused standby would later read the data that was sent to it.
        await standby().server.kill({ stays: true })
        await sleep(200 + random.below(500))
        await primary().server.kill()
        await sleep(500 + random.below(1_000))
        await failOver()
      },
    },
    {
      name: DISK_FULL,
      hits: ['primary', 'standby'],
      async inject(_replica, random) {
        const { disk, server } = primary()
        disk?.fill()
        await sleep(500 + random.below(1_500))
        disk?.free()
        await server.start()
        await waitUntilInSync()
      },
    },
    { name: 'commit whose answer is lost', hits: ['replica'], inject: async (replica) => linkOf(replica).cutNextAppend('after') },
    { name: 'append that does not arrive', hits: ['replica'], inject: async (replica) => linkOf(replica).cutNextAppend('before') },
  ]
}
