import { type Question, shorten } from '@gantt/scheduler-core'

/** Calls parts outside of this process: in a thread with a plug-in, or at an extender over HTTP. */
export interface Asker {
  /** The name for messages: `plug-in power 1.0.0`. */
  readonly title: string
  /**
   * The part's answers as they arrived, unchecked. `timeoutMs`: how long the caller waits; there may be a shorter limit. Rejects with a
   * message that names the cause if there is no answer in time, if too many calls wait, or if the thread does not run.
   */
  ask(question: Asked, timeoutMs: number): Promise<unknown>
  /** Counts an invalid answer. */
  noteBad(part: string, message: string): void
  readonly health: AskerHealth
  close(): Promise<void>
}

export const pluginStates = ['READY', 'STARTING', 'RESTING', 'CLOSED'] as const
export type PluginState = (typeof pluginStates)[number]

/** The state of a thread or extender, and its failures since this process started. */
export interface AskerHealth {
  /** STARTING: it is being loaded again. RESTING: it failed so often that it is only loaded again after a pause. */
  readonly state: PluginState
  /** The number of calls without a valid answer, and of threads that ended by themselves. */
  readonly count: number
  readonly last: { readonly part: string; readonly message: string; readonly at: number } | undefined
  /** The number of restarts of the thread; 0 for an extender. */
  readonly restarts: number
}

/** The input of a part about hosts, in the form for HTTP and for threads. */
export const WIRE_FORMAT = 'gantt.outside/1'

export const toWire = ({ part, kind, parameters, multiplier, request, documents }: Question) => ({
  ...{ format: WIRE_FORMAT, part, kind, parameters },
  ...(kind === 'weigher' && { multiplier }),
  request,
  hosts: documents,
})

export type WireQuestion = ReturnType<typeof toWire>

/** The input of a namespace's check about documents that were reported under it. Only threads check documents. */
export interface WireDocuments {
  readonly part: string
  readonly kind: 'namespace'
  readonly documents: readonly unknown[]
}

export type Asked = WireQuestion | WireDocuments

/** The most characters of a failure's text in messages. */
export const MOST_CHARACTERS = 200

/** The interval between two log lines about one thread or extender, because a failure affects every request. */
const REPORT_EVERY_MS = 60_000

/** Counts failures, stores the last one, and warns operators at most once per interval. */
export function createFailures(title: string, warn: (message: string) => void, now: () => number) {
  let count = 0
  let last: AskerHealth['last']
  let warnedAt = Number.NEGATIVE_INFINITY
  return {
    get count() {
      return count
    },
    get last() {
      return last
    },
    note(part: string, message: string): void {
      count++
      const at = now()
      last = { part, message: shorten(message, MOST_CHARACTERS), at }
      if (at - warnedAt < REPORT_EVERY_MS) return
      warnedAt = at
      warn(`${part} of ${title} failed (${count} times since the start): ${last.message}`)
    },
  }
}
