import type { Operation } from '../safety-under-faults/history.ts'

/** The outcomes of calls with an idempotency key. Such calls are retried until the outcome is known. */
export interface KeyedCalls {
  readonly keys: number
  /** How many keys were sent more than once, because an earlier call was not answered. */
  readonly again: number
  /** For how many keys the outcome remained unknown, even after retries. */
  readonly unanswered: number
}

interface Known {
  readonly isMissed: boolean
  readonly isRetried: boolean
  readonly isOpen: boolean
  readonly isAnswered: boolean
}

const NEW: Known = { isMissed: false, isRetried: false, isOpen: false, isAnswered: false }

export function callsOf(history: readonly Operation[]): KeyedCalls {
  const byKey = new Map<string, Known>()
  for (const { call, outcome } of history) {
    if (call.type !== 'place' && call.type !== 'abandon') continue
    const known = byKey.get(call.key) ?? NEW
    byKey.set(call.key, {
      isRetried: known.isRetried || known.isMissed,
      isMissed: outcome.type !== 'ok',
      isOpen: known.isOpen || outcome.type === 'info',
      isAnswered: known.isAnswered || outcome.type === 'ok',
    })
  }
  const all = [...byKey.values()]
  return {
    keys: all.length,
    again: all.filter(({ isRetried }) => isRetried).length,
    unanswered: all.filter(({ isOpen, isAnswered }) => isOpen && !isAnswered).length,
  }
}
