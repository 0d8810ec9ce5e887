import { readdirSync, readFileSync } from 'node:fs'

/** A process as /proc shows it. */
interface Seen {
  readonly pid: number
  readonly parent: number
  readonly session: number
}

/** Reads a file below /proc. Undefined if the process has ended meanwhile, or belongs to another user. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(`/proc/${file}`, 'latin1')
  } catch {
    return undefined
  }
}

const pids = (): readonly number[] => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))

/** The processes of the machine, with parent and session (proc(5), /proc/PID/stat). */
function allProcesses(): readonly Seen[] {
  return pids().flatMap((pid) => {
    const text = textOf(`${pid}/stat`)
    // the name of the program is in brackets, and may itself contain brackets and spaces
    const [, parent, , session] = text?.slice(text.lastIndexOf(')') + 2).split(' ', 5) ?? []
    return parent === undefined || session === undefined ? [] : [{ pid, parent: Number(parent), session: Number(session) }]
  })
}

/** The resident memory of a process in bytes; 0 if it has ended. */
function residentBytes(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(textOf(`${pid}/status`) ?? '') ?? []
  return Number(kib ?? 0) * 1_024
}

/**
 * The resident memory of a process, of its descendants, and of the processes of its session, in bytes. Memory that they share counts for
 * each of them.
 */
export function memoryOfTree(root: number): number {
  const all = allProcesses()
  const members = new Set([root])
  // a child can have a lower number than its parent, so the list is read until nothing is added
  for (let before = 0; before < members.size; ) {
    before = members.size
    for (const { pid, parent, session } of all) if (session === root || members.has(parent)) members.add(pid)
  }
  return [...members].reduce((sum, pid) => sum + residentBytes(pid), 0)
}

/** Ends a process group. Does nothing if it has ended. */
export function killGroup(leader: number): void {
  kill(-leader)
}

/**
 * Ends all processes whose environment has the entry `NAME=VALUE`. A process that a collector detached from its process group is found in
 * this way. Processes of other users are left out, unless the agent is root.
 */
export function killMarked(entry: string): void {
  for (const pid of pids()) if (pid !== process.pid && textOf(`${pid}/environ`)?.split('\0').includes(entry)) kill(pid)
}

function kill(target: number): void {
  try {
    process.kill(target, 'SIGKILL')
  } catch (error) {
    // ESRCH: it has ended. EPERM: the number belongs to a process of another user by now.
    if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))) throw error
  }
}
