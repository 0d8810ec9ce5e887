import { CORE_VERSION, type CompareOptions, type Comparison, compareDecisions, proposalsBefore, type Side } from '@gantt/scheduler-core'
import type { StoredDecision } from '../db/rows.ts'
import type { History } from '../replica/history.ts'
import { inPieces } from '../replica/pieces.ts'
import type { Decisions, DecisionView } from './decisions.ts'
import type { Fidelity } from './examined.ts'
import { InputFault } from './outcome.ts'
import { MAX_PAGE } from './paging.ts'

/** Two decisions, in what they differ, and why they went to other hosts. */
export interface DecisionComparison extends Comparison {
  readonly a: DecisionView
  readonly b: DecisionView
  /** REPLAYED: both are made again bit for bit; APPROXIMATE: by other code than one of them was made with. */
  readonly fidelity: Fidelity
}

/** Answers why two decisions differ. Throws InputFault for a decision that is not there or cannot be made again. */
export type CompareDecisions = (a: string, b: string, instance?: number | null) => Promise<DecisionComparison>

export function createCompareDecisions(history: History, decisions: Decisions): CompareDecisions {
  const find = async (id: string, argument: string): Promise<StoredDecision> => {
    const stored = await decisions.stored(id)
    if (stored === undefined) throw InputFault.at([argument], id, 'the id of a decision')
    return stored
  }
  return async (a, b, instance) => {
    const [first, second] = [await find(a, 'a'), await find(b, 'b')]
    const options: CompareOptions = { instance: instanceOf(first, second, instance), most: MAX_PAGE }
    const sides = [await sideOf(history, first, 'a'), await sideOf(history, second, 'b')] as const
    const comparison = await inPieces(compareDecisions(...sides, options))
    const isExact = [first, second].every(({ record }) => record.core === CORE_VERSION)
    return { ...comparison, a: decisions.of(first), b: decisions.of(second), fidelity: isExact ? 'REPLAYED' : 'APPROXIMATE' }
  }
}

/** A decision with the state that it met. */
async function sideOf(history: History, { id, record, place }: StoredDecision, argument: string): Promise<Side> {
  try {
    const fleet = await history.at(place.basis)
    const entry = place.entryId === null ? undefined : await history.find(place.entryId, place.basis)
    if (place.entryId !== null && entry === undefined) throw new RangeError(`entry ${place.entryId} is not in the log`)
    const profile = fleet.profiles.find(record.profile)
    if (profile === undefined) throw new RangeError(`profile ${record.profile} is not known at revision ${place.basis}`)
    return { fleet, record, profile, before: entry === undefined ? [] : proposalsBefore(entry, place.position ?? 0) }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw InputFault.at([argument], id, `a decision whose state is still kept (${error.message})`)
  }
}

function instanceOf(first: StoredDecision, second: StoredDecision, instance: number | null | undefined): number | undefined {
  if (instance === null || instance === undefined) return undefined
  const most = Math.min(first.record.request.numInstances, second.record.request.numInstances)
  if (instance < 0 || instance >= most) throw InputFault.at(['instanceIndex'], instance, `0 to ${most - 1}`)
  return instance
}
