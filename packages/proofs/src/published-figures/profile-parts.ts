import { Fleet } from '@gantt/scheduler-core'
import type { ProfileParts } from './driver.ts'

const { profiles } = new Fleet()

/** Names of the profiles that come with the release. */
export const releaseProfiles: readonly string[] = profiles.names()

/** The parts of a profile of the release, from which a version is made. Throws RangeError if there is none of that name. */
export function partsOf(name: string): ProfileParts {
  const profile = profiles.find(name)
  if (profile === undefined) throw new RangeError(`there is no profile ${name}; it must be one of ${releaseProfiles.join(', ')}`)
  const { name: _name, number: _number, ...parts } = profile
  return parts
}
