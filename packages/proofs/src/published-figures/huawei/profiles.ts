import type { ProfileParts } from '../driver.ts'
import { partsOf } from '../profile-parts.ts'

/**
 * The version of a profile that the published figures of the trace mean; undefined where they mean the release's own.
 * The trace's `best-fit` looks for the tightest cell of all hosts; what fills hosts is called `best-fit-host` there.
 */
export function huaweiVersion(profile: string): ProfileParts | undefined {
  if (profile === 'best-fit-host') return partsOf('best-fit')
  if (profile === 'best-fit') return { ...partsOf(profile), weighers: [{ name: 'NUMAFitWeigher', multiplier: 1, options: {} }] }
  return undefined
}
