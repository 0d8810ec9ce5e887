import { currentSpec, type DecisionRecord, type Fleet, isLive, publishedSpec, withPresentNames } from '@gantt/scheduler-core'

/**
 * Adapts the record of a decision to another state of the fleet. Hosts get their names in that state. A move has no source claim if that
 * claim no longer exists.
 */
export function onOtherState(fleet: Fleet, decided: DecisionRecord): DecisionRecord {
  const asked = currentSpec(decided.request)
  const present = withPresentNames(fleet, asked)
  const record = present === asked ? decided : { ...decided, request: publishedSpec(present) }
  const { source, ...rest } = record
  const claim = source === undefined ? undefined : fleet.ledger.claims.get(source)
  return claim !== undefined && isLive(claim) ? record : rest
}
