import { type Question, shorten } from '@gantt/scheduler-core'

/** The answering side of parts outside of this process: a thread with a plug-in, or an extender behind HTTP. */
export interface Asker {
  /** The name for messages: `plug-in power 1.0.0`. */
  readonly title: string
  /**
   * The part's answers as they arrived, not yet checked. `timeoutMs`: how long the caller waits; the asker's own limit may be shorter.
   * Rejects with a message that names the cause if there is no answer in that time, if too many questions wait, or if the asker does not
   * run.
   */
  ask(question: Asked, timeoutMs: number): Promise<unknown>
  /** Records that an answer was invalid. */
  noteBad(part: string, message: string): void
  readonly health: AskerHealth
  close(): Promise<void>
}

export const pluginStates = ['READY', 'STARTING', 'RESTING', 'CLOSED'] as const
export type PluginState = (typeof pluginStates)[number]

/** The statistics of an asker since this process began. */
export interface AskerHealth {
  /** STARTING: it is loaded again; RESTING: it failed so often that it is loaded again only after a while. */
  readonly state: PluginState
  /** Questions without a valid answer, and threads that ended by themselves. */
  readonly count: number
  readonly last: { readonly part: string; readonly message: string; readonly at: number } | undefined
  /** The number of restarts of the thread; 0 for an extender. */
  readonly restarts: number
}

/** A question to a part about hosts, in the form for the wire and for threads. */
export const WIRE_FORMAT = 'gantt.outside/1'

export const toWire = ({ part, kind, parameters, multiplier, request, documents }: Question) => ({
  ...{ format: WIRE_FORMAT, part, kind, parameters },
  ...(kind === 'weigher' && { multiplier }),
  request,
  hosts: documents,
})

export type WireQuestion = ReturnType<typeof toWire>

/** A question to a namespace about documents that were reported under it. Only threads are asked. */
export interface WireDocuments {
  readonly part: string
  readonly kind: 'namespace'
  readonly documents: readonly unknown[]
}

export type Asked = WireQuestion | WireDocuments

/** The longest text of a failure that messages quote. */
export const MOST_CHARACTERS = 200

/** The interval between two log lines about one asker, because a failure affects every request. */
const REPORT_EVERY_MS = 60_000

/** Counts failures, keeps the last one, and warns operators from time to time. */
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
