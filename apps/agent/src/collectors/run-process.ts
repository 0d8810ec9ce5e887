import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { killGroup, killMarked, memoryOfTree } from './processes.ts'
import type { User } from './settings.ts'

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
  /** Ends the process. */
  readonly signal: AbortSignal
}

/** What a process printed on its standard output, or how it failed. */
export type Ran = { readonly output: Buffer } | { readonly error: CollectorError }

/** At most this many bytes are read from each of the two outputs. A process that prints more is ended. */
export const MAX_OUTPUT_BYTES = 1_048_576
/** An error message quotes at most this many characters of the standard error. */
const MAX_QUOTED = 300
/** How long outputs stay open after the process has ended, for descendants that hold them open. */
const OUTPUT_CLOSES_MS = 1_000
/** The shortest time between two measurements of the memory. A slow measurement is followed by a longer time. */
const MEMORY_EVERY_MS = 100
/** The environment variable by which descendants of a run are found. */
const MARK = 'GANTT_COLLECTOR_RUN'

/**
 * Runs a process in a session of its own, without a shell, and bounds its time, its memory and its output. When it has ended, or has
 * exceeded a limit, all of its descendants are ended too. Never rejects.
 */
export function runProcess(run: Run): Promise<Ran> {
  const { file, args, env, user } = run
  const mark = `${MARK}=${randomUUID()}`
  let child: ChildProcess
  try {
    child = spawn(file, args, {
      cwd: '/',
      env: { ...env, [MARK]: mark.slice(MARK.length + 1) },
      stdio: ['pipe', 'pipe', 'pipe'],
      // the process leads a session and a process group of its own, so that it can be ended with its descendants
      detached: true,
      ...(user && { uid: user.uid, gid: user.gid }),
    })
  } catch (error) {
    return Promise.resolve({ error: cannotStart(file, error) })
  }
  return new Promise((resolve) => followChild(child, run, mark, resolve))
}

/** Bounds a process that was started, and calls `settle` once with its result. `mark` is the entry of its environment that marks it. */
function followChild(
  child: ChildProcess,
  { file, input, timeoutMs, memoryBytes, signal }: Run,
  mark: string,
  settle: (ran: Ran) => void,
): void {
  const { pid } = child
  const started = performance.now()
  let failure: CollectorError | undefined
  const end = (): void => {
    if (pid === undefined) return
    killGroup(pid)
    killMarked(mark)
  }
  const fail = (code: ErrorCode, text: string): void => {
    failure ??= { code, text }
    end()
  }
  const out = collect(child.stdout, () => fail('OUTPUT_LIMIT', `it printed more than ${MAX_OUTPUT_BYTES} bytes`))
  const err = collect(child.stderr, () => fail('OUTPUT_LIMIT', `it printed more than ${MAX_OUTPUT_BYTES} bytes on its standard error`))
  const timer = setTimeout(() => fail('TIME_LIMIT', `it did not end within ${timeoutMs / 1_000} s`), timeoutMs)
  const exceeded = (bytes: number) => fail('MEMORY_LIMIT', `it used ${mib(bytes)} MiB of memory, and may use ${mib(memoryBytes)}`)
  const stopWatching = pid === undefined ? () => undefined : watchMemory(pid, memoryBytes, exceeded)
  const abort = (): void => fail('CRASHED', 'the agent stopped')
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()

  let closing: NodeJS.Timeout | undefined
  const finish = (ran: Ran): void => {
    clearTimeout(timer)
    clearTimeout(closing)
    stopWatching()
    signal.removeEventListener('abort', abort)
    settle(ran)
  }
  child.on('error', (error) => finish({ error: cannotStart(file, error) }))
  child.on('exit', () => {
    clearTimeout(timer)
    stopWatching()
    end()
    // a descendant that was not found can hold the outputs open; nothing is read from it
    closing = setTimeout(() => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    }, OUTPUT_CLOSES_MS)
  })
  child.on('close', (code, endedBy) => {
    const how = endedBy === null ? `it ended with code ${code}` : `it was ended by ${endedBy}`
    if (code !== 0) failure ??= { code: 'CRASHED', text: `${how} after ${Math.round(performance.now() - started)} ms${quoted(err())}` }
    finish(failure === undefined ? { output: out() } : { error: failure })
  })
  // The process need not read its input. If it ends before the input was written, the stream fails, which is no error of the run.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(input)
  if (pid !== undefined) preferForOom(pid)
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

/** The end of a process's standard error, as part of a sentence: its last lines usually name the cause. */
function quoted(err: Buffer): string {
  const text = err.toString('utf8').replace(/\s+/g, ' ').trim()
  if (text === '') return ''
  return `: ${text.length > MAX_QUOTED ? `...${text.slice(-MAX_QUOTED)}` : text}`
}

/** Calls `exceeded` once if the memory of a process and its descendants exceeds the limit. Returns a function that ends the measurements. */
function watchMemory(pid: number, limit: number, exceeded: (bytes: number) => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const measure = (): void => {
    const before = performance.now()
    const bytes = memoryOfTree(pid)
    if (bytes > limit) {
      exceeded(bytes)
      return
    }
    // on a machine with very many processes, measurements take at most a twentieth of the time
    timer = setTimeout(measure, Math.max(MEMORY_EVERY_MS, (performance.now() - before) * 20))
  }
  timer = setTimeout(measure, MEMORY_EVERY_MS)
  return () => clearTimeout(timer)
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
