import { Worker } from 'node:worker_threads'
import { partKinds } from '@gantt/scheduler-core'
import { realTimers, type Timers } from '../../timers.ts'
import { type Asked, type Asker, type AskerHealth, createFailures, MAX_CHARACTERS } from './asker.ts'
import { type FromThread, type ThreadKinds, type ToThread, work } from './thread-work.ts'

export interface ThreadOptions {
  /** The URL of the plug-in's entry module. */
  readonly url: string
  /** The name for messages. */
  readonly title: string
  /** The timeout of one answer in milliseconds, including the wait for earlier answers. */
  readonly timeoutMs: number
  /** The timeout of loading, milliseconds. */
  readonly loadMs?: number
  /** The limit of the thread's JavaScript memory in MiB. */
  readonly memoryMib?: number
  warn(message: string): void
  /** Milliseconds since 1970. */
  now(): number
  readonly timers?: Timers
}

export interface ThreadAsker extends Asker {
  /** The description of the plug-in as JSON. Rejects if the plug-in cannot be loaded. */
  readonly loaded: Promise<string>
}

/** How long loading may take. This is longer than the timeout of an answer, because modules are read from a disk and compiled. */
const LOAD_MS = 5_000
const MEMORY_MIB = 128
/** At most this many calls wait, in addition to the running one. */
const MAX_WAITING_CALLS = 16
/** An answer has at most this many characters, which is enough for a hundred thousand hosts. */
const MAX_ANSWER_CHARACTERS = 8_388_608
/**
 * The pause in milliseconds before a thread is restarted after its second failure in a row. The pause doubles with each further failure, up
 * to the maximum.
 */
const REST_MS = 100
const MAX_REST_MS = 10_000

interface Waiting {
  readonly part: string
  readonly question: Asked
  settle(answer: unknown): void
  fail(error: Error): void
}

/**
 * Runs a plug-in in a separate thread, which processes one call at a time. A thread that does not answer in time, ends, or exceeds its
 * memory limit is restarted: at once after a first failure, and after a growing pause if it fails repeatedly. This isolates failures, not
 * attacks: a thread can read files and open connections like the process.
 */
