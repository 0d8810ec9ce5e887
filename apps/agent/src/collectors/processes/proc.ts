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
  /** True for a thread of the kernel, which has no environment. */
  readonly isOfKernel: boolean
}

/** The processes of the machine. */
export interface Scan {
  readonly processes: readonly Process[]
  /**
   * False if processes ended before they could be read. The processes that they started meanwhile may be missing too. If true, each process
   * that was there at the end of the scan is in the list, except those that processes in the list have started since they were read, those
   * that are hidden from this user, and one that got the number of a process which ended during the scan.
   */
  readonly isComplete: boolean
  /** How long reading them kept the event loop busy, in milliseconds. */
  readonly busyMs: number
}

const HAS_ENDED: readonly unknown[] = ['ENOENT', 'ESRCH']
const IS_FORBIDDEN: readonly unknown[] = ['EACCES', 'EPERM']

/** True if the process has ended, or belongs to another user. */
const isUnreadable = (error: unknown): error is Error & { readonly code: unknown } =>
  error instanceof Error && 'code' in error && (HAS_ENDED.includes(error.code) || IS_FORBIDDEN.includes(error.code))

/** Reads a small file below /proc whose reading never waits for the process. Undefined if it cannot be read. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(`/proc/${file}`, 'latin1')
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

/** The flag PF_KTHREAD of Linux (include/linux/sched.h). */
const KERNEL_THREAD = 0x00_20_00_00

/** Undefined if the process has ended, or is hidden from this user (the option hidepid of /proc). */
export function readProcess(pid: number): Process | undefined {
  const read = readEntry(pid)
  return read === 'hidden' ? undefined : read
}

/** Undefined if the process has ended. */
function readEntry(pid: number): Process | 'hidden' | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return IS_FORBIDDEN.includes(error.code) ? 'hidden' : undefined
  }
  // the name of the program is in brackets, and may itself contain brackets and spaces
  const [open, close] = [text.indexOf('('), text.lastIndexOf(')')]
  const [state = '', parent, group, session, ...rest] = text.slice(close + 2).split(' ')
  const [flags, startTicks] = [rest[2], rest[15]]
  if (parent === undefined || group === undefined || session === undefined || startTicks === undefined) return undefined
  return {
    ...{ pid, name: text.slice(open + 1, close), state, startTicks: Number(startTicks) },
    ...{ parent: Number(parent), group: Number(group), session: Number(session), isOfKernel: (Number(flags) & KERNEL_THREAD) !== 0 },
  }
}

/** True if a process has ended, even if its parent has not collected its exit code yet. */
export const hasEnded = ({ state }: Process): boolean => state === 'Z' || state === 'X'

async function listPids(): Promise<readonly number[]> {
  const names = await readdir('/proc')
  return names.flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
}

/** How often the list of a scan is read at most. */
const MAX_LISTS = 5

/** All processes of the machine. */
export const allProcesses = (): Promise<Scan> => scanOf(listPids, readEntry)

/**
 * Lists the processes and reads them. A process that ends in between can have started another one, which is not in the list. So the list is
 * read again, and what is new in it, until all that was new was still running when it was read.
 */
export async function scanOf(list: () => Promise<readonly number[]>, read: (pid: number) => Process | 'hidden' | undefined): Promise<Scan> {
  const processes = new Map<number, Process>()
  /** The numbers that no longer need to be read. */
  const seen = new Set<number>()
  let busyMs = 0
  for (let lists = 0; lists < MAX_LISTS; lists++) {
    const unread = (await list()).filter((pid) => !seen.has(pid))
    let running = 0
    const { busyMs: took } = await inSlices(unread, (pid) => {
      const one = read(pid)
      if (one === undefined) return undefined
      seen.add(pid)
      if (one !== 'hidden') processes.set(pid, one)
      if (one === 'hidden' || !hasEnded(one)) running++
      return undefined
    })
    busyMs += took
    if (running === unread.length) return { processes: [...processes.values()], isComplete: true, busyMs }
  }
  return { processes: [...processes.values()], isComplete: false, busyMs }
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

/** The values of a variable in the environments of processes. */
export interface Values {
  /** Undefined if the environment does not have the variable. */
  readonly of: ReadonlyMap<Process, string | undefined>
  /** False if the environment of a process that may have one could not be read now. */
  readonly isComplete: boolean
}

/**
 * The value of a variable in the environments of processes, as they were when their programs were started. Processes that the agent may not
 * read are left out. So are those that have just ended, those that start a program at this moment, and those in the state D, because
 * reading them could wait as long as they do: of these it is not known, and `isComplete` is false.
 */
export async function valuesIn(processes: readonly Process[], variable: string): Promise<Values> {
  const values = new Map<Process, string | undefined>()
  const candidates = processes.filter((one) => !one.isOfKernel && !hasEnded(one) && one.pid !== process.pid)
  const waiting = candidates.filter(({ state }) => state !== 'D')
  let isComplete = waiting.length === candidates.length
  const readNext = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const environment = await environmentOf(next.pid)
      if (environment === 'unknown') isComplete = false
      else if (environment !== 'forbidden')
        values.set(next, environment.find((one) => one.startsWith(`${variable}=`))?.slice(variable.length + 1))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readNext))
  return { of: values, isComplete }
}

/** The variables of a process. `unknown` if it has ended or starts a program at this moment, `forbidden` if the agent may not read them. */
async function environmentOf(pid: number): Promise<readonly string[] | 'unknown' | 'forbidden'> {
  try {
    const read = (name: string): Promise<string> => readFile(`/proc/${pid}/${name}`, 'latin1')
    let environment = await read('environ')
    if (environment === '') {
      // while a program is being started, its environment and its arguments are both empty
      if ((await read('cmdline')) === '') return 'unknown'
      environment = await read('environ')
    }
    return environment.split('\0')
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return HAS_ENDED.includes(error.code) ? 'unknown' : 'forbidden'
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
