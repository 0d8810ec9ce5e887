import type { Fleet } from '../fleet/fleet.ts'
import type { DecisionRecord } from '../records/decision.ts'
import type { Profile } from '../records/profile.ts'
import { currentSpec } from '../request/versions.ts'
import { asksSolver } from '../schedulers/solver-scheduler.ts'
import { canonicalJson } from '../values/canonical-json.ts'

/**
 * Whether a profile would have asked its solver about a decision that another version made: its own decision cannot be known then. A
 * solution belongs to one program, and another version's filters and weighers give a different program; versions that differ only in their
 * notes give the same one.
 */
export function isUnsolved(fleet: Fleet, record: DecisionRecord, profile: Profile): boolean {
  if (profile.scheduler !== 'solver') return false
  const decider = fleet.profiles.find(record.profile)
  if (decider !== undefined && programOf(decider) === programOf(profile)) return false
  return asksSolver(profile, currentSpec(record.request)) || mayBeOfBatch(record, decider)
}

/** Claims that leave a host are solved together; if the original version had no solver, it is not known which claims left together. */
const mayBeOfBatch = ({ intent, solver }: DecisionRecord, decider: Profile | undefined): boolean =>
  solver?.solution.batch !== undefined || (intent === 'EVACUATE' && decider?.scheduler !== 'solver')

const programOf = ({ number: _, note: __, ...parts }: Profile): string => canonicalJson(parts)
