import {
  asksPlain,
  type Claim,
  causeOf,
  currentSpec,
  type Decided,
  decide,
  type Fleet,
  isLive,
  KEPT_CAUSES,
  liftSource,
  type Overlay,
  reasonText,
  refusalsOf,
  refusesListed,
  wayOut,
} from '@gantt/scheduler-core'
import type { KeptCause } from '../../db/tables/rows.ts'
import { keptCause } from './kept-cause.ts'
import type { PlacementOutcome, RefusalReason } from './placement.ts'
import type { PlacementWork } from './work.ts'

/**
 * Why no claim can be created for an instance that already runs on its destination according to the caller; undefined if it can be created.
 */
export function listedRefusal(fleet: Fleet, { parts }: Decided): PlacementOutcome | undefined {
  const code = refusesListed(fleet, parts)
  if (code !== 'claim.instance_taken') return code && { type: 'void', code }
  const claim = fleet.ledger.claimsFor(parts[0]?.instance ?? '').find(isLive)
  return claim && { type: 'taken', claim }
}

/**
 * The cause for the first instance without a host, and the reasons of all hosts, counted by filter and code. Earlier instances of the
 * request hold their resources meanwhile.
 */
export function whyRefused(
  fleet: Fleet,
  overlay: Overlay,
  work: PlacementWork,
  decided: Decided,
  source: Claim | undefined,
  ends: Claim | undefined,
): Refused {
  const { claimIds, gathered } = work
  const { record, found, judged: profile } = decided
  const held = overlay.size
  const { id, seed, attempt, alternatesPerInstance } = record
  const request = currentSpec(record.request)
  if (ends !== undefined) overlay.liftDestination(ends, asksPlain(request))
  // a move has one instance, so there are no earlier instances
  if (source !== undefined) liftSource(overlay, request, source, record.intent)
  else if (found > 0)
    decide(fleet, overlay, {
      id,
      request,
      profile,
      seed,
      attempt,
      alternatesPerInstance,
      allOrNothing: false,
      claimIds,
      solution: gathered.solution,
    })
  const cause = causeOf(fleet, request, profile, found)
  // from level KEPT_CAUSES on, the stored reasons are those of the cause, and the first one has the code of the cause
  const reasons = fleet.hosts.featureLevel >= KEPT_CAUSES ? cause.reasons : refusalsOf(fleet, request, profile, found)
  overlay.rollback(held)
  const input = { id, request, profile, seed, attempt, alternatesPerInstance, allOrNothing: true, claimIds, intent: record.intent, source }
  return {
    cause: keptCause(cause, wayOut(fleet, overlay, input, cause)),
    reasons: reasons.map(({ filter, code, hosts, example }) => ({ filter, code, hosts, text: reasonText(example) })),
  }
}

export interface Refused {
  readonly reasons: readonly RefusalReason[]
  readonly cause: KeptCause
}
