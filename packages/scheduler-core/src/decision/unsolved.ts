import type { Fleet } from '../fleet/fleet.ts'
import type { DecisionRecord } from '../records/decision.ts'
import type { Profile } from '../records/profile.ts'
import { currentSpec } from '../request/versions.ts'
import { asksSolver } from '../schedulers/solver-scheduler.ts'
import { canonicalJson } from '../values/canonical-json.ts'

/**
 * Whether the decision of a profile cannot be known, because it would have called its solver for a decision that another version made. A
 * solution belongs to one program, and another version's filters and weighers give a different program. Versions that differ only in their
 * notes have the same program.
 */
export function isUnsolved(fleet: Fleet, record: DecisionRecord, profile: Profile): boolean {
  if (profile.scheduler !== 'solver') return false
  const decider = fleet.profiles.find(record.profile)
  if (decider !== undefined && programOf(decider) === programOf(profile)) return false
  return asksSolver(profile, currentSpec(record.request)) || mayBeOfBatch(record, decider)
}

/**
 * Whether a claim may have been solved together with others. Claims that leave a host are solved together. If the original version had no
 * solver, it is not known which claims left together.
 */
const mayBeOfBatch = ({ intent, solver }: DecisionRecord, decider: Profile | undefined): boolean =>
  solver?.solution.batch !== undefined || (intent === 'EVACUATE' && decider?.scheduler !== 'solver')

const programOf = ({ number: _, note: __, ...parts }: Profile): string => canonicalJson(parts)
