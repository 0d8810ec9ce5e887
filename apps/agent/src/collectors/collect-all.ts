import { setMaxListeners } from 'node:events'
import type { Gantt, ResourceName } from '@gantt/client'
import type { AgentEvent } from '../events.ts'
import { collectOnce, type Result } from './collect.ts'
import type { CollectorView } from './collector.ts'
import { createDelivery, type NamespaceDocument, refusal } from './deliver.ts'
import type { Collected } from './output.ts'
import type { CollectorError } from './processes/run-process.ts'
import { logContainment, removeLeftovers } from './run-collectors.ts'
import type { CollectorSettings } from './settings.ts'
import { STATES, statesDocument } from './states/states.ts'

/** What one run of a collector produced. */
export interface CollectedOnce {
  readonly settings: CollectorSettings
  readonly result: Result
}

/** Runs all collectors once, at the same time, and sends nothing. */
export const collectAll = (
  settings: readonly CollectorSettings[],
  name: ResourceName,
  signal: AbortSignal,
): Promise<readonly CollectedOnce[]> => {
  // each run listens to the signal
  setMaxListeners(0, signal)
  return Promise.all(settings.map(async (one) => ({ settings: one, result: await collectOnce(one, name, signal) })))
}

/** Why something was not sent. `cause` is the error of the call; undefined if the service answered and did not take it. */
export interface Unsent {
  readonly text: string
  readonly cause: unknown
}

/**
 * The result of a collector in one run of the agent. `paused`: it was not run, because no profile reads its namespace. `unsent`: its
 * document could not be sent, which is no error of the collector.
 */
export type Outcome =
  | { readonly type: 'sent'; readonly settings: CollectorSettings; readonly collected: Collected }
  | { readonly type: 'unsent'; readonly settings: CollectorSettings; readonly why: Unsent }
  | { readonly type: 'failed'; readonly settings: CollectorSettings; readonly error: CollectorError }
  | { readonly type: 'paused'; readonly settings: CollectorSettings }

/**
 * Runs the collectors whose namespace is among `required` once, sends their documents, and then sends the states of all collectors.
 * Collectors that are slowed while nothing reads them are run too. If there are no settings, the states that an earlier agent reported are
 * removed. `required` is undefined if the service did not say what is read; then all collectors are run. `unreported` is the reason if the
 * states could not be reported, for example because the service is too old for them. Never rejects.
 */
export async function reportCollectors(
  {
    gantt,
    name,
    settings,
    required,
    notify,
    now = Date.now,
  }: {
    readonly gantt: Gantt
    readonly name: ResourceName
    readonly settings: readonly CollectorSettings[]
    readonly required: readonly string[] | undefined
    readonly notify: (event: AgentEvent) => void
    readonly now?: () => number
  },
  signal: AbortSignal,
): Promise<{ readonly outcomes: readonly Outcome[]; readonly unreported: Unsent | undefined }> {
  const isRead = (namespace: string): boolean => required === undefined || required.includes(namespace)
  const isRun = ({ namespace, whileUnread }: CollectorSettings): boolean => isRead(namespace) || whileUnread === 'slow'
  await removeLeftovers(notify)
  await logContainment(settings, notify)
  setMaxListeners(0, signal)
  const outcomes = await Promise.all(
    settings.map(async (one): Promise<Outcome> => {
      if (!isRun(one)) return { type: 'paused', settings: one }
      const result = await collectOnce(one, name, signal)
      if ('error' in result) return { type: 'failed', settings: one, error: result.error }
      const answer = await sendOnce(gantt, name, one.namespace, result.collected, signal)
      if (answer.type === 'accepted') return { type: 'sent', settings: one, collected: result.collected }
      if (answer.type === 'refused') return { type: 'failed', settings: one, error: refusal(answer, one) }
      return { type: 'unsent', settings: one, why: { text: answer.text, cause: answer.cause } }
    }),
  )
  const at = now()
  const document = statesDocument(outcomes.map((outcome) => viewOf(outcome, isRead(outcome.settings.namespace), at)))
  const answer = await sendOnce(gantt, name, STATES.namespace, { version: STATES.version, document }, signal)
  return { outcomes, unreported: answer.type === 'accepted' ? undefined : { text: answer.text, cause: answer.cause } }
}

type Sending =
  | { readonly type: 'accepted' }
  | ({ readonly type: 'refused' } & Unsent)
  /** The call failed, or the host has not sent a full report yet. */
  | ({ readonly type: 'unsent' } & Unsent)

/** Sends one document. Never rejects. */
async function sendOnce(
  gantt: Gantt,
  name: ResourceName,
  namespace: string,
  document: NamespaceDocument,
  signal: AbortSignal,
): Promise<Sending> {
  try {
    const answer = await createDelivery(gantt, name, namespace)(document, { signal })
    if (answer.type === 'accepted') return { type: 'accepted' }
    return { type: answer.type === 'refused' ? 'refused' : 'unsent', text: answer.text, cause: undefined }
  } catch (cause) {
    return { type: 'unsent', text: cause instanceof Error ? cause.message : String(cause), cause }
  }
}

function viewOf({ settings, ...outcome }: Outcome, isRead: boolean, at: number): CollectorView {
  const { name, namespace, intervalSeconds, slowIntervalSeconds } = settings
  const own = { name, namespace, since: at, error: null, lastGoodAt: null }
  if (outcome.type === 'paused') return { ...own, state: 'PAUSED', intervalSeconds: null }
  const interval = { intervalSeconds: isRead ? intervalSeconds : slowIntervalSeconds }
  if (outcome.type === 'failed') return { ...own, ...interval, state: 'FAILING', error: { ...outcome.error, at } }
  // whether the service can be reached says nothing about the collector
  if (outcome.type === 'unsent') return { ...own, ...interval, state: 'WAITING' }
  return { ...own, ...interval, state: isRead ? 'SENDING' : 'SLOWED', lastGoodAt: at }
}
