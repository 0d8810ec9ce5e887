import { setMaxListeners } from 'node:events'
import type { Gantt, ResourceName } from '@gantt/client'
import type { AgentEvent } from '../events.ts'
import { collectOnce, type Result } from './collect.ts'
import type { CollectorView } from './collector.ts'
import { createDelivery, refusal } from './deliver.ts'
import type { Collected } from './output.ts'
import type { CollectorError } from './processes/run-process.ts'
import { removeLeftovers } from './run-collectors.ts'
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

/** What became of a collector in one run of the agent. `paused`: it was not run, because no profile reads its namespace. */
export type Outcome =
  | { readonly type: 'sent'; readonly settings: CollectorSettings; readonly collected: Collected }
  | { readonly type: 'failed'; readonly settings: CollectorSettings; readonly error: CollectorError }
  | { readonly type: 'paused'; readonly settings: CollectorSettings }

/**
 * Runs the collectors whose namespace is among `required` once, sends their documents, and then sends the states of all collectors.
 * Collectors that are slowed while nothing reads them are run too. If there are no settings, the states that an earlier agent reported are
 * removed. `required` is undefined if the service did not say what is read; then all collectors are run. Rejects if a document cannot be sent. `unreported` is the reason if the
 * states could not be reported, for example because the service is too old for them.
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
): Promise<{ readonly outcomes: readonly Outcome[]; readonly unreported: string | undefined }> {
  const isRead = (namespace: string): boolean => required === undefined || required.includes(namespace)
  const isRun = ({ namespace, whileUnread }: CollectorSettings): boolean => isRead(namespace) || whileUnread === 'slow'
  await removeLeftovers(notify)
  setMaxListeners(0, signal)
  const outcomes = await Promise.all(
    settings.map(async (one): Promise<Outcome> => {
      if (!isRun(one)) return { type: 'paused', settings: one }
      const result = await collectOnce(one, name, signal)
      if ('error' in result) return { type: 'failed', settings: one, error: result.error }
      const answer = await createDelivery(gantt, name, one.namespace)(result.collected, { signal })
      if (answer.type === 'accepted') return { type: 'sent', settings: one, collected: result.collected }
      return { type: 'failed', settings: one, error: refusal(answer, one) }
    }),
  )
  const at = now()
  const document = statesDocument(outcomes.map((outcome) => viewOf(outcome, isRead(outcome.settings.namespace), at)))
  try {
    const answer = await createDelivery(gantt, name, STATES.namespace)({ version: STATES.version, document }, { signal })
    return { outcomes, unreported: answer.type === 'accepted' ? undefined : answer.text }
  } catch (error) {
    return { outcomes, unreported: error instanceof Error ? error.message : String(error) }
  }
}

function viewOf({ settings, ...outcome }: Outcome, isRead: boolean, at: number): CollectorView {
  const { name, namespace, intervalSeconds, slowIntervalSeconds } = settings
  const own = { name, namespace, since: at, error: null, lastGoodAt: null }
  if (outcome.type === 'paused') return { ...own, state: 'PAUSED', intervalSeconds: null }
  const interval = { intervalSeconds: isRead ? intervalSeconds : slowIntervalSeconds }
  if (outcome.type === 'failed') return { ...own, ...interval, state: 'FAILING', error: { ...outcome.error, at } }
  return { ...own, ...interval, state: isRead ? 'SENDING' : 'SLOWED', lastGoodAt: at }
}
