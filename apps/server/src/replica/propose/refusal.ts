import {
  asksPlain,
  type Claim,
  causeInSteps,
  currentSpec,
  type Decided,
  decideInSteps,
  type Fleet,
  isLive,
  KEPT_CAUSES,
  liftSource,
  openOverlay,
  reasonText,
  refusalsInSteps,
  refusesListed,
  type Steps,
  wayOutInSteps,
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
 * The cause for the first instance without a host, and the reasons of all hosts, counted by filter and code. The resources of earlier
 * instances of the request are treated as used. Yields in between, so no other code may use the fleet until the search ends.
 */
export function* whyRefusedInSteps(
  fleet: Fleet,
  work: PlacementWork,
  decided: Decided,
  source: Claim | undefined,
  ends: Claim | undefined,
): Steps<Refused> {
  const overlay = openOverlay(fleet)
  try {
    const { claimIds, gathered } = work
    const { record, found } = decided
    let profile = decided.judged
    const { id, seed, attempt, alternatesPerInstance } = record
    const request = currentSpec(record.request)
    if (ends !== undefined) overlay.liftDestination(ends, asksPlain(request))
    // a move has one instance, so there are no earlier instances
    if (source !== undefined) liftSource(overlay, request, source, record.intent)
    else if (found > 0) {
      const again = yield* decideInSteps(fleet, overlay, {
        id,
        request,
        profile,
        seed,
        attempt,
        alternatesPerInstance,
        allOrNothing: false,
        claimIds,
        solution: gathered.solution,
        isExplained: true,
      })
      profile = again.judged
    }
    const cause = yield* causeInSteps(fleet, request, profile, found)
    // from level KEPT_CAUSES on, the stored reasons belong to the cause, and the first reason has the code of the cause
    const keepsCause = fleet.hosts.featureLevel >= KEPT_CAUSES
    const reasons = keepsCause ? cause.reasons : yield* refusalsInSteps(fleet, request, profile, found)
    overlay.rollback(0)
    const input = {
      id,
      request,
      profile,
      seed,
      attempt,
      alternatesPerInstance,
      allOrNothing: true,
      claimIds,
      intent: record.intent,
      source,
    }
    return {
      cause: keptCause(cause, yield* wayOutInSteps(fleet, overlay, input, cause)),
      reasons: reasons.map(({ filter, code, hosts, example }) => ({ filter, code, hosts, text: reasonText(example) })),
    }
  } finally {
    overlay.discard()
  }
}

export interface Refused {
  readonly reasons: readonly RefusalReason[]
  readonly cause: KeptCause
}
