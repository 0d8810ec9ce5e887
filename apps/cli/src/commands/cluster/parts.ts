import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, graphql, textOf } from '@gantt/client'
import { findNatsServer, lookAt, type NatsServers, prepareNatsServers, type View } from '@gantt/server'
import { NODE_ARGUMENTS, PROGRAM } from '../../program.ts'
import { createDetached, type DetachedOptions, tailOf } from './detached.ts'
import type { ClusterFolder } from './folder.ts'
import type { Part } from './part.ts'
import type { EngineName, Plan } from './plan.ts'
import { createPostgresPart, type PostgresPart } from './postgres-part.ts'

export interface NatsPart extends Part {
  /** The server's report about its streams; undefined if the server does not answer. */
  look(): Promise<View | undefined>
}

/** All processes of a cluster. The database and the nats-servers start before the replicas. */
export interface Parts {
  readonly engine: EngineName
  readonly nats: readonly NatsPart[]
  readonly postgres: PostgresPart
  readonly replicas: readonly Part[]
  readonly all: readonly Part[]
  /** Waits until the nats-servers have started. */
  natsReady(signal: AbortSignal): Promise<void>
  /** Waits until each replica answers. If a process ends before, throws an error with the last lines of its log. */
  replicasReady(signal: AbortSignal): Promise<void>
}

const HOST = '127.0.0.1'
const READY_MS = 120_000
const POLL_INTERVAL_MS = 100
const ANSWER_MS = 5_000
const START_TRIES = 5
const RETRY_DELAY_MS = 500

export function partsOf(folder: ClusterFolder, plan: Plan): Parts {
  const postgres = createPostgresPart(folder.path)
  let prepared: NatsServers | undefined
  // `prepareNatsServers` writes configuration files, so it is called only when the servers are started.
  const natsServers = (): NatsServers => {
    prepared ??= prepareNatsServers({
      program: findNatsServer() ?? 'nats-server',
      folder: folder.path,
      ports: plan.nats,
      cluster: `gantt-${plan.token.slice(0, 8)}`,
      limits: { memory: '64MB', disk: '16GB' },
      token: plan.token,
    })
    return prepared
  }
  const detached = (name: string, command: DetachedOptions['command']) => {
    const [log, pidFile] = [path.join(folder.path, `${name}.log`), path.join(folder.path, `${name}.pid`)]
    return { name, log, ...createDetached({ pidFile, log, folder: folder.path, command }) }
  }
  const nats = plan.nats.map((ports, i): NatsPart => {
    const server = detached(`nats-${i + 1}`, () => natsServers().servers[i]?.command ?? ['nats-server'])
    return {
      ...server,
      where: `${HOST}:${ports.client}`,
      ports: Object.values(ports),
      start: () => server.start({ PATH: process.env.PATH }),
      look: () => lookAt(ports.monitor),
    }
  })
  const replicas = plan.replicas.map((port, i): Part => {
    const replica = detached(`replica-${i + 1}`, () => [process.execPath, ...NODE_ARGUMENTS, PROGRAM, 'serve'])
    return {
      ...replica,
      where: `http://${HOST}:${port}`,
      ports: [port],
      start: () =>
        replica.start({
          // Settings of the service in this process's environment apply to all replicas.
          ...process.env,
          HOST,
          PORT: String(port),
          DATABASE_URL: postgres.url(),
          GANTT_SYNC: nats.length === 0 ? 'postgres' : natsServers().url,
          GANTT_ADMIN_KEY: folder.key,
        }),
    }
  })
  return {
    engine: plan.engine,
    ...{ nats, postgres, replicas, all: [...nats, postgres, ...replicas] },
    natsReady: (signal) => whileAllRun(nats, signal, (running) => natsServers().untilReady(running)),
    async replicasReady(signal) {
      await Promise.all(replicas.map((replica) => comeUp(replica, folder.key, signal)))
    },
  }
}

/** Runs the work. If a process ends before the work is done, throws an error with the last lines of its log. */
async function whileAllRun(parts: readonly Part[], signal: AbortSignal, work: (running: AbortSignal) => Promise<void>): Promise<void> {
  const gone = new AbortController()
  const look = setInterval(() => {
    const ended = parts.find((part) => part.pid() === undefined)
    if (ended !== undefined) gone.abort(new PartEndedError(`${ended.name} ended while it started; its last output:\n${tailOf(ended.log)}`))
  }, POLL_INTERVAL_MS)
  try {
    await work(AbortSignal.any([signal, gone.signal]))
  } catch (error) {
    // If a process ended, that end is the reported error, because it made the work fail.
    throw gone.signal.aborted ? gone.signal.reason : error
  } finally {
    clearInterval(look)
  }
}

/** Thrown if a process ends while it starts, or does not answer in time. The message contains the end of the process's log. */
export class PartEndedError extends Error {
  override readonly name = 'PartEndedError'
}

/**
 * Waits until a replica answers. If the replica ends, starts the replica again, as a service manager would do, because the nats-servers may
 * still be electing a leader.
 */
async function comeUp(replica: Part, key: string, signal: AbortSignal): Promise<void> {
  for (let left = START_TRIES; ; left--)
    try {
      return await untilItAnswers(replica, key, signal)
    } catch (error) {
      if (left === 1 || signal.aborted || replica.pid() !== undefined) throw error
      await sleep(RETRY_DELAY_MS)
      await replica.start()
    }
}

const READY = graphql(`query Ready { health { mode } }`)

/**
 * Waits until a replica accepts the key. A replica begins to listen before it has read its first key, so the key may be refused at first.
 */
async function untilItAnswers({ name, where, log, pid }: Part, key: string, signal: AbortSignal): Promise<void> {
  const client = createClient({ url: new URL('/graphql', where).href, key, deadlineMs: ANSWER_MS })
  let why = ''
  for (const deadline = performance.now() + READY_MS; performance.now() < deadline; await sleep(POLL_INTERVAL_MS)) {
    signal.throwIfAborted()
    if (pid() === undefined) throw new PartEndedError(`${name} ended while it started; its last output:\n${tailOf(log)}`)
    try {
      await client.request(textOf(READY), {}, { signal })
      return
    } catch (error) {
      why = error instanceof Error ? error.message : String(error)
    }
  }
  throw new PartEndedError(`${name} does not answer after ${READY_MS / 1_000} s: ${why}; its last output:\n${tailOf(log)}`)
}
