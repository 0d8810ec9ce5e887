import { type Fleet, isProposal, type Void } from '@gantt/scheduler-core'
import type { Batch } from './batch.ts'
import { UnavailableError } from './placement.ts'
import type { Retries } from './retries.ts'
import type { PlacementWork, Work } from './work.ts'

/** Tells everyone who waits for an applied entry what became of their changes. Answers the work that is to be decided again. */
export function settle({ owners, entry }: Batch, verdicts: readonly Void[], fleet: Fleet, retries: Retries): Work[] {
  const { revision } = fleet.place
  const again: Work[] = []
  let first = 0
  for (const { work, changes } of owners) {
    const own = verdicts.slice(first, first + changes)
    const change = entry?.changes[first]
    first += changes
    if (own.includes('entry.basis')) again.push(work)
    else if (work.type === 'changes') work.settle(own.map((verdict) => ({ void: verdict, revision })))
    else if (change !== undefined && isProposal(change) && own[0] === undefined) {
      const claims = change.parts.map(({ claim }) => fleet.ledger.claims.get(claim))
      work.settle({ type: 'placed', decision: change.decision.id, answer: change.answer, claims, replayed: false, revision })
    } else if (endsHere(work, own[0], retries)) continue
    else again.push(work)
  }
  return again
}

/** A void proposal binds nothing: it is decided again at the new head, unless no other decision could help. */
function endsHere(work: PlacementWork, verdict: Void, retries: Retries): boolean {
  if (verdict === 'claim.deadline')
    work.fail(new UnavailableError('deadline', 'the deadline passed before the claim was written; nothing was placed'))
  else if (verdict === 'claim.key_cap') work.settle({ type: 'void', code: verdict })
  else return verdict !== undefined && !retries.mayTryAgain(work, verdict)
  return true
}
