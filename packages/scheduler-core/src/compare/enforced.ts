import type { Profile } from '../records/profile.ts'

/** A profile in which one filter that was in shadow mode is enforced. */
export interface EnforcedFilter {
  readonly filter: string
  readonly profile: Profile
}

/** For each filter in shadow mode, the profile with only that filter enforced. */
export function enforcedEach(profile: Profile): readonly EnforcedFilter[] {
  return profile.filters.flatMap(({ shadow, ...filter }, index) => {
    if (!shadow) return []
    return [{ filter: filter.name, profile: { ...profile, filters: profile.filters.with(index, filter) } }]
  })
}
