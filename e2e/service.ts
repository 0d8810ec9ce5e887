import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@gantt/client'

/** The built service as a process of our own, on a port and a data folder of its own. */
export interface Service {
  /** Where the console is. */
  readonly origin: string
  /** Where the API is. */
  readonly url: string
  /** May do everything. */
  readonly key: string
  readonly client: Client
  /** SIGTERM, waits for the end, and leaves nothing behind. */
  stop(): Promise<void>
}

const KEY = 'the-admin-key-of-browser-tests'
const MAIN = fileURLToPath(new URL('../apps/cli/dist/main.js', import.meta.url))
const START_TIMEOUT_MS = 60_000

/** Starts the service. Throws with its last words when it does not come up. */
export async function startService(): Promise<Service> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gantt-e2e-'))
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      HOST: '127.0.0.1',
      PORT: '0',
      GANTT_DATA_DIR: folder,
      GANTT_ADMIN_KEY: KEY,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const endWithUs = (): void => void child.kill('SIGTERM')
  process.once('exit', endWithUs)
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    }
    process.off('exit', endWithUs)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const url = await readUrl(child)
    return { origin: new URL(url).origin, url, key: KEY, client: createClient({ url, key: KEY, deadlineMs: 30_000 }), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function readUrl(child: ChildProcess): Promise<string> {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('the service was started without pipes')
  const words: string[] = []
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`the service did not start: ${why}\n${words.slice(-20).join('\n')}`))
    const timer = setTimeout(() => fail(`no address within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS)
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      fail(`it ended (${code ?? signal})`)
    })
    child.once('error', (error) => {
      clearTimeout(timer)
      fail(error.message)
    })
    for (const stream of [stdout, stderr])
      createInterface({ input: stream }).on('line', (line) => {
        words.push(line)
        if (words.length > 100) words.shift()
        const url = /http:\/\/\S+\/graphql/.exec(line)?.[0]
        if (url === undefined || stream !== stdout) return
        clearTimeout(timer)
        resolve(url)
      })
  })
}
