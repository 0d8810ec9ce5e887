import { type Fleet, isProposal, type Void } from '@gantt/scheduler-core'
import { UnavailableError } from '../../unavailable.ts'
import type { Batch } from './batch.ts'
import type { Retries } from './retries.ts'
import type { Work } from './work.ts'

/** The result for the calls of an applied entry: their answers, and calls to decide again. */
export interface Settled {
  readonly answers: readonly { readonly work: Work; answer(): void }[]
  readonly again: readonly Work[]
}

/** Computes the answers of all calls that wait for an applied entry. They are sent later, because the entry is possibly not durable yet. */
export function settle({ owners, entry }: Batch, verdicts: readonly Void[], fleet: Fleet, retries: Retries): Settled {
  const { revision } = fleet.place
  const again: Work[] = []
  const answers: Settled['answers'][number][] = []
  let first = 0
  for (const { work, changes } of owners) {
    const own = verdicts.slice(first, first + changes)
    const change = entry?.changes[first]
    first += changes
    if (own.includes('entry.basis')) again.push(work)
    else if (work.type === 'changes') {
      const outcome = own.map((verdict) => ({ void: verdict, revision }))
      answers.push({ work, answer: () => work.settle(outcome) })
    } else if (change !== undefined && isProposal(change) && own[0] === undefined) {
      const claims = change.parts.map(({ claim }) => fleet.ledger.claims.get(claim))
      const { decision, answer } = change
      retries.succeeded()
      answers.push({
        work,
        answer: () => work.settle({ type: 'placed', decision: decision.id, answer, claims, replayed: false, revision }),
      })
    } else if (own[0] === 'claim.key_cap') answers.push({ work, answer: () => work.settle({ type: 'void', code: 'claim.key_cap' }) })
    else if (own[0] === 'claim.deadline') answers.push({ work, answer: () => work.fail(tooLate()) })
    else if (own[0] === undefined) again.push(work)
    else if (retries.mayTryAgain(work, own[0])) {
      work.hasMovedTime = true
      again.push(work)
    }
  }
  return { answers, again }
}

const tooLate = (): UnavailableError =>
  new UnavailableError('deadline', 'the deadline passed before the claim was written; nothing was placed')
