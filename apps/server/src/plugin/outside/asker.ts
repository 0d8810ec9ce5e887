import { type Question, shorten } from '@gantt/scheduler-core'

/** Calls the parts of a plug-in outside of this process: in a thread with the plug-in, or at an extender over HTTP. */
export interface Asker {
  /** The name of the plug-in in messages: `plug-in power 1.0.0`. */
  readonly title: string
  /**
   * Calls a part and returns its answers as they arrived, unchecked. `timeoutMs`: how long the caller waits; the plug-in can have a shorter
   * limit. Rejects with a message that names the cause if no answer arrives in time, if too many calls wait, or if the thread does not run.
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
  /** STARTING: the thread is being loaded. RESTING: the thread failed several times in a row, and is loaded again after a pause. */
  readonly state: PluginState
  /** How many calls had no valid answer, and how many threads ended by themselves. */
  readonly count: number
  readonly last: { readonly part: string; readonly message: string; readonly at: number } | undefined
  /** How many times the thread was restarted; 0 for an extender. */
  readonly restarts: number
}

/** The format of calls about hosts to threads and extenders, and its version. */
export const WIRE_FORMAT = 'gantt.outside/1'

export const toWire = ({ part, kind, parameters, multiplier, request, documents }: Question) => ({
  ...{ format: WIRE_FORMAT, part, kind, parameters },
  ...(kind === 'weigher' && { multiplier }),
  request,
  hosts: documents,
})

export type WireQuestion = ReturnType<typeof toWire>

/** A call that checks documents which were reported under a namespace. Only threads check documents. */
export interface WireDocuments {
  readonly part: string
  readonly kind: 'namespace'
  readonly documents: readonly unknown[]
}

export type Asked = WireQuestion | WireDocuments

/** A message contains at most this many characters of a failure's text. */
export const MAX_CHARACTERS = 200

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
      last = { part, message: shorten(message, MAX_CHARACTERS), at }
      if (at - warnedAt < REPORT_EVERY_MS) return
      warnedAt = at
      warn(`${part} of ${title} failed (${count} times since the start): ${last.message}`)
    },
  }
}
