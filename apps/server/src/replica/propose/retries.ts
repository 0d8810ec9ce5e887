import type { Code } from '@gantt/scheduler-core'
import { causeOfRefusal } from '../../db/tables/rows.ts'
import type { Timers } from '../../timers.ts'
import type { UnloggedDecision } from './placement.ts'
import type { PlacementWork } from './work.ts'

/** One call is decided at most this often. */
export const MAX_ATTEMPTS = 100
/**
 * After this many failed attempts of one call, operators are warned. Usually a call has at most two failed attempts, because replicas take
 * turns.
 */
const SUSPICIOUS = 10
/** The shortest interval between warnings about the same rule, in milliseconds. */
const QUIET_MS = 60_000

/** Why an attempt failed: the rule that made the proposal void, or an append by another replica. */
export type Obstacle = Code | 'append.refused'

/**
 * The error of a call that failed MAX_ATTEMPTS times because each proposal conflicted with another change, or the store refused its entry.
 * Nothing was placed.
 */
export class RetriesExhaustedError extends Error {
  override readonly name = 'RetriesExhaustedError'
  readonly attempts: number
  /** The most frequent obstacle of the attempts. */
  readonly rule: Obstacle

  constructor(attempts: number, rule: Obstacle, counts: string) {
    super(`given up after ${attempts} attempts, nothing was placed; the obstacles were ${counts}`)
    this.attempts = attempts
    this.rule = rule
  }
}

/** The fields of a call that are needed to limit its retries. */
type Attempted = Pick<PlacementWork, 'decisionId' | 'attempt' | 'fail'>

/** The results of this replica's decisions since it started. Proposals in flight are not included. */
export interface Tally {
  /** How many proposals took effect. */
  readonly counted: number
  /** How many proposals conflicted with other changes or were refused by the store, by obstacle. Each was decided again or failed. */
  readonly fruitless: ReadonlyMap<Obstacle, number>
  /** How many decisions needed no proposal: refusals, and placements that claim nothing. */
  readonly unlogged: number
  /** How many of the decisions in `unlogged` were refusals, by cause. */
  readonly refused: ReadonlyMap<Code, number>
}

/** Limits how often a call is decided again, and warns about the rule that repeatedly voids its proposals. */
export interface Retries {
  readonly tally: Tally
  /** Records a proposal that took effect in the log. */
  succeeded(): void
  /** Records a decision without a proposal. */
  unlogged(decision: Pick<UnloggedDecision, 'cause' | 'reasons'>): void
  /**
   * Records that a proposal of this call conflicted with another change, or that the store refused its entry. Returns false if that was the
   * last attempt; the call has then failed.
   */
  mayTryAgain(work: Attempted, obstacle: Obstacle): boolean
}

export function createRetries(warn: (message: string) => void, timers: Timers): Retries {
  const obstacles = new WeakMap<Attempted, Map<Obstacle, number>>()
  const quietUntil = new Map<Obstacle, number>()
  const fruitless = new Map<Obstacle, number>()
  const refused = new Map<Code, number>()
  const tally = { counted: 0, fruitless, unlogged: 0, refused }
  return {
    tally,
    succeeded() {
      tally.counted++
    },
    unlogged(decision) {
      tally.unlogged++
      const code = causeOfRefusal(decision)?.code ?? null
      if (code !== null) refused.set(code, (refused.get(code) ?? 0) + 1)
    },
    mayTryAgain(work, obstacle) {
      fruitless.set(obstacle, (fruitless.get(obstacle) ?? 0) + 1)
      const counts = obstacles.get(work) ?? new Map<Obstacle, number>()
      obstacles.set(work, counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1))
      const { rule, total, text } = summary(counts)
      const isLast = work.attempt >= MAX_ATTEMPTS
      if (isLast || total === SUSPICIOUS) {
        const now = timers.now()
        if (now >= (quietUntil.get(rule) ?? Number.NEGATIVE_INFINITY)) {
          quietUntil.set(rule, now + QUIET_MS)
          // the decisions probably do not check this rule, by which the judge makes their proposals void; without a limit, the call would
          // be decided again for ever
          warn(`${total} attempts of decision ${work.decisionId} did not count: ${text}; calls may be starved by ${rule}`)
        }
      }
      if (isLast) work.fail(new RetriesExhaustedError(work.attempt, rule, text))
      return !isLast
    },
  }
}

function summary(counts: ReadonlyMap<Obstacle, number>): { rule: Obstacle; total: number; text: string } {
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  return {
    rule: sorted[0]?.[0] ?? 'append.refused',
    total: sorted.reduce((sum, [, times]) => sum + times, 0),
    text: sorted.map(([rule, times]) => `${rule} (${times} times)`).join(', '),
  }
}
