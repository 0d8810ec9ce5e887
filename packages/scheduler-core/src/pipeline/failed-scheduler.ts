import type { CompiledFilter } from '../contracts/compiled-profile.ts'
import type { Profile } from '../records/profile.ts'
import { toStorable } from '../values/storable.ts'

const FAILURE = Symbol('why the scheduler of a plug-in gave nothing')

/** Marks a profile whose scheduler failed. Copies of the profile with other filters keep the mark. JSON and comparisons do not show it. */
type Failed = Profile & { readonly [FAILURE]?: string }

/** The profile that records a decision whose scheduler gave no usable answer. It refuses every host that passes all filters with ERROR. */
export const withFailure = (profile: Profile, why: string): Profile => ({ ...profile, [FAILURE]: toStorable(why) }) as Failed

/** The error of the scheduler; undefined if it did not fail. */
export const failureOf = (profile: Profile): string | undefined => (profile as Failed)[FAILURE]

/** A filter with the name of the scheduler. It refuses every host. */
export function failedScheduler(profile: Profile): CompiledFilter[] {
  const why = failureOf(profile)
  if (why === undefined) return []
  const filter: CompiledFilter['filter'] = {
    name: profile.scheduler,
    description: 'The scheduler chooses one of the hosts that pass.',
    reads: [],
    readsHostOnly: true,
    prepare() {
      throw new Error(why)
    },
  }
  // This filter runs last, and also on forced hosts.
  return [{ filter, options: {}, isNet: false, isOutside: true, verifiedAt: 'NONE' }]
}
