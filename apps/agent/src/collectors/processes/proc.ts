import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { inSlices } from './slices.ts'

/** A process as /proc shows it (proc(5), /proc/PID/stat). */
export interface Process {
  readonly pid: number
  /** The name of its program, at most 15 characters. */
  readonly name: string
  readonly parent: number
  readonly group: number
  readonly session: number
  /** One letter: R, S, D (it cannot be interrupted), Z (it has ended, and its parent has not asked how), ... */
  readonly state: string
  /** When it was started, in ticks since the machine was started. Number and start together name one process. */
  readonly startTicks: number
}

/** The processes of the machine, and how long reading them kept the event loop busy, in milliseconds. */
export interface Scan {
  readonly processes: readonly Process[]
  readonly busyMs: number
}

/** The process has ended (ENOENT, ESRCH), or belongs to another user (EACCES, EPERM). */
const UNREADABLE: readonly unknown[] = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM']

const isUnreadable = (error: unknown): boolean => error instanceof Error && 'code' in error && UNREADABLE.includes(error.code)

/** Reads a small file below /proc whose reading never waits for the process. Undefined if the process cannot be read. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(`/proc/${file}`, 'latin1')
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

/** Undefined if the process has ended. */
export function readProcess(pid: number): Process | undefined {
  const text = textOf(`${pid}/stat`)
  if (text === undefined) return undefined
  // the name of the program is in brackets, and may itself contain brackets and spaces
  const [open, close] = [text.indexOf('('), text.lastIndexOf(')')]
  const [state = '', parent, group, session, ...rest] = text.slice(close + 2).split(' ')
  const startTicks = rest[15]
  if (parent === undefined || group === undefined || session === undefined || startTicks === undefined) return undefined
  return {
    ...{ pid, name: text.slice(open + 1, close), state, startTicks: Number(startTicks) },
    ...{ parent: Number(parent), group: Number(group), session: Number(session) },
  }
}

/** True if a process has ended, even if its parent has not collected its exit code yet. */
export const hasEnded = ({ state }: Process): boolean => state === 'Z' || state === 'X'

/** All processes of the machine. Processes that end meanwhile may be missing. */
export async function allProcesses(): Promise<Scan> {
  const names = await readdir('/proc')
  const pids = names.flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  const { results, busyMs } = await inSlices(pids, readProcess)
  return { processes: results, busyMs }
}

let underway: Promise<Scan> | undefined

/** Like `allProcesses`, but callers at the same time share one scan. It may have begun before the call. */
export function sharedScan(): Promise<Scan> {
  underway ??= allProcesses().finally(() => {
    underway = undefined
  })
  return underway
}

let following: Promise<Scan> | undefined

/** A scan that begins after the call. Callers that wait for the end of an earlier scan share the next one. */
export function nextScan(): Promise<Scan> {
  const earlier = underway?.then(
    () => undefined,
    () => undefined,
  )
  following ??= Promise.resolve(earlier).then(() => {
    following = undefined
    return sharedScan()
  })
  return following
}

/** The resident memory of a process in bytes. Undefined if it has ended. */
function residentBytes({ pid }: Process): number | undefined {
  const text = textOf(`${pid}/status`)
  return text === undefined ? undefined : Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1_024
}

/** The resident memory of processes in bytes. Memory that they share counts for each of them. */
export async function memoryOf(processes: readonly Process[]): Promise<{ readonly bytes: number; readonly busyMs: number }> {
  const { results, busyMs } = await inSlices(processes, residentBytes)
  return { bytes: results.reduce((sum, bytes) => sum + bytes, 0), busyMs }
}

/** How many environments are read at the same time. */
const AT_ONCE = 8

/**
 * The value of a variable in the environments of processes, as they were when their programs were started; undefined if the environment
 * does not have it. Processes that the agent may not read are left out. So are those that start a program at this moment, and those in the
 * state D: reading them could wait as long as they do.
 */
export async function valuesIn(processes: readonly Process[], variable: string): Promise<ReadonlyMap<Process, string | undefined>> {
  const values = new Map<Process, string | undefined>()
  const waiting = processes.filter((one) => one.state !== 'D' && !hasEnded(one) && one.pid !== process.pid)
  const readNext = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const environment = (await environmentOf(next.pid)) ?? ''
      // empty while a program is being started
      if (environment === '') continue
      values.set(
        next,
        environment
          .split('\0')
          .find((one) => one.startsWith(`${variable}=`))
          ?.slice(variable.length + 1),
      )
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readNext))
  return values
}

async function environmentOf(pid: number): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${pid}/environ`, 'latin1')
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

/** Ends a process, or with a negative number a process group. Does nothing if it has ended, or if the agent may not end it. */
export function kill(target: number): void {
  try {
    process.kill(target, 'SIGKILL')
  } catch (error) {
    if (!isUnreadable(error)) throw error
  }
}
