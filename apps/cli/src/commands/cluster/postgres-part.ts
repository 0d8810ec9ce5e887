import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostmaster, openDatabase, openStateDir, startEmbeddedPostgres } from '@gantt/server'
import { refused } from './folder.ts'
import type { Part } from './part.ts'
import { signal } from './signal.ts'

/** The database of a cluster. It is an embedded server. Replicas do not restart it, and therefore it stays down after it is killed. */
export interface PostgresPart extends Part {
  /** The database URL for replicas, with the password. It is available once the server is started. */
  url(): string
  /** The folder of the socket, which may be outside of the cluster's folder. Undefined before the database exists. */
  socketFolder(): string | undefined
}

const NAME = 'postgres'
/** Enough connections for nine replicas, and for people who query the database. */
const SETTINGS = { max_connections: 300 }
const STOP_TIMEOUT_MS = 30_000
const POLL_INTERVAL_MS = 20

export function createPostgresPart(folder: string): PostgresPart {
  const root = path.join(folder, NAME)
  // `openStateDir` creates the folder, which a request for the status must not do.
  const stateDir = () => (fs.existsSync(path.join(root, 'data')) ? openStateDir(root) : undefined)
  const pid = (): number | undefined => {
    const made = stateDir()
    return made === undefined ? undefined : findPostmaster(made)
  }
  let url: string | undefined
  return {
    name: NAME,
    get where() {
      return stateDir()?.run ?? root
    },
    log: path.join(root, 'postgres.log'),
    ports: [],
    pid,
    async start() {
      const server = await startEmbeddedPostgres({ stateDir: root, settings: SETTINGS })
      try {
        const database = await openDatabase({ stateDir: root })
        url = database.url
        await database.close()
      } finally {
        await server.leave()
      }
    },
    async stop() {
      const running = pid()
      if (running === undefined) return
      signal([running], 'SIGCONT')
      const server = await startEmbeddedPostgres({ stateDir: root })
      if ((await server.stop()) === 'left')
        throw refused(`another service uses the database in ${root}; stop it, then take the cluster down again`)
    },
    async kill() {
      const killed = pid()
      if (killed === undefined) return
      // When the server's main process is killed, the processes that it started for connections end by themselves.
      signal([killed], 'SIGKILL')
      for (const deadline = performance.now() + STOP_TIMEOUT_MS; pid() === killed; await sleep(POLL_INTERVAL_MS))
        if (performance.now() > deadline) throw refused(`process ${killed} does not end, although it was killed`)
    },
    url() {
      if (url === undefined) throw new Error('the URL of the database was read before the database was started')
      return url
    },
    socketFolder: () => stateDir()?.run,
  }
}
