import type { CompiledFilter } from '../contracts/compiled-profile.ts'
import type { Profile } from '../records/profile.ts'
import { toStorable } from '../values/storable.ts'

const FAILURE = Symbol('why the scheduler of a plug-in gave nothing')

/** Marks a profile whose scheduler failed. Copies with other filters keep the mark; JSON and comparisons do not show it. */
type Failed = Profile & { readonly [FAILURE]?: string }

/**
 * The profile with which a decision is made after its scheduler gave no usable answer: every host that passes all filters is refused with
 * ERROR.
 */
export const withFailure = (profile: Profile, why: string): Profile => ({ ...profile, [FAILURE]: toStorable(why) }) as Failed

/** The error of the scheduler; undefined if it did not fail. */
export const failureOf = (profile: Profile): string | undefined => (profile as Failed)[FAILURE]

/** The filter that refuses the hosts, under the name of the scheduler. */
export function failedScheduler(profile: Profile): CompiledFilter[] {
  const why = failureOf(profile)
  if (why === undefined) return []
  const filter: CompiledFilter['filter'] = {
    name: profile.scheduler,
    description: 'The scheduler takes one of the hosts that pass.',
    reads: [],
    readsHostOnly: true,
    prepare() {
      throw new Error(why)
    },
  }
  // It runs last, for the remaining hosts, including forced ones.
  return [{ filter, options: {}, isNet: false, isOutside: true, verifiedAt: 'NONE' }]
}
