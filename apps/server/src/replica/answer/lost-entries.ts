import { StoreWentBackError } from '../../sync/synchronizer.ts'
import { UnavailableError } from '../../unavailable.ts'
import type { Batch } from '../propose/batch.ts'
import type { CallQueue } from '../propose/call-queue.ts'
import type { HeldAnswers } from './held-answers.ts'

/** A replica's calls in progress: entries that were sent, and calls that wait. */
export interface Underway {
  readonly held: HeldAnswers
  readonly queue: CallQueue
  readonly inFlight: Batch | undefined
}

/**
 * Called after the store lost all entries after `revision`. Drops the answers that depend on them. This replica's first lost entry is sent
 * again unchanged if it can still be appended, because the log can then recognise a delayed copy of the entry. The calls of all later
 * entries are decided again. Returns the entry to send, and how many of this replica's entries were lost.
 */
export function dropBehind({ held: answers, queue, inFlight }: Underway, revision: number): { lost: number; sent: Batch | undefined } {
  const held = answers.takeBehind(revision)
  const waits = new Set(held.flatMap(({ work }) => work ?? []))
  const first = held.find(({ batch }) => batch !== undefined)?.batch
  const lost = held.filter(({ batch }) => batch !== undefined).length
  // an entry must not be sent unchanged if some of its calls are decided again
  const isWhole = first !== undefined && (first.entry?.basis.revision ?? 0) <= revision && first.owners.every(({ work }) => waits.has(work))
  // if an earlier entry of this replica was lost, the entry in flight depends on it, so no copy of the entry in flight can be appended
  const sent = isWhole ? first : first === undefined ? inFlight : undefined
  const others = sent === inFlight ? [] : (inFlight?.owners ?? []).map(({ work }) => work)
  if (sent !== undefined) for (const { work } of sent.owners) waits.delete(work)
  queue.requeue([...waits, ...others])
  const error = new UnavailableError(
    'store',
    'the store lost an entry on which the answer depends before it was durable; send the call again',
  )
  for (const { work, fail } of held) if (work === undefined) fail(error)
  return { lost, sent }
}

/**
 * Gives up the entry in flight after this replica fell behind the beginning of the log. It is unknown whether the log contains the entry.
 * The entry's placements return to the queue, because the log recognises their idempotency keys. Its other changes could be written twice,
 * so their calls fail.
 */
export function dropInFlight({ queue, inFlight }: Pick<Underway, 'queue' | 'inFlight'>): void {
  const owners = inFlight?.owners ?? []
  for (const { work } of owners)
    if (work.type === 'changes')
      work.fail(new UnavailableError('store', 'the log was trimmed beyond the revision of this replica; check whether the change was made'))
  queue.requeue(owners.flatMap(({ work }) => (work.type === 'placement' ? [work] : [])))
}

/** The error for a store that lost durable entries. (A store that lost only unflushed entries causes no error.) */
export const behindDurable = ({ message }: StoreWentBackError): StoreWentBackError =>
  new StoreWentBackError(`${message}, which was durable: a backup was restored, or a fail-over lost data`)
