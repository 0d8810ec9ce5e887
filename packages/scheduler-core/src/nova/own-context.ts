import type { Fleet } from '../fleet/fleet.ts'
import { PRESENT_OPTIONS } from '../fleet/levels.ts'
import { presentHosts } from '../fleet/present-names.ts'
import type { CheckContext } from './nova-filter.ts'
import { attestationsOf } from './own-attestations.ts'

/** What Nova's filters are told of a fleet beside request and host. */
export const contextOf = (fleet: Fleet): Omit<CheckContext, 'now'> => ({
  attestations: attestationsOf(fleet),
  featureLevel: fleet.featureLevel,
  ...(fleet.featureLevel >= PRESENT_OPTIONS && { presentHosts: (names: readonly string[]) => presentHosts(fleet.hosts, names) }),
})
