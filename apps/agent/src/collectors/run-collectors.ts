import { type Clock, type Gantt, type ResourceName, systemClock } from '@gantt/client'
import type { AgentEvent } from '../events.ts'
import { type CollectorView, type Delivery, startCollector } from './collector.ts'
import { type Answer, createDelivery } from './deliver.ts'
import type { Collected } from './output.ts'
import type { CollectorSettings } from './settings.ts'
import { statesDocument } from './states.ts'

export interface CollectorsOptions {
  readonly gantt: Gantt
  readonly name: ResourceName
  readonly settings: readonly CollectorSettings[]
  readonly notify: (event: AgentEvent) => void
  readonly signal: AbortSignal
  readonly clock?: Clock
  readonly now?: () => number
}

export interface Collectors {
  readonly views: readonly CollectorView[]
  /** Must be called with the namespaces that the answer to a report lists as read. */
  setRequired(namespaces: readonly string[]): void
  /** Resolves after the signal has aborted and all processes have ended. Never rejects. */
  readonly ended: Promise<void>
}

/**
 * While no profile reads the namespace of some collector, the states are sent again after this time, because the answer says what is read
 * by now. The service does not write unchanged states to its log.
 */
export const ASK_MS = 20_000
/** If every collector is read, the states are repeated after this time, so that they do not become too old. */
const REPEAT_MS = 240_000
/** The time limit of a call in milliseconds. */
const CALL_MS = 15_000

/** The namespace of the states. The service defines it. */
export const STATES = { namespace: 'collectors', version: '1.0' } as const

/**
 * Runs collectors, sends their documents and reports their states, until the signal aborts. A collector whose namespace no profile reads
 * is paused or slowed. Nothing that a collector does ends the agent or another collector.
 */
export function runCollectors({
  gantt,
  name,
  settings,
  notify,
  signal,
  clock = systemClock,
  now = Date.now,
}: CollectorsOptions): Collectors {
  const calls = { signal, deadlineMs: CALL_MS }
  const { complain, calm } = createComplaints(notify, signal)
  const deliveryOf = ({ namespace }: CollectorSettings): ((collected: Collected) => Promise<Delivery>) => {
    const send = createDelivery(gantt, name, namespace)
    return async (collected) => {
      try {
        const answer = await send(collected, calls)
        if (answer.type === 'refused') return { error: { code: 'REFUSED', text: answer.text } }
        take(namespace, answer)
        return answer.type === 'accepted' ? 'accepted' : 'unsent'
      } catch (error) {
        complain(namespace, messageOf(error))
        return 'unsent'
      }
    }
  }
  const take = (namespace: string, answer: Answer): void => {
    if (answer.type === 'accepted') {
      calm(namespace)
      if (answer.required !== undefined) setRequired(answer.required)
    } else complain(namespace, answer.text)
  }
  let isKnown = false
  const setRequired = (namespaces: readonly string[]): void => {
    // the first answer to a report shows that the service knows the host, and accepts documents about it
    if (!isKnown) reporting.reportSoon()
    isKnown = true
    const read = new Set(namespaces)
    for (const { collector, namespace } of running) collector.setRead(read.has(namespace))
  }
  const states = createDelivery(gantt, name, STATES.namespace)
  const reporting = startReporting({
    report: async () => {
      try {
        take(STATES.namespace, await states({ version: STATES.version, document: statesDocument(views()) }, calls))
      } catch (error) {
        complain(STATES.namespace, messageOf(error))
      }
    },
    pauseMs: () => (views().some(({ state }) => state !== 'SENDING') ? ASK_MS : REPEAT_MS),
    ...{ signal, clock },
  })
  const changed = (view: CollectorView): void => {
    notify({ event: 'collector', collector: view.name, namespace: view.namespace, state: view.state, error: view.error })
    reporting.reportSoon()
  }
  const running = settings.map((one) => ({
    namespace: one.namespace,
    collector: startCollector({ settings: one, name, deliver: deliveryOf(one), changed, signal, clock, now }),
  }))
  const views = (): readonly CollectorView[] => running.map(({ collector }) => collector.view)
  return {
    get views() {
      return views()
    },
    setRequired,
    ended: Promise.all([reporting.ended, ...running.map(({ collector }) => collector.ended)]).then(() => undefined),
  }
}

/** Logs why a namespace could not be sent, unless the last call for it failed with the same error. `calm` is called after a success. */
function createComplaints(notify: CollectorsOptions['notify'], signal: AbortSignal) {
  const last = new Map<string, string>()
  return {
    complain(namespace: string, text: string): void {
      if (signal.aborted || last.get(namespace) === text) return
      last.set(namespace, text)
      notify({ event: 'collector.unsent', namespace, text })
    },
    calm: (namespace: string): void => void last.delete(namespace),
  }
}

interface ReportingOptions {
  /** Reports the present states. Must not reject. */
  readonly report: () => Promise<void>
  /** The time after which the states are repeated if nothing changes, in milliseconds. */
  readonly pauseMs: () => number
  readonly signal: AbortSignal
  readonly clock: Clock
}

/** Calls `report` after `reportSoon` was called, and again after each pause. Several calls during a report lead to one more report. */
function startReporting({ report, pauseMs, signal, clock }: ReportingOptions): { reportSoon(): void; readonly ended: Promise<void> } {
  let wake = new AbortController()
  let isOwed = false
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      await clock.wait(isOwed ? 0 : pauseMs(), AbortSignal.any([signal, wake.signal])).catch(() => undefined)
      if (signal.aborted) return
      wake = new AbortController()
      isOwed = false
      await report()
    }
  }
  return {
    reportSoon() {
      isOwed = true
      wake.abort()
    },
    ended: Promise.resolve().then(follow),
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
