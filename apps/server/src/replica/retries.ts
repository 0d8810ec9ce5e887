import type { Code } from '@gantt/scheduler-core'
import { causeOfRefusal } from '../db/rows.ts'
import type { Timers } from '../timers.ts'
import type { UnloggedDecision } from './placement.ts'
import type { PlacementWork } from './work.ts'

/** Times that one call is decided before it is given up. */
export const MAX_ATTEMPTS = 100
/** Refusals of one call after which operators are told: turns keep it at one or two. */
const SUSPICIOUS = 10
/** Operators are told of the same rule at most this often. */
const QUIET_MS = 60_000

/** Why a decision came to nothing: the judge's rule, or that others wrote to the log first. */
export type Obstacle = Code | 'append.refused'

/** A call was decided again and again, and every time its proposal came to nothing. Nothing was placed. */
export class RetriesExhaustedError extends Error {
  override readonly name = 'RetriesExhaustedError'
  readonly attempts: number
  /** What was in the way most often. */
  readonly rule: Obstacle

  constructor(attempts: number, rule: Obstacle, counts: string) {
    super(`given up after ${attempts} attempts, nothing was placed; in the way were ${counts}`)
    this.attempts = attempts
    this.rule = rule
  }
}

/** What is known here of a call. */
type Attempted = Pick<PlacementWork, 'decisionId' | 'attempt' | 'fail'>

/** What became of the decisions of this replica since it started, proposals that are on their way left out. */
export interface Tally {
  /** Proposals that count. */
  readonly counted: number
  /** Proposals that came to nothing, by what was in the way; each was decided again, or given up. */
  readonly fruitless: ReadonlyMap<Obstacle, number>
  /** Decisions that needed no proposal: refusals and advice. */
  readonly unlogged: number
  /** Refusals among them, by why no host was found. */
  readonly refused: ReadonlyMap<Code, number>
}

/** Bounds how often a call is decided again, and tells which rule is in the way when that repeats. */
export interface Retries {
  readonly tally: Tally
  /** Notes that a proposal counts. */
  succeeded(): void
  /** Notes decisions that need no proposal. */
  unlogged(decisions: readonly Pick<UnloggedDecision, 'cause' | 'reasons'>[]): void
  /** Notes that a decision of this call came to nothing. False when that was the last attempt: the call has been told. */
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
    unlogged(decisions) {
      tally.unlogged += decisions.length
      for (const decision of decisions) {
        const code = causeOfRefusal(decision)?.code ?? null
        if (code !== null) refused.set(code, (refused.get(code) ?? 0) + 1)
      }
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
          // a search that proposes what the judge refuses would go on for ever: the two disagree about this rule
          warn(`decision ${work.decisionId} came to nothing ${total} times: ${text}; calls may be starved by ${rule}`)
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
