import type { ProfileParts } from '../driver.ts'
import { partsOf } from '../profile-parts.ts'

/**
 * The version of a profile that the published figures of the trace need; undefined if the release's own version is used. In this trace,
 * `best-fit` means the tightest cell of all hosts, and the policy that fills hosts is called `best-fit-host`.
 */
export function huaweiVersion(profile: string): ProfileParts | undefined {
  if (profile === 'best-fit-host') return partsOf('best-fit')
  if (profile === 'best-fit') return { ...partsOf(profile), weighers: [{ name: 'NUMAFitWeigher', multiplier: 1, options: {} }] }
  return undefined
}
