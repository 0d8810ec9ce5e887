import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '@gantt/client'
import { type Link, startLink } from '../processes/link.ts'
import { ADMIN_KEY, type Service, startService } from '../processes/service.ts'
import type { Engine, StartEngine } from './engine.ts'
import { createWallClock, type WallClock } from './faults/clock.ts'

/** A replica: its process, which can be killed and restarted, its clock, and the link through which callers reach it. */
export interface ReplicaProcess {
  /** The running service. Undefined while the replica is down. */
  service: Service | undefined
  /** A client that calls the replica through the link. Its calls fail while the replica is down. */
  client: Client
  /** The link between the replica and its callers. */
  readonly link: Link
  readonly clock: WallClock
  /**
   * Starts the replica with the given release or, without one, with the release that it ran last. Retries until the replica runs, because
   * the store can be unavailable.
   */
  start(release?: Release): Promise<void>
  /** Shuts the replica down with SIGTERM, as an operator would, so that it can still answer its callers. */
  stop(): Promise<void>
  /** Sends SIGKILL. */
  kill(): Promise<void>
}

/** The release from which a replica is started. */
export interface Release {
  /** The command of another checkout. If absent, the command of this checkout is used. */
  readonly program?: string
  /** Settings of the replica, in addition to those with which it reaches the store. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts a service with the given deadline of calls in milliseconds. Throws an error if the service does not start. */
export type StartRelease = (release: Release, callMs: number) => Promise<Service>

const startProcess: StartRelease = ({ settings = {}, program }, callMs) => startService(settings, callMs, program)

/** Several replicas on one store. All processes are started by this run. */
export interface Cluster {
  readonly replicas: readonly ReplicaProcess[]
  readonly engine: Engine
  /** The internal errors that the services wrote to their output. */
  defects(): readonly string[]
  /**
   * Tries once to start a further process that uses a replica's link to the store. If the process starts, it is stopped again and the
   * result is undefined. Otherwise returns why it did not start.
   */
  tryToStart(replica: number, release: Release): Promise<string | undefined>
  close(): Promise<void>
}

export interface ClusterOptions {
  readonly folder: string
  readonly replicas: number
  readonly startEngine: StartEngine
  /** The release from which all replicas are started. If absent, it is this release. */
  readonly release?: Release
  /** How replicas are started. If absent, each replica is a process of the command line. */
  readonly startRelease?: StartRelease
  /** Whether each server of the store gets its own small disk in memory, which a fault can fill. */
  readonly smallDisks?: boolean
  /**
   * The deadline of calls in milliseconds. The default is longer than most pauses of a replica, and shorter than the client's time limit
   * for answers.
   */
  readonly callMs?: number
  /** Aborts a start that is in progress. */
  readonly signal: AbortSignal
  say(line: string): void
}

const CALL_MS = 4_000
const START_TRIES = 40
const RETRY_DELAY_MS = 500
/**
 * A port on which connections are refused at once. Therefore a call to this port is certainly not received. Ports that `fetch` itself
 * blocks, such as 9, are unsuitable.
 */
const UNUSED_ADDRESS = { host: '127.0.0.1', port: 2 }
/** Makes the auditor report unlisted instances after a second. With the default, a run would have to wait for an hour. */
const AUDIT = { GANTT_UNLISTED_AFTER: '1' }
const DOWN: Client = createClient({ url: `http://${UNUSED_ADDRESS.host}:${UNUSED_ADDRESS.port}/graphql` })

export async function startCluster({
  folder,
  replicas: count,
  startEngine,
  signal,
  say,
  callMs = CALL_MS,
  release = {},
  startRelease = startProcess,
  ...disks
}: ClusterOptions): Promise<Cluster> {
  const engine = await startEngine({ folder, replicas: count, say, ...disks })
  const replicas: ReplicaProcess[] = []
  const started: Service[] = []
  const close = async (): Promise<void> => {
    for (const { service } of replicas) service?.resume()
    await Promise.all(replicas.map(({ service }) => service?.stop()))
    await Promise.all(replicas.map(({ link }) => link.close()))
    await engine.close()
  }
  try {
    signal.throwIfAborted()
    const starterOf =
      (i: number, clock: WallClock): StartRelease =>
      async ({ settings, ...as }, ms) => {
        const service = await startRelease({ ...as, settings: { ...AUDIT, ...engine.settingsOf(i), ...clock.settings, ...settings } }, ms)
        started.push(service)
        return service
      }
    for (let i = 0; i < count; i++) {
      const clock = createWallClock(path.join(folder, `clock-${i}`))
      replicas.push(await createReplica(i, clock, { signal, say, callMs, release, startRelease: starterOf(i, clock) }))
    }
    await Promise.all(replicas.map((replica) => replica.start()))
    signal.throwIfAborted()
    return {
      replicas,
      engine,
      defects: () => started.flatMap(({ defects }) => defects),
      async tryToStart(i, as) {
        const { clock } = replicas[i] as ReplicaProcess
        return starterOf(i, clock)(as, callMs).then(
          (service) => service.stop().then(() => undefined),
          (error: unknown) => (error instanceof Error ? error.message : String(error)),
        )
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function createReplica(
  i: number,
  clock: WallClock,
  { signal, say, callMs, startRelease, ...first }: Required<Pick<ClusterOptions, 'signal' | 'say' | 'callMs' | 'release' | 'startRelease'>>,
): Promise<ReplicaProcess> {
  let { release } = first
  const link = await startLink({ host: UNUSED_ADDRESS.host, port: 0 }, UNUSED_ADDRESS)
  const throughLink = createClient({ url: `http://${UNUSED_ADDRESS.host}:${link.port}/graphql`, key: ADMIN_KEY, deadlineMs: callMs })
  const replica: ReplicaProcess = {
    service: undefined,
    client: DOWN,
    link,
    clock,
    async start(as = release) {
      release = as
      for (let left = START_TRIES; ; left--) {
        signal.throwIfAborted()
        try {
          replica.service = await startRelease(release, callMs)
          link.lead({ host: UNUSED_ADDRESS.host, port: Number(new URL(replica.service.url).port) })
          replica.client = throughLink
          return
        } catch (error) {
          if (left === 1) throw error
          say(`  replica ${i} did not come up and is started again`)
          await sleep(RETRY_DELAY_MS)
        }
      }
    },
    async stop() {
      await replica.service?.stop()
      replica.client = DOWN
    },
    async kill() {
      replica.client = DOWN
      await replica.service?.kill()
    },
  }
  return replica
}
