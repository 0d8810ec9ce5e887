import type { CompiledFilter } from '../contracts/compiled-profile.ts'
import type { Profile } from '../records/profile.ts'
import { toStorable } from '../values/storable.ts'

const FAILURE = Symbol('why the scheduler of a plug-in failed')

/**
 * A profile whose scheduler failed. The error is stored under a symbol. Therefore copies of the profile contain the error, but JSON and
 * comparisons of fields do not.
 */
type Failed = Profile & { readonly [FAILURE]?: string }

/**
 * The profile for recording a decision whose scheduler failed. With this profile, every host that passes all filters is refused with the
 * verdict ERROR.
 */
export const withFailure = (profile: Profile, why: string): Profile => ({ ...profile, [FAILURE]: toStorable(why) }) as Failed

/** The error of the scheduler. Undefined if the scheduler did not fail. */
export const failureOf = (profile: Profile): string | undefined => (profile as Failed)[FAILURE]

/** If the scheduler failed, returns a filter with its name. The filter refuses every host. */
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
