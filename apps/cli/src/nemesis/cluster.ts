import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '@gantt/client'
import { openDatabase } from '@gantt/server'
import { type CuttingProxy, startCuttingProxy } from '../prove/cutting-proxy.ts'
import { type Service, startService } from '../prove/service.ts'

/** A replica: a process that can die and come back, and its own way to the database. */
export interface ReplicaProcess {
  readonly proxy: CuttingProxy
  /** Undefined while it is down. */
  service: Service | undefined
  /** The way in, kept while it is down: whoever asks then is refused. */
  client: Client
  /** Starts it, trying again until it comes up: the database may be away. */
  start(): Promise<void>
}

/** Several replicas on one PostgreSQL server, all processes of our own. */
export interface Cluster {
  readonly replicas: readonly ReplicaProcess[]
  readonly database: {
    /** Ends every process of the server at once; it is started again by itself. */
    kill(): Promise<void>
    /** Stops them where they are until resumed. */
    pause(): void
    resume(): void
    readonly kills: number
  }
  close(): Promise<void>
}

/** How long a call waits: longer than most pauses, shorter than patience. */
const CALL_MS = 4_000
const START_TRIES = 20
const DOWN: Client = createClient({ url: 'http://127.0.0.1:9/graphql' })

export async function startCluster(folder: string, replicaCount: number, say: (line: string) => void): Promise<Cluster> {
  let recovered: (() => void) | undefined
  let kills = 0
  let paused: readonly number[] = []
  const database = await openDatabase({ stateDir: folder, onRecovered: () => recovered?.() })
  const { host, user, password } = database.connection
  const replicas: ReplicaProcess[] = []
  const close = async (): Promise<void> => {
    signal(paused, 'SIGCONT')
    for (const { service } of replicas) service?.resume()
    await Promise.all(replicas.map(({ service }) => service?.stop()))
    await Promise.all(replicas.map(({ proxy }) => proxy.close()))
    await database.close()
  }
  try {
    for (let i = 0; i < replicaCount; i++) {
      const proxy = await startCuttingProxy(String(host), path.join(folder, `proxy-${i}`))
      const url = `postgresql://${user}:${String(password)}@localhost:5432/gantt?host=${encodeURIComponent(proxy.host)}`
      const replica: ReplicaProcess = {
        proxy,
        service: undefined,
        client: DOWN,
        async start() {
          for (let left = START_TRIES; ; left--) {
            try {
              replica.service = await startService({ DATABASE_URL: url }, CALL_MS)
              replica.client = replica.service.client
              return
            } catch (error) {
              if (left === 1) throw error
              say(`  replica ${i} did not come up and is started again`)
              await sleep(500)
            }
          }
        },
      }
      replicas.push(replica)
    }
    await Promise.all(replicas.map((replica) => replica.start()))
  } catch (error) {
    await close()
    throw error
  }
  return {
    replicas,
    database: {
      async kill() {
        const back = new Promise<void>((resolve) => {
          recovered = resolve
        })
        signal(databaseProcesses(folder), 'SIGKILL')
        kills++
        await back
      },
      pause() {
        paused = databaseProcesses(folder)
        signal(paused, 'SIGSTOP')
      },
      resume() {
        signal(paused, 'SIGCONT')
        paused = []
      },
      get kills() {
        return kills
      },
    },
    close,
  }
}

/** The postmaster of a state directory, and its children. */
export function databaseProcesses(folder: string): number[] {
  const postmaster = Number.parseInt(readFileSync(path.join(folder, 'data', 'postmaster.pid'), 'utf8'), 10)
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const children = stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === postmaster)
    .map(([pid]) => pid as number)
  return [postmaster, ...children]
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch (error) {
      // a session's process may have ended since
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
}
