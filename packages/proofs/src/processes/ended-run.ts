import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { PROGRAM } from '@gantt/cli/for-proofs'
import { serverProcesses } from './server-processes.ts'

/** The child processes that this process started and that still run. */
const children = new Set<ChildProcess>()
const folders = new Set<string>()

let endedBy: NodeJS.Signals | undefined

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Starts a child process that is ended if a signal ends this run. Throws an error if a signal is already ending the run. */
export function startChild<Child extends ChildProcess>(start: () => Child): Child {
  if (endedBy !== undefined) throw new Error(`the run is ended by ${endedBy}`)
  const child = start()
  children.add(child)
  child.once('exit', () => children.delete(child))
  // If there is no pid, the process was not started. After any other error the process still runs.
  child.once('error', () => child.pid === undefined && children.delete(child))
  return child
}

/**
 * Registers a folder that is removed if a signal ends this run. Returns a function that removes the folder when it is no longer needed. If
 * a signal is already ending the run, this function does nothing, because the folder must not be removed before its database is stopped.
 */
export function ownFolder(folder: string): () => void {
  folders.add(folder)
  return () => {
    if (endedBy !== undefined) return
    removeFolder(folder)
    folders.delete(folder)
  }
}

const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })

/**
 * Executes a run and cleans up if a signal ends it. Unlike Ctrl-C in a terminal, a signal can reach this process without its child
 * processes. So these get SIGTERM, databases are stopped and folders are removed, and then this process ends by the signal. A second signal
 * kills the child processes.
 */
export async function endedBySignals(run: (isEnded: () => boolean) => Promise<void>): Promise<void> {
  const forget = (): void => {
    for (const name of SIGNALS) process.off(name, end)
  }
  const end = (name: NodeJS.Signals): void => {
    if (endedBy !== undefined) {
      for (const child of children) child.kill('SIGKILL')
      return
    }
    endedBy = name
    void endAll().finally(() => {
      forget()
      process.kill(process.pid, name)
    })
  }
  for (const name of SIGNALS) process.on(name, end)
  try {
    await run(() => endedBy !== undefined)
  } finally {
    if (endedBy === undefined) forget()
  }
}

async function endAll(): Promise<void> {
  await Promise.all(
    [...children].map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      // A process that a proof has stopped with SIGSTOP would not receive other signals.
      child.kill('SIGCONT')
      await ended
    }),
  )
  for (const folder of folders) {
    // A service that a proof has killed leaves its database running.
    const state = path.join(folder, 'state')
    if (serverProcesses(state).length > 0) spawnSync(process.execPath, [PROGRAM, 'db', 'stop', '--data-dir', state])
    removeFolder(folder)
  }
}
