import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { findNatsServer, INSTALL_NATS_SERVER } from '../nats-server.ts'

/** One nats-server process, on a port of its own that it keeps over restarts. */
export interface NatsServer {
  readonly name: string
  readonly port: number
  /** Ends the process at once, as a power cut does. */
  kill(): Promise<void>
  /** Starts it again on what it has stored. */
  restart(): Promise<void>
  /** While it stands still it answers nobody, and its connections stay open. */
  standStill(isStill: boolean): void
}

export interface NatsServers {
  readonly servers: readonly NatsServer[]
  /** As GANTT_SYNC takes it, without the name of a fleet. */
  readonly url: string
  /** Ends all of them and removes what they stored. */
  stop(): Promise<void>
}

export interface NatsServersOptions {
  /** More than one: a cluster. */
  readonly count?: 1 | 3
  /** Further lines of the configuration file. */
  readonly settings?: string
  /** User, password and the like, before the address in the URL. */
  readonly credentials?: string
}

const READY_MS = 30_000

/** Why the tests that need a nats-server cannot run here; undefined when they can. */
export const noNatsServer: string | undefined = findNatsServer() === undefined ? INSTALL_NATS_SERVER : undefined

/** Servers with JetStream on free ports and folders of their own; they answer when this resolves. */
export async function startNatsServers({ count = 1, settings = '', credentials = '' }: NatsServersOptions = {}): Promise<NatsServers> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gantt-nats-'))
  const ports = await freePorts(count * 2)
  const routes = ports.slice(count).map((port) => `nats://127.0.0.1:${port}`)
  const servers = Array.from({ length: count }, (_, i) =>
    createServer({
      name: `n${i + 1}`,
      port: ports[i] as number,
      folder: path.join(folder, `n${i + 1}`),
      settings: `${settings}\n${count === 1 ? '' : `cluster { name: tests, listen: "${routes[i]?.slice(7)}", routes: [${routes.map((route) => `"${route}"`).join(', ')}] }`}`,
    }),
  )
  const url = `nats://${credentials === '' ? '' : `${credentials}@`}${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.kill()))
    fs.rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (const server of servers) server.start()
    await Promise.all(servers.map(({ port }) => answers(port)))
    if (credentials === '') await hasJetStream(ports.slice(0, count))
  } catch (error) {
    await stop()
    throw error
  }
  return { servers, url, stop }
}

function createServer({ name, port, folder, settings }: { name: string; port: number; folder: string; settings: string }) {
  fs.mkdirSync(folder, { recursive: true })
  const config = path.join(folder, 'nats.conf')
  const log = path.join(folder, 'nats.log')
  fs.writeFileSync(
    config,
    `server_name: ${name}\nlisten: "127.0.0.1:${port}"\njetstream { store_dir: "${folder}", max_mem: 256MB, max_file: 1GB }\n${settings}\n`,
  )
  let child: ChildProcess | undefined
  let exit: Promise<unknown> = Promise.resolve()
  const start = (): void => {
    child = spawn(findNatsServer() ?? 'nats-server', ['--config', config, '--log', log], { stdio: 'ignore' })
    exit = once(child, 'exit')
  }
  return {
    name,
    port,
    start,
    async kill() {
      child?.kill('SIGKILL')
      await exit
      child = undefined
    },
    async restart() {
      start()
      await answers(port)
    },
    standStill: (isStill: boolean) => void child?.kill(isStill ? 'SIGSTOP' : 'SIGCONT'),
  } satisfies NatsServer & { start(): void }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = net.createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as net.AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

/** Tries until it holds, as a starting server has no other sign. */
async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + READY_MS; !(await holds()); await sleep(20))
    if (Date.now() > end) throw new Error(`${what} after ${READY_MS / 1_000} s`)
}

const answers = (port: number): Promise<void> =>
  until(
    () =>
      new Promise((resolve) => {
        const socket = net.connect(port, '127.0.0.1')
        socket.once('data', () => resolve(true)).once('error', () => resolve(false))
        socket.once('close', () => resolve(false))
        socket.once('data', () => socket.destroy())
      }),
    `the nats-server on port ${port} does not answer`,
  )

/** A cluster has JetStream once it has chosen a leader, and can hold three copies once all servers are known to it. */
async function hasJetStream(ports: readonly number[]): Promise<void> {
  const connection = await connect({ port: ports[0] as number })
  const probe = { name: 'PROBE', subjects: ['probe'], num_replicas: ports.length }
  try {
    await until(
      async () =>
        jetstreamManager(connection, { timeout: 1_000, checkAPI: false })
          .then((manager) => manager.streams.add(probe).then(() => manager.streams.delete(probe.name)))
          .catch(() => false),
      'JetStream is not ready',
    )
  } finally {
    await connection.close()
  }
}
