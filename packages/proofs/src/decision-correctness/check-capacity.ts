import { copyFleet, type Fleet, type Profile, type RequestSpec } from '@gantt/scheduler-core'
import type { Core } from './core.ts'
import { difference } from './difference.ts'
import { decideAsModel, groupOf } from './model/decide.ts'
import type { ModelFleet } from './model/state.ts'

/**
 * The core counts the capacity up to this many instances. The model tries to place one more instance, to check whether the capacity is
 * larger than this limit.
 */
const LIMIT = 25

/**
 * Compares the core's capacity for a request with the number of instances that the model can place one by one. Also checks that the
 * capacities of groups of hosts add up to the total. Pending proposals are ignored, because they are not claims yet.
 */
export function compareCapacity(
  core: Core,
  fleet: Fleet,
  model: ModelFleet,
  request: RequestSpec,
  profile: Profile,
  seed: string,
): string | undefined {
  const options = { request, profile, seed, groupsOf: ({ zone }: { readonly zone: string }) => [zone], limit: LIMIT, isOver: () => false }
  const counting = core.countCapacity(copyFleet(fleet), options)
  let step = counting.next()
  while (step.done !== true) step = counting.next()
  const { fits, exact, groups } = step.value
  const placed = placeOneByOne({ ...model, claims: model.claims.filter(({ isLogged }) => isLogged) }, request, profile, seed)
  return (
    // If the core's count is not exact, the core stopped at the limit, and more instances may fit.
    difference('capacity', { fits, exact }, exact ? { fits: placed, exact } : { fits: LIMIT, exact: placed < LIMIT }) ??
    difference(
      'capacity.groups',
      groups.reduce((sum, group) => sum + group.fits, 0),
      fits,
    )
  )
}

function placeOneByOne(fleet: ModelFleet, request: RequestSpec, profile: Profile, seed: string): number {
  const one = { ...request, numInstances: 1, instanceUuids: [] }
  let count = 0
  // The core uses the same seeds for the requests whose instances it has to place one by one.
  for (; count <= LIMIT; count++) {
    const question = { request: one, profile, seed: `${seed} 0.${count}`, alternates: 0, allOrNothing: true }
    const [next] = decideAsModel(fleet, question).placed
    if (next === undefined) break
    const { host, takes } = next
    fleet.claims.push({ host, instance: null, group: groupOf(one), takes, isListed: false, isHeldInAddition: false, isLogged: false })
  }
  return count
}
