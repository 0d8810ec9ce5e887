import type { ProfileParts } from '../driver.ts'
import { partsOf } from '../profile-parts.ts'

/**
 * The version of a profile that reproduces the published figures of the trace. Undefined if the profile of the release is suitable. In this
 * trace, `best-fit` means the tightest cell of all hosts, and the policy that fills hosts is called `best-fit-host`.
 */
export function huaweiVersion(profile: string): ProfileParts | undefined {
  if (profile === 'best-fit-host') return partsOf('best-fit')
  if (profile === 'best-fit') return { ...partsOf(profile), weighers: [{ name: 'NUMAFitWeigher', multiplier: 1, options: {} }] }
  return undefined
}
