import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { PROGRAM } from '@gantt/cli/for-proofs'
import { serverProcesses } from './server-processes.ts'

/** What this process started and has not ended yet: other processes, and folders with the state of services. */
const children = new Set<ChildProcess>()
const folders = new Set<string>()

let endedBy: NodeJS.Signals | undefined

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Starts a process, which ends with this run. Throws an error in a run that a signal is ending. */
export function startChild<Child extends ChildProcess>(start: () => Child): Child {
  if (endedBy !== undefined) throw new Error(`the run is ended by ${endedBy}`)
  const child = start()
  children.add(child)
  child.once('exit', () => children.delete(child))
  // a process that was not started; an error of another kind leaves it running
  child.once('error', () => child.pid === undefined && children.delete(child))
  return child
}

/**
 * Remembers a folder, which is removed with this run; returns a function that removes it before. It does nothing in a run that a signal is
 * ending, which removes the folder only after its database is stopped.
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
 * Does a run. A signal that reaches only this process, and not all of a terminal as Ctrl-C does, ends what the run started: processes get
 * SIGTERM, databases are stopped, folders are removed, then this process ends by the signal. A second signal kills the processes.
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
      // a process that a proof has stopped receives no other signal
      child.kill('SIGCONT')
      await ended
    }),
  )
  for (const folder of folders) {
    // a service that a proof has killed leaves its database running
    const state = path.join(folder, 'state')
    if (serverProcesses(state).length > 0) spawnSync(process.execPath, [PROGRAM, 'db', 'stop', '--data-dir', state])
    removeFolder(folder)
  }
}
