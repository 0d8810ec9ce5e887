import { currentSpec, type DecisionRecord, type Fleet, isLive, publishedSpec, withPresentNames } from '@gantt/scheduler-core'

/** A decision's record adapted to another state: hosts have their names in that state, and a move has no claim if its claim is gone. */
export function onOtherState(fleet: Fleet, decided: DecisionRecord): DecisionRecord {
  const asked = currentSpec(decided.request)
  const present = withPresentNames(fleet, asked)
  const record = present === asked ? decided : { ...decided, request: publishedSpec(present) }
  const { source, ...rest } = record
  const claim = source === undefined ? undefined : fleet.ledger.claims.get(source)
  return claim !== undefined && isLive(claim) ? record : rest
}
