import type { Profile } from '../profiles/profile.ts'
import { toStorable } from '../storable.ts'
import type { CompiledFilter } from './compiled-profile.ts'

const FAILURE = Symbol('why the scheduler of a plug-in gave nothing')

/** A profile whose scheduler failed. Copies with other filters have that too; JSON and comparisons do not see it. */
type Failed = Profile & { readonly [FAILURE]?: string }

/** The profile as it decides where its scheduler gave nothing that can be taken: every host that passes all else is refused with ERROR. */
export const withFailure = (profile: Profile, why: string): Profile => ({ ...profile, [FAILURE]: toStorable(why) }) as Failed

/** Why; undefined: it did not fail. */
export const failureOf = (profile: Profile): string | undefined => (profile as Failed)[FAILURE]

/** What refuses the hosts, under the name of the scheduler. */
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
  // asked last, of the hosts that are left, forced ones too
  return [{ filter, options: {}, isNet: false, isOutside: true, verifiedAt: 'NONE' }]
}
