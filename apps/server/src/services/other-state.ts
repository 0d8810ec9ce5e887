import { currentSpec, type DecisionRecord, type Fleet, isLive, publishedSpec, withPresentNames } from '@gantt/scheduler-core'

/** A decision's record as a state that it did not meet can judge it: hosts by their names there, and a move without its own claim if that is gone. */
export function onOtherState(fleet: Fleet, decided: DecisionRecord): DecisionRecord {
  const asked = currentSpec(decided.request)
  const present = withPresentNames(fleet, asked)
  const record = present === asked ? decided : { ...decided, request: publishedSpec(present) }
  const { source, ...rest } = record
  const claim = source === undefined ? undefined : fleet.ledger.claims.get(source)
  return claim !== undefined && isLive(claim) ? record : rest
}
