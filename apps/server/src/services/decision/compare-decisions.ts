import {
  type CompareOptions,
  type Comparison,
  compareDecisions,
  otherCode,
  pluginsOf,
  proposalsBefore,
  type Side,
} from '@gantt/scheduler-core'
import type { StoredDecision } from '../../db/tables/rows.ts'
import { answerYielding, holdingFleets } from '../../event-loop/query.ts'
import type { History } from '../../replica/follow/history.ts'
import type { LentFleets } from '../../replica/follow/past-fleets.ts'
import type { Replica } from '../../replica/replica.ts'
import { InputFault } from '../calls/outcome.ts'
import { MAX_PAGE } from '../calls/paging.ts'
import type { Fidelity } from '../explanation/examined.ts'
import type { Decisions, DecisionView } from './decisions.ts'
import { onOtherState } from './other-state.ts'

/** The differences between two decisions, and why they chose different hosts. */
export interface DecisionComparison extends Comparison {
  readonly a: DecisionView
  readonly b: DecisionView
  /**
   * REPLAYED if both decisions are replayed bit for bit. APPROXIMATE if a decision is replayed by a different release, or on a state other
   * than the state on which the decision was made.
   */
  readonly fidelity: Fidelity
  /** The reasons why the fidelity is APPROXIMATE, as sentences; null if it is REPLAYED. */
  readonly approximateBecause: string | null
}

/** A comparison waits at most this long for other calls with what-if queries. */
const MAX_WAIT_MS = 10_000

/** Explains why two decisions differ. Throws InputFault if a decision or its profile does not exist. */
export type CompareDecisions = (a: string, b: string, instance?: number | null) => Promise<DecisionComparison>

export function createCompareDecisions(replica: Replica, history: Pick<History, 'lend' | 'find'>, decisions: Decisions): CompareDecisions {
  const find = async (id: string, argument: string): Promise<StoredDecision> => {
    const stored = await decisions.stored(id)
    if (stored === undefined) throw InputFault.at([argument], id, 'the id of a decision')
    return stored
  }
  /**
   * A decision with the state on which it was decided, or with a copy of the present state if the log no longer contains the original
   * state.
   */
  const sideOf = async (lent: LentFleets, stored: StoredDecision, argument: string): Promise<Side> => {
    try {
      return await keptSide({ ...lent, find: history.find }, stored)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const { record, place, answer } = stored
      const fleet = lent.copy(replica.fleet)
      const profile = fleet.profiles.find(record.profile)
      if (profile === undefined)
        throw InputFault.at([argument], stored.id, `a decision by a profile that is known; ${record.profile} is not`)
      return { fleet, record: onOtherState(fleet, record), profile, before: [], lost: { revision: place.basis, record, answer } }
    }
  }
  const compare: CompareDecisions = async (a, b, instance) => {
    const [first, second] = [await find(a, 'a'), await find(b, 'b')]
    const options: CompareOptions = { instance: instanceOf(first, second, instance), most: MAX_PAGE }
    return history.lend(async (lent) => {
      const sides = [await sideOf(lent, first, 'a'), await sideOf(lent, second, 'b')] as const
      const comparison = await answerYielding(compareDecisions(...sides, options))
      const because = approximateBecause(...sides)
      return {
        ...comparison,
        a: decisions.of(first),
        b: decisions.of(second),
        fidelity: because === null ? ('REPLAYED' as const) : ('APPROXIMATE' as const),
        approximateBecause: because,
      }
    })
  }
  return (...asked) => holdingFleets(MAX_WAIT_MS, () => compare(...asked))
}

/** A decision with the state on which it was decided. Throws RangeError if the log no longer contains that state. */
async function keptSide(history: Pick<History, 'at' | 'find'>, { record, place }: StoredDecision): Promise<Side> {
  const fleet = await history.at(place.basis)
  const entry = place.entryId === null ? undefined : await history.find(place.entryId, place.basis)
  if (place.entryId !== null && entry === undefined) throw new RangeError(`entry ${place.entryId} is not in the log`)
  const profile = fleet.profiles.find(record.profile)
  if (profile === undefined) throw new RangeError(`profile ${record.profile} is not known at revision ${place.basis}`)
  return { fleet, record, profile, before: entry === undefined ? [] : proposalsBefore(entry, place.position ?? 0) }
}

function approximateBecause(first: Side, second: Side): string | null {
  const reasons = (['first', 'second'] as const).flatMap((which) => {
    const { lost, fleet, record } = which === 'first' ? first : second
    const other = otherCode(record, pluginsOf(fleet))
    return [
      ...(lost === undefined
        ? []
        : [
            `The log no longer contains revision ${lost.revision} of the ${which}: the answer is based on its record and, for hosts that the record does not name, on revision ${fleet.place.revision}.`,
          ]),
      ...(other === undefined ? [] : [`The ${which} was decided ${other}.`]),
    ]
  })
  return reasons.length === 0 ? null : reasons.join(' ')
}

function instanceOf(first: StoredDecision, second: StoredDecision, instance: number | null | undefined): number | undefined {
  if (instance === null || instance === undefined) return undefined
  const most = Math.min(first.record.request.numInstances, second.record.request.numInstances)
  if (instance < 0 || instance >= most) throw InputFault.at(['instanceIndex'], instance, `0 to ${most - 1}`)
  return instance
}
