import { setTimeout as sleep } from 'node:timers/promises'
import { signal } from '@gantt/cli/for-proofs'
import { type EmbeddedPostgres, REPLICATED, startEmbeddedPostgres } from '@gantt/server'
import { serverProcesses } from '../../processes/server-processes.ts'

/** A PostgreSQL server that is restarted whenever it ends, as by a service manager, unless it is kept down. */
export interface PostgresServer {
  readonly stateDir: string
  /** The running server. Undefined while it is down. */
  readonly running: EmbeddedPostgres | undefined
  /** Starts the server, or waits until it runs again. */
  start(): Promise<EmbeddedPostgres>
  /** Sends SIGKILL to all its processes. With `stays` the server is kept down until it is started again. */
  kill(options?: { readonly stays?: boolean }): Promise<void>
  /** Sends SIGSTOP to all its processes. They continue when they are resumed. */
  pause(): void
  resume(): void
  close(): Promise<void>
}

const RETRY_DELAY_MS = 100

export function createPostgresServer(stateDir: string): PostgresServer {
  let running: EmbeddedPostgres | undefined
  let starting: Promise<EmbeddedPostgres> | undefined
  let isWanted = true
  let ended = (): void => {}
  let paused: readonly number[] = []

  const lost = (): void => {
    running = undefined
    ended()
    // If a start is already in progress, `start` waits for it.
    if (isWanted) void start().catch(() => undefined)
  }
  const untilItRuns = async (): Promise<EmbeddedPostgres> => {
    for (;;) {
      try {
        running = await startEmbeddedPostgres({ stateDir, settings: REPLICATED, onLost: lost })
        return running
      } catch (error) {
        // A start can fail because the disk is full, or because processes of the former server are still ending. So it is repeated.
        if (!isWanted) throw error
        await sleep(RETRY_DELAY_MS)
      }
    }
  }
  const start = async (): Promise<EmbeddedPostgres> => {
    isWanted = true
    if (running !== undefined) return running
    starting ??= untilItRuns().finally(() => {
      starting = undefined
    })
    return starting
  }
  const resume = (): void => {
    signal(paused, 'SIGCONT')
    paused = []
  }

  return {
    stateDir,
    get running() {
      return running
    },
    start,
    async kill({ stays = false } = {}) {
      const before = running
      isWanted = !stays
      const end = new Promise<void>((resolve) => {
        ended = resolve
      })
      signal(serverProcesses(stateDir), 'SIGKILL')
      if (before !== undefined) await end
      await starting?.catch(() => undefined)
    },
    pause() {
      paused = serverProcesses(stateDir)
      signal(paused, 'SIGSTOP')
    },
    resume,
    async close() {
      isWanted = false
      resume()
      await starting?.catch(() => undefined)
      await running?.stop()
    },
  }
}
