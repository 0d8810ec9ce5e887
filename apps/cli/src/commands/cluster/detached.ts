import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { refused } from './folder.ts'
import { createPidFile } from './pid-file.ts'
import { signal } from './signal.ts'

/** A process that continues to run after the command ends. The next command finds it by its pid file. */
export interface Detached {
  /** The process id; undefined if the process does not run. */
  pid(): number | undefined
  start(environment: NodeJS.ProcessEnv): Promise<void>
  /** Sends SIGTERM, then SIGKILL if the process does not end in time. Resolves once the process has ended. */
  stop(): Promise<void>
  /** Sends SIGKILL. Resolves once the process has ended. */
  kill(): Promise<void>
}

export interface DetachedOptions {
  readonly pidFile: string
  /** The file to which the output of the process is appended. */
  readonly log: string
  /** The working folder of the process. */
  readonly folder: string
  command(): readonly [program: string, ...args: string[]]
}

const STOP_TIMEOUT_MS = 30_000
const POLL_INTERVAL_MS = 20

export function createDetached({ pidFile, log, folder, command }: DetachedOptions): Detached {
  const file = createPidFile(pidFile)
  const isGone = async (withinMs: number): Promise<boolean> => {
    for (const deadline = performance.now() + withinMs; file.read() !== undefined; await sleep(POLL_INTERVAL_MS))
      if (performance.now() > deadline) return false
    file.remove()
    return true
  }
  const send = (names: readonly NodeJS.Signals[]): void => {
    const pid = file.read()
    if (pid !== undefined) for (const name of names) signal([pid], name)
  }
  const kill = async (): Promise<void> => {
    send(['SIGKILL'])
    if (!(await isGone(STOP_TIMEOUT_MS))) throw refused(`process ${file.read()} does not end, although it was killed`)
  }
  return {
    pid: () => file.read(),
    async start(environment) {
      const [program, ...args] = command()
      const words = fs.openSync(log, 'a', 0o600)
      try {
        // The process gets its own session, because Ctrl-C in this terminal would otherwise end the process.
        const child = spawn(program, args, { cwd: folder, env: environment, detached: true, stdio: ['ignore', words, words] })
        if (child.pid === undefined) throw (await once(child, 'error'))[0]
        file.write(child.pid)
        child.unref()
      } finally {
        fs.closeSync(words)
      }
    },
    async stop() {
      // A paused process (SIGSTOP) handles SIGTERM only after SIGCONT.
      send(['SIGTERM', 'SIGCONT'])
      if (!(await isGone(STOP_TIMEOUT_MS))) await kill()
    },
    kill,
  }
}

/** The last lines of a log, which may explain why its process ended. */
export const tailOf = (log: string, lines = 12): string => fs.readFileSync(log, 'utf8').trim().split('\n').slice(-lines).join('\n')
