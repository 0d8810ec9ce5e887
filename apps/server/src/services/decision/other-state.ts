import { currentSpec, type DecisionRecord, type Fleet, isLive, publishedSpec, withPresentNames } from '@gantt/scheduler-core'

/**
 * Adapts the record of a decision to another state of the fleet. Hosts get the names that they have in that state. If the source claim of a
 * move does not exist in that state or has ended there, the record no longer names the claim.
 */
export function onOtherState(fleet: Fleet, decided: DecisionRecord): DecisionRecord {
  const asked = currentSpec(decided.request)
  const present = withPresentNames(fleet, asked)
  const record = present === asked ? decided : { ...decided, request: publishedSpec(present) }
  const { source, ...rest } = record
  const claim = source === undefined ? undefined : fleet.ledger.claims.get(source)
  return claim !== undefined && isLive(claim) ? record : rest
}
