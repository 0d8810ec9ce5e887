import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A running command of the built program. */
export interface Running {
  /** The lines that the process printed on standard output until it was ready. */
  readonly lines: readonly string[]
  /** The data folder of the process, which is removed when the process is stopped. */
  readonly folder: string
  /** Sends SIGKILL, and waits for the end of the process. */
  kill(): Promise<void>
  /** Sends SIGTERM, waits for the end of the process, and removes its data folder. */
  stop(): Promise<void>
}

const MAIN = fileURLToPath(new URL('../apps/cli/dist/main.js', import.meta.url))
const START_TIMEOUT_MS = 90_000

/**
 * Starts the command with its own data folder on a free loopback port, unless `environment` sets another port, and waits for a line of its
 * output. Throws an error with the last output if the line does not appear.
 */
export async function startCommand(
  args: (folder: string) => readonly string[],
  ready: RegExp,
  environment: (folder: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<Running> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gantt-e2e-'))
  const child = spawn(process.execPath, [MAIN, ...args(folder)], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', HOST: '127.0.0.1', PORT: '0', ...environment(folder) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stopChild = (): void => void child.kill('SIGTERM')
  process.once('exit', stopChild)
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  const stop = async (): Promise<void> => {
    await end('SIGTERM')
    process.off('exit', stopChild)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    return { lines: await readUntil(child, ready), folder, kill: () => end('SIGKILL'), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function readUntil(child: ChildProcess, ready: RegExp): Promise<string[]> {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('the program was started without pipes')
  const output: string[] = []
  const lines: string[] = []
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer)
      reject(new Error(`the program did not start: ${why}\n${output.slice(-20).join('\n')}`))
    }
    const timer = setTimeout(() => fail(`nothing like ${ready} within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS)
    child.once('exit', (code, signal) => fail(`it ended (${code ?? signal})`))
    child.once('error', ({ message }) => fail(message))
    for (const stream of [stdout, stderr])
      createInterface({ input: stream }).on('line', (line) => {
        output.push(line)
        if (output.length > 100) output.shift()
        if (stream !== stdout) return
        lines.push(line)
        if (!ready.test(line)) return
        clearTimeout(timer)
        resolve([...lines])
      })
  })
}
