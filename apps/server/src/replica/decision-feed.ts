import type { DecisionStore, UnloggedDecisions } from '../db/decisions.ts'
import type { DecisionFeed } from '../services/watch.ts'
import type { Timers } from '../timers.ts'

/** How often the tables are asked for what other replicas kept, while somebody listens and there are others. */
export const LOOK_EVERY_MS = 1_000
/** Between a call and the row of its refusal lie what it may wait for, a minute at most, and the time to keep the row. */
export const SLACK_MS = 90_000
/** Most rows are there by then; those of longer ago are looked for every tenth time. */
const SHORT_SLACK_MS = 20_000
const WIDE_EVERY = 10
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
  /** What was there when somebody began to listen is known. */
  let hasBegun = false
  let looks = 0
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
      lookedAt = Math.max(lookedAt, startedAt)
    }
  }

  const tellOthers = async (startedAt: number): Promise<void> => {
    const since = openedAt
    const slack = looks++ % WIDE_EVERY === 0 ? SLACK_MS : SHORT_SLACK_MS
    const found = (await store.unlogged(startedAt - lookedAt + slack)).filter(({ id }) => !told.has(id))
    const earliest = hasBegun ? Number.POSITIVE_INFINITY : timers.now() - openedAt + BEFORE_MS
    const fresh = found.filter(({ agoMs }) => agoMs <= earliest).map(({ id }) => id)
    const decisions = fresh.length === 0 ? [] : await store.findAll(fresh.slice(-MOST))
    // nobody listens any more, or others do
    if (since !== openedAt) return
    hasBegun = true
    for (const { id } of found) told.set(id, startedAt)
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
    hasBegun = false
    looks = 0
    const stops = [stopOwn(), timers.every(LOOK_EVERY_MS, lookAgain)]
    lookAgain()
    return () => {
      for (const stop of stops) stop()
      told.clear()
      openedAt = Number.NaN
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
