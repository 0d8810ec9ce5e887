import { type DecisionRecord, type Fleet, isLive } from '@gantt/scheduler-core'

/** A move is judged without its own claim, as long as that is there. */
export function withoutGone({ ledger }: Fleet, record: DecisionRecord): DecisionRecord {
  const { source, ...rest } = record
  const claim = source === undefined ? undefined : ledger.claims.get(source)
  return claim !== undefined && isLive(claim) ? record : rest
}
