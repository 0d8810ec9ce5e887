import { openOverlay } from '../../fleet/overlay.ts'
import type { MoveIntent } from '../../records/change.ts'
import type { Claim } from '../../records/claim.ts'
import type { Profile } from '../../records/profile.ts'
import { decide } from '../../schedulers/decide.ts'
import { aRequest, type TestLog } from '../../testing/index.ts'

/** The result of a decision to resize the claim `a` to these amounts on its own host. */
export function resize(
  { fleet }: TestLog,
  asks: Parameters<typeof aRequest>[0],
  profile: Profile,
  intent: MoveIntent | 'REBUILD' = 'RESIZE',
) {
  const source = fleet.ledger.claims.get('a.0') as Claim
  const request = aRequest({ instanceUuids: [source.instance as string], image: { properties: {} }, ...asks })
  const overlay = openOverlay(fleet)
  try {
    const asked = { id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] }
    return decide(fleet, overlay, { ...asked, request, profile, intent, source })
  } finally {
    overlay.discard()
  }
}
