import type { Fleet } from '../../fleet/fleet.ts'
import { presentHosts } from '../../fleet/present-names.ts'
import { PRESENT_OPTIONS } from '../../values/levels.ts'
import type { CheckContext } from '../parts/nova-filter.ts'
import { attestationsOf } from './own-attestations.ts'

/** What Nova's filters need to know about a fleet, in addition to request, host and time. */
export const contextOf = (fleet: Fleet): Omit<CheckContext, 'now'> => ({
  attestations: attestationsOf(fleet),
  featureLevel: fleet.featureLevel,
  ...(fleet.featureLevel >= PRESENT_OPTIONS && { presentHosts: (names: readonly string[]) => presentHosts(fleet.hosts, names) }),
})
