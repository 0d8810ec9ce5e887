import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NatsServer } from './nats-servers.ts'

/** A nats-server that ends with this process. */
export interface NatsChild {
  start(): void
  /** Sends SIGKILL. With `stays`, a server that would be restarted stays down until it is started. */
  kill(options?: { readonly stays?: boolean }): Promise<void>
  /** Sends SIGTERM and waits for the end. The server hands over its leadership, and stays down until it is started. */
  stop(): Promise<void>
  /** Sends SIGSTOP. The server does not answer, and its connections stay open until it is resumed. */
  pause(): void
  resume(): void
  /** Sends SIGKILL. The server is not restarted. */
  close(): Promise<void>
}

const RETRY_DELAY_MS = 100

/** A server as a child process. With `comesBack` it is restarted whenever it ends, like a managed service. */
export function createNatsChild(
  { command: [program, ...args], log }: Pick<NatsServer, 'command' | 'log'>,
  { comesBack = false } = {},
): NatsChild {
  let child: ChildProcess | undefined
  let exited: Promise<unknown> = Promise.resolve()
  let isWanted = false

  const run = (): void => {
    // The server's output is appended to its log, because error messages quote the end of the log.
    const words = openSync(log, 'a', 0o600)
    const started = spawn(program, args, { stdio: ['ignore', words, words] })
    closeSync(words)
    child = started
    exited = new Promise<void>((resolve) => started.once('exit', () => resolve()).once('error', () => resolve())).then(async () => {
      if (child === started) child = undefined
      if (!isWanted || !comesBack) return
      await sleep(RETRY_DELAY_MS)
      if (isWanted && child === undefined) run()
    })
  }
  const end = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    const ended = child === undefined ? undefined : once(child, 'exit')
    child?.kill(signal)
    await ended
  }

  return {
    start() {
      isWanted = true
      if (child === undefined) run()
    },
    async kill({ stays = false } = {}) {
      isWanted = !stays
      await end()
    },
    async stop() {
      isWanted = false
      await end('SIGTERM')
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async close() {
      isWanted = false
      await end()
      await exited
    },
  }
}
