import { StoreWentBackError } from '../sync/synchronizer.ts'
import type { Batch } from './batch.ts'
import type { CallQueue } from './call-queue.ts'
import type { HeldAnswers } from './held-answers.ts'
import { UnavailableError } from './placement.ts'

/** What a replica has under way: entries that were sent, and calls that wait. */
export interface Underway {
  readonly held: HeldAnswers
  readonly queue: CallQueue
  readonly inFlight: Batch | undefined
}

/**
 * Takes back what rests on a tail that the store lost, behind a revision. The first entry of ours that can still be
 * appended as it was is sent as it was, so that a copy that still lands is recognised; everything behind it is decided
 * again. Answers what is to be sent, and how many entries of ours were lost.
 */
export function dropBehind({ held: answers, queue, inFlight }: Underway, revision: number): { lost: number; sent: Batch | undefined } {
  const held = answers.takeBehind(revision)
  const waits = new Set(held.flatMap(({ work }) => work ?? []))
  const first = held.find(({ batch }) => batch !== undefined)?.batch
  const lost = held.filter(({ batch }) => batch !== undefined).length
  // one of which some work was decided again already is not sent as it was
  const isWhole = first !== undefined && (first.entry?.basis.revision ?? 0) <= revision && first.owners.every(({ work }) => waits.has(work))
  // what was on its way rests on an entry of ours before it, if there is one: no copy of it can land
  const sent = isWhole ? first : first === undefined ? inFlight : undefined
  const others = sent === inFlight ? [] : (inFlight?.owners ?? []).map(({ work }) => work)
  if (sent !== undefined) for (const { work } of sent.owners) waits.delete(work)
  queue.putBack([...waits, ...others])
  const error = new UnavailableError('store', 'the store lost what this rests on before it was certain; ask again')
  for (const { work, fail } of held) if (work === undefined) fail(error)
  return { lost, sent }
}

/**
 * Puts back what was on its way when this replica was left behind by the log. What became of it in between cannot be told:
 * placements are told by their key, and changes not at all.
 */
export function dropInFlight({ queue, inFlight }: Pick<Underway, 'queue' | 'inFlight'>): void {
  const owners = inFlight?.owners ?? []
  for (const { work } of owners)
    if (work.type === 'changes')
      work.fail(new UnavailableError('store', 'the replica was left behind by the log; look whether the change was made'))
  queue.putBack(owners.flatMap(({ work }) => (work.type === 'placement' ? [work] : [])))
}

/** The store is behind what was durable: no tail of ours, but a loss. */
export const behindDurable = ({ message }: StoreWentBackError): StoreWentBackError =>
  new StoreWentBackError(`${message}, and that was durable: a backup was restored, or a fail-over lost data`)
