import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { Conceal } from '../secrets.ts'
import type { User } from '../settings.ts'
import { plainText } from '../text.ts'
import { type Containment, containedCommand, startFailure } from './containment.ts'
import { endRun, untilEnded } from './end-run.ts'
import { MARK, newMark } from './mark.ts'
import { createMembers, type Members } from './members.ts'
import { kill, memoryOf, type Process, readProcess, sharedScan } from './proc.ts'

/** How a run of a collector failed. The same codes are in the namespace `collectors` of the service. */
export type ErrorCode = 'START' | 'TIME_LIMIT' | 'MEMORY_LIMIT' | 'OUTPUT_LIMIT' | 'CRASHED' | 'MALFORMED' | 'FOREIGN' | 'REFUSED'

export interface CollectorError {
  readonly code: ErrorCode
  /** One sentence for people. */
  readonly text: string
}

export interface Run {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Written to the standard input of the process. */
  readonly input: string
  readonly timeoutMs: number
  readonly memoryBytes: number
  readonly user: User | undefined
  readonly containment: Containment
  /** Applied to what the process printed before it is part of an error. */
  readonly conceal: Conceal
  /** Ends the process. */
  readonly signal: AbortSignal
  /** How long the processes of the run may take to end after they were killed. */
  readonly graceMs?: number
}

/** How a run failed. `remains` is set if a process of the run could not be ended, and resolves when none is left. */
export interface Failed {
  readonly error: CollectorError
  readonly remains?: Promise<void>
}

/** What a process printed on its standard output, or how it failed. */
export type Ran = { readonly output: Buffer } | Failed

/** At most this many bytes are read from each of the two outputs. A process that prints more is ended. */
export const MAX_OUTPUT_BYTES = 1_048_576
/** An error message quotes at most this many characters of the standard error. */
const MAX_QUOTED = 300
/** How long outputs stay open after the process has ended, for descendants that hold them open. */
const OUTPUT_CLOSES_MS = 1_000
/** A process that is killed ends at once, unless the kernel waits for a device, or it belongs to a user whom the agent may not touch. */
const GRACE_MS = 5_000
/** The shortest time between two measurements of the memory. A slow measurement is followed by a longer time. */
const MEMORY_EVERY_MS = 100

/**
 * Runs a process in a session of its own, and if possible in a PID namespace of its own, and bounds its time, its memory and its output.
 * When it has ended, or has exceeded a limit, all of its descendants are ended too. If one of them cannot be ended, the run fails, and is
 * not waited for any longer. Never rejects.
 */
