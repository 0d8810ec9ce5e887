import { setMaxListeners } from 'node:events'
import { type Clock, type Gantt, type ResourceName, systemClock } from '@gantt/client'
import type { AgentEvent } from '../events.ts'
import { type CollectorView, type Delivery, startCollector } from './collector.ts'
import { type Answer, createDelivery, refusal } from './deliver.ts'
import type { Collected } from './output.ts'
import { containmentText, findContainment } from './processes/containment.ts'
import { endLeftovers, leftoverText } from './processes/leftovers.ts'
import type { CollectorSettings } from './settings.ts'
import { REPEAT_MS, reportStates } from './states/report-states.ts'
import { STATES, statesDocument } from './states/states.ts'

export interface CollectorsOptions {
  readonly gantt: Gantt
  readonly name: ResourceName
  /** If there are none, the states that an earlier agent reported are removed. */
  readonly settings: readonly CollectorSettings[]
  /** Sends a question about the host that has no content. `setRequired` is called with its answer. Must not reject. */
  readonly ask: () => Promise<void>
  readonly notify: (event: AgentEvent) => void
  readonly signal: AbortSignal
  readonly clock?: Clock
  readonly now?: () => number
}

export interface Collectors {
  readonly views: readonly CollectorView[]
  /**
   * Must be called with the namespaces that the answer to a report lists as read. Undefined if the answer has no such list. Then it is not
   * known what is read, and all collectors are run.
   */
  setRequired(namespaces: readonly string[] | undefined): void
  /** Resolves after the signal has aborted and all processes have ended or were given up. Never rejects. */
  readonly ended: Promise<void>
}

/** The time limit of a call in milliseconds. */
const CALL_MS = 15_000

/**
 * Runs collectors, sends their documents and reports their states, until the signal aborts. A collector whose namespace no profile reads
 * is paused or slowed. Nothing that a collector does ends the agent or another collector.
 */
export function runCollectors({
  gantt,
  name,
  settings,
  ask,
  notify,
  signal,
  clock = systemClock,
  now = Date.now,
}: CollectorsOptions): Collectors {
  // each run listens to the signal
  setMaxListeners(0, signal)
  const calls = { signal, deadlineMs: CALL_MS }
  const { complain, calm } = createComplaints(notify, signal)
  const deliverFor = (one: CollectorSettings): ((collected: Collected) => Promise<Delivery>) => {
    const send = createDelivery(gantt, name, one.namespace)
    return async (collected) => {
      const answer = await sendOne(one.namespace, () => send(collected, calls))
      if (answer?.type === 'refused') return { error: refusal(answer, one) }
      return answer?.type === 'accepted' ? 'accepted' : 'unsent'
    }
  }
  /** Sends a document. Undefined if the call failed; then the reason is logged. */
  const sendOne = async (namespace: string, send: () => Promise<Answer>): Promise<Answer | undefined> => {
    try {
      const answer = await send()
      if (answer.type !== 'refused' || namespace === STATES.namespace) take(namespace, answer)
      return answer
    } catch (error) {
      complain(namespace, messageOf(error))
      return undefined
    }
  }
  const take = (namespace: string, answer: Answer): void => {
    if (answer.type === 'accepted') {
      calm(namespace)
      setRequired(answer.required)
    } else complain(namespace, answer.text)
  }
  let isKnown = false
  let isAllRead = true
  const setRequired = (namespaces: readonly string[] | undefined): void => {
    // the first answer to a report shows that the service knows the host, and accepts documents about it
    if (!isKnown) reporting.known()
    isKnown = true
    const read = new Set(namespaces)
    const wasAllRead = isAllRead
    isAllRead = namespaces === undefined || settings.every(({ namespace }) => read.has(namespace))
    for (const { collector, namespace } of running) collector.setRead(namespaces === undefined || read.has(namespace))
    if (!isAllRead && wasAllRead) reporting.asking()
  }
  const deliverStates = createDelivery(gantt, name, STATES.namespace)
  const sendStates = async (states: string): Promise<boolean> => {
    const document = { version: STATES.version, document: JSON.parse(states) }
    const answer = await sendOne(STATES.namespace, () => deliverStates(document, calls))
    return answer?.type === 'accepted'
  }
  const views = (): readonly CollectorView[] => running.map(({ collector }) => collector.view)
  const reporting = reportStates({
    states: () => JSON.stringify(statesDocument(views())),
    send: sendStates,
    ask,
    isAsking: () => !isAllRead,
    // without collectors, it is enough to remove earlier states once
    repeatMs: settings.length === 0 ? Number.POSITIVE_INFINITY : REPEAT_MS,
    burst: 4 + 2 * settings.length,
    ...{ signal, clock },
  })
  const log = createLog(notify)
  const changed = (view: CollectorView): void => {
    log(view)
    reporting.changed()
  }
  const running = settings.map((one) => ({
    namespace: one.namespace,
    collector: startCollector({ settings: one, name, deliver: deliverFor(one), changed, signal, clock, now }),
  }))
  return {
    get views() {
      return views()
    },
    setRequired,
    ended: Promise.all([
      removeLeftovers(notify),
      logContainment(settings, notify),
      reporting.ended,
      ...running.map(({ collector }) => collector.ended),
    ]).then(() => undefined),
  }
}

/** Ends the processes that collectors of earlier agents left behind, and logs them. Never rejects. */
export async function removeLeftovers(notify: CollectorsOptions['notify']): Promise<void> {
  try {
    for (const one of await endLeftovers()) notify({ event: 'remark', text: leftoverText(one) })
  } catch (error) {
    notify({ event: 'remark', text: `it is not known whether collectors of an earlier agent are still running: ${messageOf(error)}` })
  }
}

/** Logs once how the processes of collectors are kept together. Never rejects. */
export async function logContainment(settings: readonly CollectorSettings[], notify: CollectorsOptions['notify']): Promise<void> {
  const outside = settings.flatMap((one) => (one.pidNamespace ? [] : [one.name]))
  if (outside.length < settings.length) notify({ event: 'remark', text: containmentText(await findContainment()) })
  if (outside.length > 0)
    notify({ event: 'remark', text: `by their settings, these collectors have no PID namespaces: ${outside.join(', ')}` })
}

/** Logs each change of a collector's state or error. A change of its interval alone is not logged. */
function createLog(notify: CollectorsOptions['notify']): (view: CollectorView) => void {
  const last = new Map<string, string>()
  return ({ name, namespace, state, error }) => {
    const news = JSON.stringify([state, error?.code, error?.at])
    if (last.get(name) === news) return
    last.set(name, news)
    notify({ event: 'collector', collector: name, namespace, state, error })
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
