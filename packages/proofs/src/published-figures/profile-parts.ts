import { Fleet } from '@gantt/scheduler-core'
import type { ProfileParts } from './driver.ts'

const { profiles } = new Fleet()

/** The names of the profiles that are part of the release. */
export const releaseProfiles: readonly string[] = profiles.names()

/** A profile of the release without its name and number. Throws RangeError if there is no profile of that name. */
export function partsOf(name: string): ProfileParts {
  const profile = profiles.find(name)
  if (profile === undefined) throw new RangeError(`there is no profile ${name}; it must be one of ${releaseProfiles.join(', ')}`)
  const { name: _name, number: _number, ...parts } = profile
  return parts
}
