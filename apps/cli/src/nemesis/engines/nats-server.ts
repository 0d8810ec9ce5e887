import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A nats-server that comes back by itself whenever it ends, as under a service manager, unless it is held down. */
export interface NatsServer {
  readonly name: string
  readonly port: number
  start(): void
  /** kill -9. `stays`: it is held down until it is started. */
  kill(options?: { readonly stays?: boolean }): Promise<void>
  /** SIGSTOP, until resumed. */
  pause(): void
  resume(): void
  /** How it sees the streams; undefined while it does not answer, or not for JetStream. */
  look(): Promise<View | undefined>
  close(): Promise<void>
}

/** What one server of a cluster knows. Who does not lead a stream shows no state of the others. */
export interface View {
  readonly meta: Raft
  /** By the name of the stream. */
  readonly streams: ReadonlyMap<string, Raft>
}

export interface Raft {
  /** Empty while there is none. */
  readonly leader: string
  /** The other servers: whether each has everything that the leader has. */
  readonly replicas: readonly { readonly name: string; readonly current: boolean; readonly offline: boolean }[]
}

export interface NatsServerOptions {
  readonly program: string
  readonly name: string
  /** Where it stores. */
  readonly folder: string
  /** For clients, for the other servers, and for questions about how it is. */
  readonly ports: { readonly client: number; readonly route: number; readonly monitor: number }
  /** The ports of all servers for each other. */
  readonly routes: readonly number[]
}

const HOST = '127.0.0.1'
const AGAIN_AFTER_MS = 100
const ANSWER_MS = 1_000

export function createNatsServer({ program, name, folder, ports, routes }: NatsServerOptions): NatsServer {
  mkdirSync(folder, { recursive: true })
  const config = path.join(path.dirname(folder), `${name}.conf`)
  writeFileSync(config, configOf({ name, folder, ports, routes }))
  let child: ChildProcess | undefined
  let exited: Promise<unknown> = Promise.resolve()
  let isWanted = false

  const run = (): void => {
    // its last words, where somebody looks for them
    const log = openSync(path.join(path.dirname(folder), `${name}.log`), 'a')
    child = spawn(program, ['--config', config], { stdio: ['ignore', log, log] })
    closeSync(log)
    exited = once(child, 'exit').then(async () => {
      child = undefined
      if (!isWanted) return
      await sleep(AGAIN_AFTER_MS)
      if (isWanted && child === undefined) run()
    })
  }
  const end = async (): Promise<void> => {
    const ended = child === undefined ? undefined : once(child, 'exit')
    child?.kill('SIGKILL')
    await ended
  }

  return {
    name,
    port: ports.client,
    start() {
      isWanted = true
      if (child === undefined) run()
    },
    async kill({ stays = false } = {}) {
      isWanted = !stays
      await end()
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    look: () => lookAt(ports.monitor),
    async close() {
      isWanted = false
      await end()
      await exited
    },
  }
}

const configOf = ({ name, folder, ports, routes }: Omit<NatsServerOptions, 'program'>): string => `
server_name: ${name}
listen: "${HOST}:${ports.client}"
http: "${HOST}:${ports.monitor}"
jetstream { store_dir: "${folder}", max_mem: 64MB, max_file: 4GB }
cluster {
  name: nemesis
  listen: "${HOST}:${ports.route}"
  routes: [${routes.map((port) => `"nats://${HOST}:${port}"`).join(', ')}]
  # clients would be told of ways beside their links
  no_advertise: true
}
`

interface Jsz {
  readonly meta_cluster?: RaftAnswer
  readonly account_details?: readonly { readonly stream_detail?: readonly { readonly name: string; readonly cluster?: RaftAnswer }[] }[]
}

interface RaftAnswer {
  readonly leader?: string
  readonly replicas?: readonly { readonly name: string; readonly current?: boolean; readonly offline?: boolean }[]
}

async function lookAt(port: number): Promise<View | undefined> {
  try {
    const answer = await fetch(`http://${HOST}:${port}/jsz?accounts=true&streams=true`, { signal: AbortSignal.timeout(ANSWER_MS) })
    const { meta_cluster: meta, account_details: accounts = [] } = (await answer.json()) as Jsz
    if (meta === undefined) return undefined
    const streams = accounts.flatMap(({ stream_detail: details = [] }) =>
      details.map(({ name, cluster }) => [name, toRaft(cluster)] as const),
    )
    return { meta: toRaft(meta), streams: new Map(streams) }
  } catch {
    // down, paused or starting: then it says nothing
    return undefined
  }
}

const toRaft = ({ leader = '', replicas = [] }: RaftAnswer = {}): Raft => ({
  leader,
  replicas: replicas.map(({ name, current = false, offline = false }) => ({ name, current, offline })),
})