export function runProcess(run: Run): Promise<Ran> {
  const { user, containment } = run
  const isContained = containment.kind === 'namespace'
  const { file, args, env } = isContained ? containedCommand(containment, run, user) : run
  const mark = newMark()
  let child: ChildProcess
  try {
    child = spawn(file, args, {
      cwd: '/',
      env: { ...env, [MARK]: mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      // the process leads a session and a process group of its own, so that it can be ended with its descendants
      detached: true,
      ...(!isContained && user && { uid: user.uid, gid: user.gid }),
    })
  } catch (error) {
    return Promise.resolve({ error: cannotStart(file, error) })
  }
  // The process need not read its input. If it ends before the input was written, the stream fails, but the run does not.
  child.stdin?.on('error', () => undefined)
  const { pid } = child
  if (pid === undefined) return new Promise((resolve) => child.once('error', (error) => resolve({ error: cannotStart(file, error) })))
  const members = createMembers({ pid, startTicks: readProcess(pid)?.startTicks, mark, isContained })
  return new Promise((resolve) => followChild(child, run, members, resolve))
}

/** Bounds a process that was started, and calls `settle` once with its result. */
function followChild(child: ChildProcess, run: Run, members: Members, settle: (ran: Ran) => void): void {
  const { file, input, timeoutMs, memoryBytes, signal, conceal, graceMs = GRACE_MS } = run
  const isContained = run.containment.kind === 'namespace'
  let failure: CollectorError | undefined
  let isEnding = false
  const fail = (code: ErrorCode, text: string): void => {
    failure ??= { code, text }
    // the process itself is ended at once; its descendants are searched for
    kill(-members.root)
    end()
  }
  const out = collect(child.stdout, () => fail('OUTPUT_LIMIT', `it printed more than ${MAX_OUTPUT_BYTES} bytes`))
  const err = collect(child.stderr, () => fail('OUTPUT_LIMIT', `it printed more than ${MAX_OUTPUT_BYTES} bytes on its standard error`))
  const timer = setTimeout(() => fail('TIME_LIMIT', `it did not end within ${timeoutMs / 1_000} s`), timeoutMs)
  const stopWatching = watchMemory({ members, isContained }, memoryBytes, () =>
    fail('MEMORY_LIMIT', `it used more than ${mib(memoryBytes)} MiB of memory`),
  )
  const abort = (): void => fail('CRASHED', 'the agent stopped')
  const closed = new Promise<void>((resolve) => {
    child.once('exit', () => {
      end()
      // a descendant can hold the outputs open; nothing is read from it
      const closing = setTimeout(() => closeStreams(child), OUTPUT_CLOSES_MS)
      child.once('close', (code, endedBy) => {
        clearTimeout(closing)
        const why = isContained ? startFailure(code, err().toString('utf8'), file) : undefined
        if (why !== undefined) failure ??= { code: 'START', text: `${file} cannot be started: ${plainText(conceal(why))}` }
        // without the time that it took: it differs in each run, and each new text is an entry of the log
        if (code !== 0) failure ??= { code: 'CRASHED', text: `${endText(code, endedBy)}${quoted(err(), conceal)}` }
        resolve()
      })
    })
  })
  /** Ends all processes of the run, and then settles it. */
  const end = (): void => {
    if (isEnding) return
    isEnding = true
    clearTimeout(timer)
    stopWatching()
    signal.removeEventListener('abort', abort)
    endRun(members, graceMs).then(finish, (error: unknown) =>
      give({ code: 'CRASHED', text: `its processes could not be read: ${error instanceof Error ? error.message : String(error)}` }),
    )
  }
  const finish = async (left: readonly number[]): Promise<void> => {
    if (left.length === 0 || child.exitCode !== null || child.signalCode !== null) await closed
    if (left.length === 0) settle(failure === undefined ? { output: out() } : { error: failure })
    else give({ code: failure?.code ?? 'TIME_LIMIT', text: `${failure?.text ?? 'it ended'}; ${remaining(left)}` })
  }
  /** Fails the run although a process of it may still be there. */
  const give = (error: CollectorError): void => {
    closeStreams(child)
    child.unref()
    settle({ error, remains: untilEnded(members) })
  }
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  child.stdin?.end(input)
  preferForOom(members.root)
}

/** How a process ended. A shell ends with 128 and the number of the signal by which its program was ended. */
function endText(code: number | null, endedBy: NodeJS.Signals | null): string {
  if (endedBy !== null) return `it was ended by ${endedBy}`
  const [name] = Object.entries(constants.signals).find(([, number]) => number + 128 === code) ?? []
  return `it ended with code ${code}${name === undefined ? '' : ` (${name})`}`
}

function closeStreams({ stdin, stdout, stderr }: ChildProcess): void {
  for (const stream of [stdin, stdout, stderr]) stream?.destroy()
}

/** At most this many numbers of processes are named. */
const MAX_NAMED = 5

function remaining(pids: readonly number[]): string {
  const more = pids.length > MAX_NAMED ? ` and ${pids.length - MAX_NAMED} more` : ''
  return `its ${pids.length === 1 ? 'process' : 'processes'} ${pids.slice(0, MAX_NAMED).join(', ')}${more} ${pids.length === 1 ? 'does' : 'do'} not end`
}

const mib = (bytes: number): number => Math.ceil(bytes / 2 ** 20)

const cannotStart = (file: string, error: unknown): CollectorError => ({
  code: 'START',
  text: `${file} cannot be started: ${error instanceof Error && 'code' in error ? String(error.code) : String(error)}`,
})

/** Stores what a stream prints, up to the limit. Returns a function that returns the stored bytes. */
function collect(stream: NodeJS.ReadableStream | null, exceeded: () => void): () => Buffer {
  const chunks: Buffer[] = []
  let bytes = 0
  stream?.on('data', (chunk: Buffer) => {
    if (bytes > MAX_OUTPUT_BYTES) return
    bytes += chunk.length
    if (bytes > MAX_OUTPUT_BYTES) {
      chunks.length = 0
      exceeded()
    } else chunks.push(chunk)
  })
  return () => Buffer.concat(chunks)
}

/**
 * The end of a process's standard error, as part of a sentence: its last lines usually name the cause. Secrets are concealed before the text
 * is cut, because half a secret would not be recognised.
 */
function quoted(err: Buffer, conceal: Conceal): string {
  const text = plainText(conceal(err.toString('utf8')))
  if (text === '') return ''
  return `: ${text.length > MAX_QUOTED ? `...${text.slice(-MAX_QUOTED).replace(/^[\udc00-\udfff]/, '')}` : text}`
}

/** Calls `exceeded` once if the memory of the processes of a run exceeds the limit. Returns a function that ends the measurements. */
function watchMemory(run: { readonly members: Members; readonly isContained: boolean }, limit: number, exceeded: () => void): () => void {
  const { members, isContained } = run
  // `unshare` and the shell, its only child, belong to the agent and not to the collector
  const isCounted = ({ pid, parent }: Process): boolean => !isContained || (pid !== members.root && parent !== members.root)
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const measureLater = (busyMs: number): void => {
    // on a machine with very many processes, measurements take at most a twentieth of the time
    if (!isStopped) timer = setTimeout(() => void measure(), Math.max(MEMORY_EVERY_MS, busyMs * 20))
  }
  const measure = async (): Promise<void> => {
    let busyMs = 0
    try {
      const scan = await sharedScan()
      const memory = await memoryOf((await members.among(scan)).members.filter(isCounted))
      if (memory.bytes > limit && !isStopped) return exceeded()
      busyMs = scan.busyMs + memory.busyMs
    } catch {
      // for example because the agent has too many open files: the time limit still bounds the run
    }
    measureLater(busyMs)
  }
  measureLater(0)
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

/** Lets the kernel end this process first if the machine runs out of memory before its limit is noticed. */
function preferForOom(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch (error) {
    // The process has ended already, or runs as another user. Its limit applies nevertheless.
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}
