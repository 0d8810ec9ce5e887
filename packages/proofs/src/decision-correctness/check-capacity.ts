import { copyFleet, type Fleet, type Profile, type RequestSpec } from '@gantt/scheduler-core'
import type { Core } from './core.ts'
import { difference } from './difference.ts'
import { decideAsModel, groupOf } from './model/decide.ts'
import type { ModelFleet } from './model/state.ts'

/** Counting stops at this many instances. Placing tries one more. */
const LIMIT = 25

/**
 * Compares the capacity for a request, counted host by host, with the number of instances that can be placed one by one. Also checks the
 * sums over groups of hosts. Both results ignore pending proposals, because a pending proposal is not a claim yet.
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
    // A count that is not exact is a lower bound.
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
  // These are the seeds with which the core places instances if their order matters.
  for (; count <= LIMIT; count++) {
    const question = { request: one, profile, seed: `${seed} 0.${count}`, alternates: 0, allOrNothing: true }
    const [next] = decideAsModel(fleet, question).placed
    if (next === undefined) break
    const { host, takes } = next
    fleet.claims.push({ host, instance: null, group: groupOf(one), takes, isListed: false, isHeldInAddition: false, isLogged: false })
  }
  return count
}
