import { isLive, isLiveState } from './claim.ts'
import { endClaim } from './claim-calls.ts'
import type { ModelChange } from './entry.ts'
import type { ModelFleet } from './fleet.ts'

export function bindKey(fleet: ModelFleet, { account, key, parts }: ModelChange): void {
  const claims = parts.map(({ claim }: ModelChange) => claim)
  fleet.keys.push({ account, key, claims, forgottenAt: claims.length === 0 ? fleet.now + fleet.afterlife : null })
}

export function judgeAbandon(fleet: ModelFleet, { account, key }: ModelChange): string | undefined {
  const bound = fleet.keys.find((one) => one.account === account && one.key === key)
  if (bound === undefined) {
    fleet.keys.push({ account, key, claims: [], forgottenAt: fleet.now + fleet.afterlife })
    return undefined
  }
  for (const id of bound.claims) {
    const claim = fleet.claim(id)
    if (isLive(claim)) endClaim(fleet, claim, 'RELEASED')
  }
  return undefined
}

/**
 * Removes ended claims that hold nothing in addition to a report, whose instance is no longer listed, and whose key is no longer stored.
 * This happens with the entry that removes the key, or with the report that no longer lists the instance.
 */
export function forgetUnused(fleet: ModelFleet): void {
  fleet.claims = fleet.claims.filter(
    (claim) =>
      isLiveState(claim.state) || claim.lingers || claim.extra !== null || fleet.keys.some(({ claims }) => claims.includes(claim.id)),
  )
}

/**
 * Sets for how long a key is stored after its last claim ended. The new time also applies to keys whose claims have already ended. The
 * model ignores the limit on the count of keys.
 */
export function judgeKeyLimits(fleet: ModelFleet, { afterlifeMs }: ModelChange): undefined {
  for (const key of fleet.keys) if (key.forgottenAt !== null) key.forgottenAt += afterlifeMs - fleet.afterlife
  fleet.afterlife = afterlifeMs
}
