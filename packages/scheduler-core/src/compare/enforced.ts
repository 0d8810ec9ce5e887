import type { Profile } from '../records/profile.ts'

/** A copy of a profile in which one filter is enforced. In the original profile, this filter is in shadow mode. */
export interface EnforcedFilter {
  readonly filter: string
  readonly profile: Profile
}

/** For each filter in shadow mode, makes a copy of the profile in which this filter is enforced. */
export function enforcedEach(profile: Profile): readonly EnforcedFilter[] {
  return profile.filters.flatMap(({ shadow, ...filter }, index) => {
    if (!shadow) return []
    return [{ filter: filter.name, profile: { ...profile, filters: profile.filters.with(index, filter) } }]
  })
}