export function openThread({
  url,
  title,
  timeoutMs,
  loadMs = LOAD_MS,
  memoryMib = MEMORY_MIB,
  warn,
  now,
  timers = realTimers,
}: ThreadOptions): ThreadAsker {
  const failures = createFailures(title, warn, now)
  const waiting: Waiting[] = []
  let state: AskerHealth['state'] = 'STARTING'
  let thread: Worker | undefined
  let current: { readonly own: Waiting; readonly id: number } | undefined
  let asked = 0
  let restarts = 0
  /** How many times in a row the thread has failed. */
  let inARow = 0
  let description: string | undefined
  let stopTimer = (): void => undefined
  let resolveLoaded: (description: string) => void = () => undefined
  let rejectLoaded: (error: Error) => void = () => undefined
  const loaded = new Promise<string>((resolve, reject) => {
    resolveLoaded = resolve
    rejectLoaded = reject
  })
  // Prevents an unhandled rejection if `loaded` rejects before a caller awaits it.
  loaded.catch(() => undefined)

  const next = (): void => {
    if (state !== 'READY' || thread === undefined || current !== undefined) return
    const own = waiting.shift()
    if (own === undefined) return
    const id = ++asked
    current = { own, id }
    stopTimer = timers.after(timeoutMs, () => end(own.part, new Error(`it did not answer in ${timeoutMs} ms`)))
    thread.postMessage({ id, question: own.question } satisfies ToThread)
  }

  /**
   * Ends a thread that failed. The call in progress is rejected with `error`. Waiting calls may still be answered in time after the
   * restart.
   */
  const end = (part: string, error: Error): void => {
    const dead = thread
    const asking = current
    thread = undefined
    current = undefined
    stopTimer()
    asking?.own.fail(error)
    void dead?.terminate()
    if (state === 'CLOSED') return
    failures.note(part, error.message)
    if (description === undefined) {
      state = 'CLOSED'
      rejectLoaded(error)
      return
    }
    inARow++
    if (inARow === 1) {
      open()
      return
    }
    state = 'RESTING'
    for (const own of waiting.splice(0)) own.fail(resting())
    stopTimer = timers.after(Math.min(MAX_REST_MS, REST_MS * 2 ** (inARow - 2)), open)
  }

  /**
   * Rejects the call of a caller whose time limit has passed. The thread may still work on the call; it is ended only at its own time
   * limit.
   */
  const overdue = (own: Waiting, limitMs: number): void => {
    const index = waiting.indexOf(own)
    if (index < 0) {
      own.fail(new Error(`it did not answer in ${limitMs} ms`))
      return
    }
    waiting.splice(index, 1)
    const error = new Error(state === 'STARTING' ? 'it was being started again' : `earlier calls used up its time limit of ${limitMs} ms`)
    failures.note(own.part, error.message)
    own.fail(error)
  }

  const resting = (): Error =>
    new Error(`it failed ${inARow} times in a row and is paused; the last failure: ${failures.last?.message ?? ''}`)

  const open = (): void => {
    state = 'STARTING'
    if (description !== undefined) restarts++
    const opened = startThread(url, memoryMib)
    thread = opened
    // lets the process end even while a plug-in is busy
    opened.unref()
    opened.on('message', (message: unknown) => {
      if (thread === opened && isMessage(message)) hear(message)
    })
    opened.on('error', (error) => {
      if (thread === opened) end(partNow(), new Error(wordsOf(error)))
    })
    opened.on('exit', (code) => {
      if (thread === opened) end(partNow(), new Error(`its thread ended by itself with code ${code}`))
    })
    stopTimer = timers.after(loadMs, () => end('loading', new Error(`it was not loaded in ${loadMs} ms`)))
  }

  const partNow = (): string => current?.own.part ?? (state === 'STARTING' ? 'loading' : 'its thread')

  const hear = (message: FromThread): void => {
    if (state === 'STARTING') {
      onLoadedMessage(message)
      return
    }
    if (current === undefined || !('id' in message) || message.id !== current.id) return
    const { own } = current
    stopTimer()
    current = undefined
    inARow = 0
    if (message.type === 'error') {
      failures.note(own.part, message.message)
      own.fail(new Error(message.message))
    } else own.settle(parse(message.text))
    next()
  }

  const onLoadedMessage = (message: FromThread): void => {
    const wrong = wrongIn(message)
    if (wrong !== undefined || message.type !== 'loaded') {
      end('loading', new Error(wrong))
      return
    }
    stopTimer()
    description = message.plugin
    state = 'READY'
    resolveLoaded(message.plugin)
    next()
  }

  /** The problem in the first message of a thread; undefined if there is none. */
  const wrongIn = (message: FromThread): string | undefined => {
    if (message.type === 'failed') return String(message.message).slice(0, MAX_CHARACTERS)
    if (message.type !== 'loaded' || typeof message.plugin !== 'string') return 'it answered before it was asked'
    return description !== undefined && message.plugin !== description
      ? 'its description differs from the one when it was loaded first'
      : undefined
  }

  open()
  return {
    title,
    loaded,
    ask(question: Asked, waitMs: number) {
      if (state === 'CLOSED') return Promise.reject(new Error('it is closed'))
      if (state === 'RESTING') return Promise.reject(resting())
      if (waiting.length >= MAX_WAITING_CALLS) {
        const error = new Error(`${MAX_WAITING_CALLS} calls already wait for it`)
        failures.note(question.part, error.message)
        return Promise.reject(error)
      }
      return new Promise((settle, fail) => {
        const limitMs = Math.min(timeoutMs, waitMs)
        const own: Waiting = {
          part: question.part,
          question,
          settle(answer) {
            stop()
            settle(answer)
          },
          fail(error) {
            stop()
            fail(error)
          },
        }
        const stop = timers.after(limitMs, () => overdue(own, limitMs))
        waiting.push(own)
        next()
      })
    },
    noteBad: failures.note,
    get health() {
      return { state, count: failures.count, last: failures.last, restarts }
    },
    async close() {
      state = 'CLOSED'
      stopTimer()
      const opened = thread
      thread = undefined
      const asking = current
      current = undefined
      for (const own of [...(asking === undefined ? [] : [asking.own]), ...waiting.splice(0)]) own.fail(new Error('it is closing'))
      await opened?.terminate()
    },
  }
}

const KINDS = JSON.stringify(partKinds satisfies ThreadKinds, (key, value) => (key === 'shape' ? undefined : value))

/** A thread without the environment variables of this process, and without output. */
function startThread(url: string, memoryMib: number): Worker {
  const source = `(${work.toString()})(require('node:worker_threads').parentPort, () => import(${JSON.stringify(url)}), ${MAX_CHARACTERS}, ${KINDS})`
  const thread = new Worker(source, {
    eval: true,
    env: {},
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryMib, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  })
  // read and dropped, because unread data would stay in memory
  thread.stdout.resume()
  thread.stderr.resume()
  return thread
}

const isMessage = (message: unknown): message is FromThread => message !== null && typeof message === 'object' && 'type' in message

function parse(text: unknown): unknown {
  if (typeof text !== 'string' || text.length > MAX_ANSWER_CHARACTERS) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const wordsOf = (error: unknown): string => {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it took more memory than a plug-in may' : String(message ?? error).slice(0, MAX_CHARACTERS)
}
