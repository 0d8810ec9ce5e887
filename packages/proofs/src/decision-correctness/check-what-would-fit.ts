import { applyEdits, type Counterfactual, changeKinds, copyFleet, type Fleet, type Profile, type RequestSpec } from '@gantt/scheduler-core'
import { type Core, decideOnce } from './core.ts'
import { difference } from './difference.ts'
import { decideAsModel } from './model/decide.ts'
import { readModel } from './read-model.ts'

/** A search tries at most `maxRuns` decisions and returns at most `first` answers. */
const LIMITS = { maxRuns: 30, first: 3 }

/**
 * Applies every change that the core proposes to a copy of the fleet. On this copy, the core and the model must then place all instances.
 * The core must state that the request fits without changes exactly if the model can place it on the unchanged fleet.
 */
export function compareCounterfactuals(
  core: Core,
  fleet: Fleet,
  request: RequestSpec,
  profile: Profile,
  given: string,
): string | undefined {
  const options = { request, profile, seed: given, kinds: changeKinds, maxChanges: 2, minHosts: 1, ...LIMITS, isOver: () => false }
  const { fits, counterfactuals } = runToEnd(core.whatWouldFit(copyFleet(fleet), options))
  // The core tries its decisions with this seed, so the model uses the same seed.
  const seed = `${given} 0.0`
  const isPlaced = placedByModel(fleet, request, profile, seed)
  const inFits = difference('what would fit: fits without changes', fits, isPlaced)
  if (inFits !== undefined) return inFits
  for (const counterfactual of counterfactuals) {
    const found = compareOne(fleet, counterfactual, profile, seed)
    if (found !== undefined) return found
  }
  return undefined
}

function compareOne(fleet: Fleet, { text, request, edits, filters }: Counterfactual, profile: Profile, seed: string): string | undefined {
  const own = copyFleet(fleet)
  const problems = runToEnd(applyEdits(own, edits))
  const changed = filters === undefined ? profile : { ...profile, filters }
  const placed = problems.length === 0 && decideOnce(own, changed, request, seed).found === request.numInstances
  return difference(
    `what would fit, ${text}`,
    { placed, byModel: placedByModel(own, request, changed, seed) },
    { placed: true, byModel: true },
  )
}

const placedByModel = (fleet: Fleet, request: RequestSpec, profile: Profile, seed: string): boolean =>
  decideAsModel(readModel(fleet), { request, profile, seed, alternates: 0, allOrNothing: true }).found === request.numInstances

function runToEnd<T>(steps: Generator<void, T>): T {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}
