import type { Fleet } from '../fleet/fleet.ts'
import type { Problem } from '../text/problem.ts'
import { atOnce } from '../values/steps.ts'
import { applyEdits } from './apply-edits.ts'
import { type FleetEditsInput, parseFleetEdits } from './edits.ts'

/** Applies edits without yielding. If they cannot be applied, throws an error with all problems. */
export function edit(fleet: Fleet, input: FleetEditsInput): Fleet {
  const problems = tryEdit(fleet, input)
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('; '))
  return fleet
}

/** Applies edits without yielding, and returns the problems. */
export function tryEdit(fleet: Fleet, input: unknown): readonly Problem[] {
  const parsed = parseFleetEdits(fleet, input)
  return parsed.ok ? atOnce(applyEdits(fleet, parsed.value)) : parsed.problems
}
