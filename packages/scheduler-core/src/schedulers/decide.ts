import type { Claim } from '../claims/claim.ts'
import { isPlain } from '../claims/ledger.ts'
import type { DecisionRecord, SelectedDestination } from '../decision/decision.ts'
import type { ClaimPart, Intent } from '../fleet/change.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import { asksPlain } from '../kinds/index.ts'
import { memoByObject } from '../memo.ts'
import { answersFor } from '../outside/answered.ts'
import { type CompiledProfile, compileProfile } from '../pipeline/compile.ts'
import type { Plugins } from '../plugin/plugins.ts'
import { type Profile, profileRef } from '../profiles/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { publishedSpec } from '../request/versions.ts'
import { CORE_VERSION } from '../version.ts'
import { createChanceScheduler, createFilterScheduler, groupOf } from './filter-scheduler.ts'
import { createNovaScheduler } from './nova-scheduler.ts'
import type { Scheduler } from './scheduler.ts'
import type { Solution } from './solver/solution.ts'
import { createSolverScheduler } from './solver-scheduler.ts'

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
  /** CREATE if not given. */
  readonly intent?: Intent | undefined
  /** The claim that is to move, or to be rebuilt where it is: the decision sees the fleet without it. */
  readonly source?: Claim | undefined
  /** What a solver answered; only the scheduler `solver` reads it. */
  readonly solution?: Solution | undefined
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
  const { request, profile, seed, alternatesPerInstance, allOrNothing, claimIds, intent = 'CREATE', source, solution } = input
  const held = overlay.size
  if (source !== undefined) liftSource(overlay, request, source)
  const { scheduler, plugins } = schedulerOf(profile, fleet.plugins)
  const { instances, solver, ...selection } = scheduler.select(request, fleet, overlay, {
    seed,
    alternatesPerInstance,
    allOrNothing,
    claimIds,
    solution,
  })
  if (source !== undefined) {
    overlay.rollback(held)
    for (const part of selection.parts) overlay.holdMove(part, groupOf(request), source)
  }
  const outside = answersFor(profile, request)
  return {
    ...selection,
    record: {
      id: input.id,
      request: publishedSpec(request),
      profile: profileRef(profile),
      seed,
      attempt: input.attempt,
      alternatesPerInstance,
      allOrNothing,
      ...(intent !== 'CREATE' && { intent }),
      ...(source !== undefined && { source: source.id }),
      instances,
      ...(solver !== undefined && { solver }),
      ...(outside !== undefined && { outside }),
      core: CORE_VERSION,
      ...(plugins.length > 0 && { plugins }),
    },
  }
}

/**
 * Lets a decision see the fleet without the claim that is to move. Its room counts as free only where the judge will see
 * it so: for plain amounts on its own host.
 */
export function liftSource(overlay: Overlay, request: RequestSpec, source: Claim): void {
  overlay.lift(source, isPlain(source.grants) && asksPlain(request))
}

function createScheduler(compiled: CompiledProfile): Scheduler {
  if (compiled.profile.compat === 'nova') return createNovaScheduler(compiled)
  return makers[compiled.profile.scheduler](compiled)
}

const makers: Readonly<Record<Profile['scheduler'], (compiled: CompiledProfile) => Scheduler>> = {
  filter: createFilterScheduler,
  chance: createChanceScheduler,
  solver: createSolverScheduler,
}

/** The scheduler that a profile version names, and the plug-ins whose parts it runs. */
const schedulerOf = (profile: Profile, plugins: Plugins) => knownSchedulers(plugins)(profile)

const knownSchedulers = memoByObject((plugins: Plugins) =>
  memoByObject((profile: Profile) => {
    const compiled = compileProfile(profile, plugins)
    return { scheduler: createScheduler(compiled), plugins: compiled.plugins }
  }),
)
