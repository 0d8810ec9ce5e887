import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../free-ports.ts'
import { type NatsAddress, parseNatsAddress } from '../sync/nats/address.ts'
import { lookAt, type View } from './view.ts'

/** A nats-server with its files written and its ports chosen. The process that starts the server owns it. */
export interface NatsServer {
  readonly name: string
  readonly ports: NatsPorts
  /** The folder of the server's store. */
  readonly store: string
  readonly command: readonly [program: string, ...args: string[]]
  /** The file for the server's output. */
  readonly log: string
  /** The server's view of the streams of the cluster. Undefined if it does not answer, or JetStream is not ready. */
  look(): Promise<View | undefined>
}

export interface NatsPorts {
  readonly client: number
  /** The port on which the servers connect to each other. */
  readonly route: number
  /** The port for monitoring requests. */
  readonly monitor: number
}

/** Servers with copies of the same streams. A single server has one copy. */
export interface NatsServers {
  readonly servers: readonly NatsServer[]
  /** The URL in the form of GANTT_SYNC, without the name of a fleet. */
  readonly url: string
  /** Called when all servers are started. Waits until a stream with a copy on each server can be created. Throws if that fails. */
  untilReady(signal?: AbortSignal): Promise<void>
}

export interface NatsServersOptions {
  readonly program: string
  /** The folder of the servers' files: `nats-1.conf`, `nats-1.log`, and the store `nats-1`. */
  readonly folder: string
  /** The ports of each server. */
  readonly ports: readonly NatsPorts[]
  /** The name of the cluster. Servers with another name are refused. */
  readonly cluster: string
  /** The limits of the servers' memory and disk, in the form of the configuration file. */
  readonly limits: { readonly memory: string; readonly disk: string }
  /** The secret that servers and clients must send. */
  readonly token?: string
  /** Further lines of each configuration file. */
  readonly settings?: string
  /** User and password in the URL, if `settings` requires them. */
  readonly credentials?: string
}

const HOST = '127.0.0.1'
const READY_MS = 60_000
const POLL_INTERVAL_MS = 50
const ANSWER_MS = 2_000

/** Free ports for this many servers, without those in `except`. */
export async function drawNatsPorts(count: number, except: readonly number[] = []): Promise<NatsPorts[]> {
  const drawn = await freePorts(3 * count, except)
  const at = (i: number): number => drawn[i] as number
  return Array.from({ length: count }, (_, i) => ({ client: at(3 * i), route: at(3 * i + 1), monitor: at(3 * i + 2) }))
}

/** Writes the files of servers with JetStream on the loopback. Starts none of them. */
export function prepareNatsServers(options: NatsServersOptions): NatsServers {
  const { program, folder, ports, token, credentials = token } = options
  const servers = ports.map((own, i): NatsServer => {
    const name = `nats-${i + 1}`
    const store = path.join(folder, name)
    const config = path.join(folder, `${name}.conf`)
    fs.mkdirSync(store, { recursive: true })
    fs.writeFileSync(config, configOf(name, store, own, options), { mode: 0o600 })
    return {
      name,
      ports: own,
      store,
      command: [program, '--config', config],
      log: path.join(folder, `${name}.log`),
      look: () => lookAt(own.monitor),
    }
  })
  const url = `nats://${credentials === undefined ? '' : `${credentials}@`}${ports.map(({ client }) => `${HOST}:${client}`).join(',')}`
  return { servers, url, untilReady: (signal) => untilReady(url, servers.length, signal) }
}

function configOf(name: string, store: string, own: NatsPorts, options: NatsServersOptions): string {
  const { ports, limits, token, settings = '' } = options
  return `server_name: ${name}
listen: "${HOST}:${own.client}"
http: "${HOST}:${own.monitor}"
jetstream { store_dir: ${JSON.stringify(store)}, max_mem: ${limits.memory}, max_file: ${limits.disk} }
${token === undefined ? '' : `authorization { token: "${token}" }`}
${ports.length === 1 ? '' : clusterOf(own, options)}
${settings}
`
}

function clusterOf(own: NatsPorts, { ports, cluster, token }: NatsServersOptions): string {
  const credentials = token === undefined ? '' : `gantt:${token}@`
  const routes = ports.map(({ route }) => `"nats://${credentials}${HOST}:${route}"`)
  return `cluster {
  name: ${cluster}
  listen: "${HOST}:${own.route}"
  routes: [${routes.join(', ')}]
  ${token === undefined ? '' : `authorization { user: gantt, password: "${token}" }`}
  # clients use only the addresses that they were given, which can be those of a proxy
  no_advertise: true
}`
}

/** The nats-servers were started, but no stream can be created in time. */
export class NatsNotReadyError extends Error {
  override readonly name = 'NatsNotReadyError'
}

/** Retries until a stream can be created. Then the cluster has a leader, and knows the free disk space of each server. */
async function untilReady(url: string, copies: number, signal?: AbortSignal): Promise<void> {
  const address = parseNatsAddress(url)
  if (address === undefined) throw new Error('the URL of these nats-servers cannot be parsed')
  let why: unknown
  for (const deadline = performance.now() + READY_MS; performance.now() < deadline; await sleep(POLL_INTERVAL_MS)) {
    signal?.throwIfAborted()
    try {
      return await tryStream(address, copies)
    } catch (error) {
      why = error
    }
  }
  const reason = why instanceof Error ? why.message : String(why)
  throw new NatsNotReadyError(`the nats-servers at ${address.servers.join(', ')} are not ready after ${READY_MS / 1_000} s: ${reason}`, {
    cause: why,
  })
}

async function tryStream({ servers, user, password, token }: NatsAddress, copies: number): Promise<void> {
  // The NATS client is imported here, so that only callers that start a server load it.
  const [{ jetstreamManager }, { connect }] = await Promise.all([import('@nats-io/jetstream'), import('@nats-io/transport-node')])
  const connection = await connect({
    servers: [...servers],
    timeout: ANSWER_MS,
    reconnect: false,
    ...(token === undefined ? {} : { token }),
    ...(user === undefined ? {} : { user, pass: password ?? '' }),
  })
  try {
    const { streams } = await jetstreamManager(connection, { timeout: ANSWER_MS, checkAPI: false })
    await streams.add({ name: 'PROBE', subjects: ['probe'], num_replicas: copies })
    await streams.delete('PROBE')
  } finally {
    await connection.close()
  }
}
