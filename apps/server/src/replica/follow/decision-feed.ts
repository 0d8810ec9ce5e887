import type { DecisionStore, UnloggedDecisions } from '../../db/tables/decisions.ts'
import type { StoredDecision } from '../../db/tables/rows.ts'
import { outsideOfCalls } from '../../event-loop/query.ts'
import type { Timers } from '../../timers.ts'

/** The interval at which the tables are queried for decisions of other replicas, if there are listeners and other replicas. */
export const LOOK_EVERY_MS = 1_000
/** The longest time between a call and the row of its refusal: the deadline of a call (at most a minute) and the time to store the row. */
export const SLACK_MS = 90_000
/** Most rows are stored within this time after their call, so most queries cover only this time. Every tenth query covers SLACK_MS. */
const SHORT_SLACK_MS = 20_000
const WIDE_EVERY = 10
/**
 * Decisions that were made up to this long before the first listener was added are also reported, because they can be stored after the
 * listener was added. A listener can therefore get a decision twice, but misses none.
 */
const BEFORE_MS = 5_000
/** At most this many decisions per query are reported one by one. If there are more, listeners get a notice that decisions were missed. */
const MOST = 1_000

/** Reports decisions as they are made on any replica. */
export interface DecisionFeed {
  /** `missed` is called if there were more decisions than are reported one by one. Returns a function that ends the subscription. */
  onDecision(listener: (decision: StoredDecision) => void, missed?: () => void): () => void
}

export interface DecisionFeedOptions {
  /** All decisions that this replica makes, or applies from the log. */
  readonly own: Pick<DecisionFeed, 'onDecision'>
  readonly store: UnloggedDecisions & Pick<DecisionStore, 'findAll'>
  /** Returns true if another replica gave a sign of life within the last minute. */
  hasOthers(): boolean
  /** Resolves with true if the tables contain everything that any replica had stored before this call; false after a timeout. */
  caughtUp(timeoutMs: number): Promise<boolean>
  readonly timers: Pick<Timers, 'now' | 'every'>
  /** Receives warnings about errors, for operators. */
  warn(message: string): void
}

type Listener = Parameters<DecisionFeed['onDecision']>

/**
 * Reports the decisions of all replicas. Placements come from the log. Refusals and placements that claim nothing are not in the log; the
 * feed queries the tables for those that other replicas decided. If a query fails because the tables are unavailable or behind the log, the
 * next query also covers the time of the failed one.
 */
export function createDecisionFeed({ own, store, hasOthers, caughtUp, timers, warn }: DecisionFeedOptions): DecisionFeed {
  const listeners = new Set<Listener>()
  /**
   * The reported decisions that are not in the log (refusals, and placements that claim nothing), each with the time of its report by the
   * clock of `timers`.
   */
  const reported = new Map<string, number>()
  let openedAt = 0
  /** False until the first query has found the decisions that are older than the first listener. Those older decisions are not reported. */
  let hasBegun = false
  let looks = 0
  /** The time up to which all decisions were found. */
  let lookedAt = 0
  let stopLooking: (() => void) | undefined
  let isLooking = false
  let isFailing = false

  const stopOwn = (): (() => void) =>
    own.onDecision((decision) => {
      if (decision.place.entryId === null) reported.set(decision.id, timers.now())
      for (const [notify] of listeners) notify(decision)
    })

  const look = async (): Promise<void> => {
    const startedAt = timers.now()
    for (const [id, at] of reported) if (at < lookedAt - SLACK_MS) reported.delete(id)
    if (!hasOthers()) lookedAt = startedAt
    else if (await caughtUp(LOOK_EVERY_MS)) {
      await tellOthers(startedAt)
      lookedAt = Math.max(lookedAt, startedAt)
    }
  }

  const tellOthers = async (startedAt: number): Promise<void> => {
    const since = openedAt
    const slack = looks++ % WIDE_EVERY === 0 ? SLACK_MS : SHORT_SLACK_MS
    const found = (await store.unlogged(startedAt - lookedAt + slack)).filter(({ id }) => !reported.has(id))
    const earliest = hasBegun ? Number.POSITIVE_INFINITY : timers.now() - openedAt + BEFORE_MS
    const fresh = found.filter(({ agoMs }) => agoMs <= earliest).map(({ id }) => id)
    const decisions = fresh.length === 0 ? [] : await store.findAll(fresh.slice(-MOST))
    // the listeners left during the query, so its result is dropped; later listeners start a new feed
    if (since !== openedAt) return
    hasBegun = true
    for (const { id } of found) reported.set(id, startedAt)
    if (fresh.length > MOST) for (const [, missed] of listeners) missed?.()
    for (const decision of decisions) if ('record' in decision) for (const [notify] of listeners) notify(decision)
  }

  const lookAgain = (): void => {
    // no second query is started while one is running
    if (isLooking) return
    isLooking = true
    // the query runs outside of the request context, because all listeners wait for it
    outsideOfCalls(look)
      .then(
        () => {
          isFailing = false
        },
        (error: unknown) => {
          if (!isFailing) warn(`refusals of other replicas could not be read: ${error instanceof Error ? error.message : String(error)}`)
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
      reported.clear()
      openedAt = Number.NaN
    }
  }

  return {
    onDecision(notify, missed) {
      const listener: Listener = [notify, missed]
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
