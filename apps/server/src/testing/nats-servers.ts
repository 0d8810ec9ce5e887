import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createNatsChild, type NatsChild } from '../nats-server/child.ts'
import { findNatsServer, INSTALL_NATS_SERVER } from '../nats-server/find.ts'
import { drawNatsPorts, prepareNatsServers } from '../nats-server/nats-servers.ts'
import { waitForStore } from '../wait-for-store.ts'

/** One nats-server process. Its port does not change over restarts. */
export interface NatsServer {
  readonly name: string
  readonly port: number
  /** Ends the process at once, like a power failure. */
  kill(): Promise<void>
  /** Starts the server again with its stored data. */
  restart(): Promise<void>
  /** Pauses the server or lets it continue. A paused server does not answer, and its connections stay open. */
  stall(isStalled: boolean): void
}

export interface NatsServers {
  readonly servers: readonly NatsServer[]
  /** The address in the form of GANTT_SYNC, without the name of a fleet. */
  readonly url: string
  /** Ends all servers and removes their stored data. */
  stop(): Promise<void>
}

export interface NatsServersOptions {
  /** How many servers to start. Several servers form a cluster. */
  readonly count?: 1 | 3
  /** Further lines of the configuration file. */
  readonly settings?: string
  /** User and password in the URL. */
  readonly credentials?: string
}

const ANSWERS_MS = 300_000

/** The reason why tests that need a nats-server cannot run on this machine; undefined if they can. */
export const noNatsServer: string | undefined = findNatsServer() === undefined ? INSTALL_NATS_SERVER : undefined

/** Starts servers with JetStream on free ports and in separate folders. When the promise resolves, the servers answer. */
export async function startNatsServers({ count = 1, ...settings }: NatsServersOptions = {}): Promise<NatsServers> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gantt-nats-'))
  const { servers, url, untilReady } = prepareNatsServers({
    program: findNatsServer() ?? 'nats-server',
    folder,
    ports: await drawNatsPorts(count),
    cluster: 'tests',
    limits: { memory: '256MB', disk: '1GB' },
    ...settings,
  })
  const children = servers.map((server) => createNatsChild(server))
  const stop = async (): Promise<void> => {
    await Promise.all(children.map((child) => child.close()))
    fs.rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (const child of children) child.start()
    await untilReady()
  } catch (error) {
    await stop()
    throw error
  }
  return { servers: servers.map(({ name, ports }, i) => toServer(name, ports.client, children[i] as NatsChild)), url, stop }
}

const toServer = (name: string, port: number, child: NatsChild): NatsServer => ({
  name,
  port,
  kill: () => child.close(),
  async restart() {
    child.start()
    await answersOn(port)
  },
  stall: (isStalled) => (isStalled ? child.pause() : child.resume()),
})

/** Connects repeatedly until the server sends its greeting, because a starting server gives no other signal. */
async function answersOn(port: number): Promise<void> {
  const greets = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1')
      socket.once('data', () => resolve(true)).once('error', () => resolve(false))
      socket.once('close', () => resolve(false))
      socket.once('data', () => socket.destroy())
    })
  for (const end = Date.now() + ANSWERS_MS; !(await greets()); await sleep(20))
    if (Date.now() > end) throw new Error(`the nats-server on port ${port} does not answer after ${ANSWERS_MS / 1_000} s`)
}

/**
 * Opens a connection or store on a cluster like the service at its start. On a busy machine a new cluster answers late, or has no leader at
 * first.
 */
export const whenThere = <Opened>(open: () => Promise<Opened>): Promise<Opened> =>
  waitForStore(open, { stopped: new AbortController().signal, onAway: () => undefined, warn: () => undefined })
