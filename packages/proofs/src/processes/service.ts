import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { NODE_ARGUMENTS, PROGRAM } from '@gantt/cli/for-proofs'
import { type Client, createClient } from '@gantt/client'
import { startChild } from './ended-run.ts'
import { createServiceWords, type ServiceWords } from './service-words.ts'

/** A process of the service that a proof started. */
export interface Service extends Pick<ServiceWords, 'words' | 'defects'> {
  readonly url: string
  readonly client: Client
  readonly pid: number
  /** Sends SIGKILL. The service does not shut down properly, and flushes nothing. */
  kill(): Promise<void>
  /** Sends SIGTERM, and waits for the end. */
  stop(): Promise<void>
  /** Sends SIGSTOP. The service and its connections then hang. */
  pause(): void
  /** Sends SIGCONT to a paused service. */
  resume(): void
  /** Sends the signal with this name. */
  signal(name: NodeJS.Signals): void
  /** True once the process has ended, for any reason. */
  readonly isGone: boolean
}

export const ADMIN_KEY = 'gantt_proof-of-this-machine-only'

/** The time limit for a start of the service, in milliseconds. It is long, because a start is slow on a busy machine. */
const START_TIMEOUT_MS = 300_000

/**
 * Starts `gantt serve` on a free loopback port. If the service does not start, throws an error with the last lines of its output. `program`
 * is the path of the command line's program; the default is the one of this checkout.
 */
export async function startService(
  environment: Readonly<Record<string, string>>,
  deadlineMs = 30_000,
  program: string = PROGRAM,
): Promise<Service> {
  const child = startChild(() =>
    spawn(process.execPath, [...NODE_ARGUMENTS, program, 'serve'], {
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        PORT: '0',
        HOST: '127.0.0.1',
        GANTT_ADMIN_KEY: ADMIN_KEY,
        // The service must keep its promises with both values of GANTT_SHARED_FLUSH, so the value that the caller of the proof set is used.
        ...(process.env.GANTT_SHARED_FLUSH === undefined ? {} : { GANTT_SHARED_FLUSH: process.env.GANTT_SHARED_FLUSH }),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const { words, defects, hear } = createServiceWords()
  const url = await readUrl(child, { words, hear })
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  return {
    url,
    pid: child.pid as number,
    client: createClient({ url, key: ADMIN_KEY, deadlineMs }),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    signal: (name) => void child.kill(name),
    words,
    defects,
    get isGone() {
      return child.exitCode !== null || child.signalCode !== null
    },
  }
}

function readUrl(child: ChildProcess, { words, hear }: Pick<ServiceWords, 'words' | 'hear'>): Promise<string> {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('the service was started without pipes')
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      child.kill('SIGKILL')
      reject(new Error(`the service did not start: ${why}\n${words.slice(-20).join('\n')}`))
    }
    const timer = setTimeout(() => fail(`it printed no URL within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS)
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      fail(`it ended (${code ?? signal})`)
    })
    for (const stream of [stdout, stderr])
      createInterface({ input: stream }).on('line', (line) => {
        hear(line)
        const url = /http:\/\/\S+\/graphql/.exec(line)?.[0]
        if (url === undefined || stream !== stdout) return
        clearTimeout(timer)
        resolve(url)
      })
  })
}
