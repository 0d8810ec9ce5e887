import type { DecisionStore, UnloggedDecisions } from '../db/decisions.ts'
import type { DecisionFeed } from '../services/watch.ts'
import type { Timers } from '../timers.ts'

/** How often the tables are asked for what other replicas kept, while somebody listens and there are others. */
export const LOOK_EVERY_MS = 1_000
/** Between a decision and its row lies the time to keep it: a replica that had no answer for longer gave up. */
const SLACK_MS = 20_000
/** What was made so long before somebody began to listen may have been kept since. It is told rather twice than never. */
const BEFORE_MS = 5_000
/** So many are told one by one at a look; of more, their readers hear that some were missed. */
const MOST = 1_000

export interface DecisionFeedOptions {
  /** Every decision that this replica makes, or applies from the log. */
  readonly own: Pick<DecisionFeed, 'onDecision'>
  readonly store: UnloggedDecisions & Pick<DecisionStore, 'findAll'>
  /** Whether another replica gave a sign within the last minute. */
  hasOthers(): boolean
  /** Whether the tables have what any replica had kept at this call; false: not in time. */
  caughtUp(timeoutMs: number): Promise<boolean>
  readonly timers: Pick<Timers, 'now' | 'every'>
  /** Trouble, for operators. */
  warn(message: string): void
}

type Listener = Parameters<DecisionFeed['onDecision']>

/**
 * The decisions of all replicas. Those in the log come by the log; refusals and advice are in no log, so what others made is looked up in
 * the tables. What a look could not find out, because the tables were away or far behind, the next one does.
 */
export function createDecisionFeed({ own, store, hasOthers, caughtUp, timers, warn }: DecisionFeedOptions): DecisionFeed {
  const listeners = new Set<Listener>()
  /** Refusals and advice that were told, and when, by the timers. */
  const told = new Map<string, number>()
  let openedAt = 0
  /** Up to here everything was found. */
  let lookedAt = 0
  let stopLooking: (() => void) | undefined
  let isLooking = false
  let isFailing = false

  const stopOwn = (): (() => void) =>
    own.onDecision((decision) => {
      if (decision.place.entryId === null) told.set(decision.id, timers.now())
      for (const [tell] of listeners) tell(decision)
    })

  const look = async (): Promise<void> => {
    const startedAt = timers.now()
    for (const [id, at] of told) if (at < lookedAt - SLACK_MS) told.delete(id)
    if (!hasOthers()) lookedAt = startedAt
    else if (await caughtUp(LOOK_EVERY_MS)) {
      await tellOthers(startedAt)
      lookedAt = startedAt
    }
  }

  const tellOthers = async (startedAt: number): Promise<void> => {
    const found = await store.unlogged(startedAt - lookedAt + SLACK_MS)
    const earliest = timers.now() - openedAt + BEFORE_MS
    const fresh = found.filter(({ id, agoMs }) => agoMs <= earliest && !told.has(id)).map(({ id }) => id)
    if (fresh.length === 0) return
    const decisions = await store.findAll(fresh.slice(-MOST))
    for (const id of fresh) told.set(id, startedAt)
    if (fresh.length > MOST) for (const [, missed] of listeners) missed?.()
    for (const decision of decisions) if ('record' in decision) for (const [tell] of listeners) tell(decision)
  }

  const lookAgain = (): void => {
    // one that takes long is waited for
    if (isLooking) return
    isLooking = true
    look()
      .then(
        () => {
          isFailing = false
        },
        (error: unknown) => {
          if (!isFailing)
            warn(`refusals of other replicas could not be looked up: ${error instanceof Error ? error.message : String(error)}`)
          isFailing = true
        },
      )
      .finally(() => {
        isLooking = false
      })
  }

  const open = (): (() => void) => {
    openedAt = timers.now()
    lookedAt = openedAt
    const stops = [stopOwn(), timers.every(LOOK_EVERY_MS, lookAgain)]
    return () => {
      for (const stop of stops) stop()
      told.clear()
    }
  }

  return {
    onDecision(tell, missed) {
      const listener: Listener = [tell, missed]
      listeners.add(listener)
      stopLooking ??= open()
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        stopLooking?.()
        stopLooking = undefined
      }
    },
  }
}
