import type { Fleet } from '@gantt/scheduler-core'
import type { PlacementCall, PlacementOutcome } from './placement.ts'

/** The answer of an earlier call with the same idempotency key; undefined if no earlier call used the key. */
export function answerFromKey(fleet: Fleet, { account, key, digest }: PlacementCall): PlacementOutcome | undefined {
  const bound = fleet.ledger.findKey(account, key)
  if (bound === undefined) return undefined
  if (bound.answer === null || bound.decision === null) return { type: 'conflict', firstSeenAt: bound.boundAt, abandoned: true }
  if (bound.digest !== digest) return { type: 'conflict', firstSeenAt: bound.boundAt, abandoned: false }
  return {
    type: 'placed',
    decision: bound.decision,
    answer: bound.answer,
    claims: bound.claims.map((id) => fleet.ledger.claims.get(id)),
    replayed: true,
    revision: fleet.place.revision,
  }
}
