import type { Fleet } from '../fleet/fleet.ts'
import type { DecisionRecord } from '../records/decision.ts'
import type { Profile } from '../records/profile.ts'
import { currentSpec } from '../request/versions.ts'
import { asksSolver } from '../schedulers/solver-scheduler.ts'
import { canonicalJson } from '../values/canonical-json.ts'

/**
 * True if the decision that `profile` would make is unknown, because its solver would have to be called. The record has only the solution
 * for the profile version that decided. Any other version has a different integer program, unless only its note is different.
 */
export function isUnsolved(fleet: Fleet, record: DecisionRecord, profile: Profile): boolean {
  if (profile.scheduler !== 'solver') return false
  const decider = fleet.profiles.find(record.profile)
  if (decider !== undefined && programOf(decider) === programOf(profile)) return false
  return asksSolver(profile, currentSpec(record.request)) || mayBeOfBatch(record, decider)
}

/**
 * True if the decision may be part of a batch. Moves off one host are solved together. If the profile version that decided had no solver,
 * the record does not show which claims moved off the host together.
 */
const mayBeOfBatch = ({ intent, solver }: DecisionRecord, decider: Profile | undefined): boolean =>
  solver?.solution.batch !== undefined || (intent === 'EVACUATE' && decider?.scheduler !== 'solver')

const programOf = ({ number: _, note: __, ...parts }: Profile): string => canonicalJson(parts)
