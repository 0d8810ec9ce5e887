import type { ProfileParts } from '../driver.ts'
import { partsOf } from '../profile-parts.ts'

/**
 * The version of a profile that the published figures of the trace use; undefined if they use the release's own. The
 * trace's `best-fit` searches the tightest cell of all hosts; the policy that fills hosts is called `best-fit-host`
 * there.
 */
export function huaweiVersion(profile: string): ProfileParts | undefined {
  if (profile === 'best-fit-host') return partsOf('best-fit')
  if (profile === 'best-fit') return { ...partsOf(profile), weighers: [{ name: 'NUMAFitWeigher', multiplier: 1, options: {} }] }
  return undefined
}
