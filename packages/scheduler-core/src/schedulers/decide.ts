import type { DecisionRecord, SelectedDestination } from '../decision/decision.ts'
import type { ClaimPart } from '../fleet/change.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import { type CompiledProfile, compileProfile } from '../pipeline/compile.ts'
import { type Profile, profileRef } from '../profiles/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { CORE_VERSION } from '../version.ts'
import { createChanceScheduler, createFilterScheduler } from './filter-scheduler.ts'
import type { Scheduler } from './scheduler.ts'

/** Everything beside the fleet that a decision depends on. */
export interface DecideInput {
  readonly id: string
  readonly request: RequestSpec
  readonly profile: Profile
  readonly seed: string
  readonly attempt: number
  readonly alternatesPerInstance: number
  readonly allOrNothing: boolean
  /** One for each instance. */
  readonly claimIds: readonly string[]
}

export interface Decided {
  /** Empty when nothing is placed; held in the overlay. */
  readonly parts: readonly ClaimPart[]
  readonly answer: readonly SelectedDestination[]
  readonly found: number
  readonly record: DecisionRecord
}

/** One decision: a function of the fleet with its overlay and the input. The same arguments give the same bits. */
export function decide(fleet: Fleet, overlay: Overlay, input: DecideInput): Decided {
  const { request, profile, seed, alternatesPerInstance, allOrNothing, claimIds } = input
  const { instances, ...selection } = schedulerOf(profile).select(request, fleet, overlay, {
    seed,
    alternatesPerInstance,
    allOrNothing,
    claimIds,
  })
  return {
    ...selection,
    record: {
      id: input.id,
      request,
      profile: profileRef(profile),
      seed,
      attempt: input.attempt,
      alternatesPerInstance,
      allOrNothing,
      instances,
      core: CORE_VERSION,
    },
  }
}

const schedulers = new WeakMap<Profile, Scheduler>()

/** The scheduler that a profile version names, made once. */
function schedulerOf(profile: Profile): Scheduler {
  let scheduler = schedulers.get(profile)
  if (scheduler === undefined) {
    const compiled: CompiledProfile = compileProfile(profile)
    scheduler = profile.scheduler === 'chance' ? createChanceScheduler(compiled) : createFilterScheduler(compiled)
    schedulers.set(profile, scheduler)
  }
  return scheduler
}
