import type { Profile } from '../profiles/profile.ts'

/** A profile of whose filters in shadow mode one refuses in earnest. */
export interface InEarnest {
  readonly filter: string
  readonly profile: Profile
}

/** For each filter that is in shadow mode the profile as it would be with that filter asked in earnest, and nothing else changed. */
export function inEarnest(profile: Profile): readonly InEarnest[] {
  return profile.filters.flatMap(({ shadow, ...filter }, place) => {
    if (!shadow) return []
    return [{ filter: filter.name, profile: { ...profile, filters: profile.filters.with(place, filter) } }]
  })
}
