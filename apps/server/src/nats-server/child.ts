import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NatsServer } from './nats-servers.ts'

/** A nats-server that ends with us. */
export interface NatsChild {
  start(): void
  /** kill -9. `stays`: a server that would be restarted is held down until it is started. */
  kill(options?: { readonly stays?: boolean }): Promise<void>
  /** SIGTERM, and waits for its end: it hands over what it leads. It is held down until it is started. */
  stop(): Promise<void>
  /** SIGSTOP: it does not answer, and its connections stay open; until resumed. */
  pause(): void
  resume(): void
  /** kill -9, permanently. */
  close(): Promise<void>
}

const AGAIN_AFTER_MS = 100

/** A server as a process of ours. With `comesBack` it is started again whenever it ends, as under a service manager. */
export function createNatsChild(
  { command: [program, ...args], log }: Pick<NatsServer, 'command' | 'log'>,
  { comesBack = false } = {},
): NatsChild {
  let child: ChildProcess | undefined
  let exited: Promise<unknown> = Promise.resolve()
  let isWanted = false

  const run = (): void => {
    // its last output, for the error message
    const words = openSync(log, 'a', 0o600)
    const started = spawn(program, args, { stdio: ['ignore', words, words] })
    closeSync(words)
    child = started
    exited = new Promise<void>((resolve) => started.once('exit', () => resolve()).once('error', () => resolve())).then(async () => {
      if (child === started) child = undefined
      if (!isWanted || !comesBack) return
      await sleep(AGAIN_AFTER_MS)
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
