import { canonicalJson } from '../canonical-json.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Profile } from '../profiles/profile.ts'
import { currentSpec } from '../request/versions.ts'
import { asksSolver } from '../schedulers/solver-scheduler.ts'
import type { DecisionRecord } from './decision.ts'

/**
 * Whether a profile would have asked its solver about a decision that another one made: what it decides is not known then. A solution answers
 * one program, and another version's filters and weighers make another; versions that differ in their notes alone make the same.
 */
export function isUnsolved(fleet: Fleet, record: DecisionRecord, profile: Profile): boolean {
  if (profile.scheduler !== 'solver') return false
  const decider = fleet.profiles.find(record.profile)
  if (decider !== undefined && programOf(decider) === programOf(profile)) return false
  return asksSolver(profile, currentSpec(record.request)) || mayBeOfBatch(record, decider)
}

/** Claims that leave a host are solved together; of a decider without a solver nobody knows which did. */
const mayBeOfBatch = ({ intent, solver }: DecisionRecord, decider: Profile | undefined): boolean =>
  solver?.solution.batch !== undefined || (intent === 'EVACUATE' && decider?.scheduler !== 'solver')

const programOf = ({ number: _, note: __, ...parts }: Profile): string => canonicalJson(parts)
