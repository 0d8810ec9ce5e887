import type { Fleet } from '../fleet/fleet.ts'
import { atOnce } from '../fleet/steps.ts'
import type { Problem } from '../problem.ts'
import { applyEdits } from './apply-edits.ts'
import { type FleetEditsInput, parseFleetEdits } from './edits.ts'

/** Makes edits at once; throws with every problem where they cannot be made. */
export function edit(fleet: Fleet, input: FleetEditsInput): Fleet {
  const problems = tryEdit(fleet, input)
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('; '))
  return fleet
}

/** Makes edits at once, and tells what is in the way. */
export function tryEdit(fleet: Fleet, input: unknown): readonly Problem[] {
  const parsed = parseFleetEdits(fleet, input)
  return parsed.ok ? atOnce(applyEdits(fleet, parsed.value)) : parsed.problems
}
