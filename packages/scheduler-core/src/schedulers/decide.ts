import { builtIn } from '../contracts/built-in.ts'
import type { CompiledProfile } from '../contracts/compiled-profile.ts'
import { type Plugins, pluginsOf } from '../contracts/plugins.ts'
import type { Scheduler, Selection, SelectOptions } from '../contracts/scheduler.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import { asksPlain } from '../kinds/index.ts'
import { answersFor } from '../outside/answered.ts'
import { compileProfile } from '../pipeline/compile.ts'
import { failureOf, withFailure } from '../pipeline/failed-scheduler.ts'
import type { ClaimPart } from '../records/change.ts'
import type { Claim } from '../records/claim.ts'
import type { DecisionRecord, SelectedDestination } from '../records/decision.ts'
import { isOwnScheduler, type ownSchedulers, type Profile, profileRef } from '../records/profile.ts'
import type { Solution } from '../records/solution.ts'
import type { Intent } from '../request/intent.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { publishedSpec } from '../request/versions.ts'
import { memoByObject } from '../values/memo.ts'
import { atOnce, HOSTS_AT_ONCE, type Steps, WHOLE } from '../values/steps.ts'
import { CORE_VERSION } from '../values/version.ts'
import { createChanceScheduler, createFilterScheduler, groupOf } from './filter-scheduler.ts'
import { type Chosen, choose } from './plugin-scheduler.ts'
import { createSolverScheduler } from './solver-scheduler.ts'

/** All inputs of a decision except the fleet. */
export interface DecideInput {
  readonly id: string
  readonly request: RequestSpec
  readonly profile: Profile
  readonly seed: string
  readonly attempt: number
  readonly alternatesPerInstance: number
  readonly allOrNothing: boolean
  /** The claim ids, one for each instance. */
  readonly claimIds: readonly string[]
  /** Default: CREATE. */
  readonly intent?: Intent | undefined
  /**
   * The claim of the instance that is moved or rebuilt. In the decision, this claim is not a member of its group, and its resources are
   * free on its own host if the instance can keep using them there (`Overlay.lift`).
   */
  readonly source?: Claim | undefined
  /**
   * If `source` is the claim of an unfinished move: the destination claim of this move. The decision's log entry cancels the move first, so
   * the destination claim is not counted in the decision (`Overlay.liftDestination`).
   */
  readonly ends?: Claim | undefined
  /** True if the instance runs on its requested destination but has no claim. Its resources are then treated as free on that host. */
  readonly isListed?: boolean | undefined
  /** The solver's answer. Only the scheduler SOLVER reads it. */
  readonly solution?: Solution | undefined
  /** True if the instances are explained afterwards by `Decided.judged`, on the same fleet. */
  readonly isExplained?: boolean | undefined
  /**
   * True if every filter is to be called for every host, without kept verdicts and without an index. The result is the same, bit for bit.
   * Replays do this, so that they check both.
   */
  readonly isExhaustive?: boolean | undefined
}

export interface Decided {
  /** The claims of the placed instances. The overlay reserves their resources. Empty if no instance is placed. */
  readonly parts: readonly ClaimPart[]
  readonly answer: readonly SelectedDestination[]
  /** The number of instances for which a host was found. Above 0 with empty `parts` if an all-or-nothing request found too few hosts. */
  readonly found: number
  readonly record: DecisionRecord
  /**
   * The profile that explanations use. If a plug-in's scheduler failed, it is a profile that refuses every host. Explanations then show the
   * failure. If the instances were placed in rounds, it contains what each round knew of the earlier ones. This is so only if the decision
   * was made with `isExplained`.
   */
  readonly judged: Profile
}

/** Makes one decision. It depends only on the fleet, the overlay and the input. Equal arguments give equal results, bit for bit. */
export const decide = (fleet: Fleet, overlay: Overlay, input: DecideInput): Decided => atOnce(decideBy(WHOLE, fleet, overlay, input))

/** `decide` as a generator that yields between its steps. No other code may use the fleet until the generator ends. */
export const decideInSteps = (fleet: Fleet, overlay: Overlay, input: DecideInput): Steps<Decided> =>
  decideBy(HOSTS_AT_ONCE, fleet, overlay, input)

function* decideBy(slice: number, fleet: Fleet, overlay: Overlay, input: DecideInput): Steps<Decided> {
  const { request, profile, seed, alternatesPerInstance, allOrNothing, claimIds, intent = 'CREATE', source, ends, solution } = input
  const held = overlay.size
  if (ends !== undefined) overlay.liftDestination(ends, asksPlain(request))
  if (source !== undefined) liftSource(overlay, request, source, intent)
  if (input.isListed === true) overlay.keepListed(request)
  const asked = {
    seed,
    alternatesPerInstance,
    allOrNothing,
    claimIds,
    solution,
    isExplained: input.isExplained,
    isExhaustive: input.isExhaustive,
  }
  const { selected, judged } = yield* select(slice, fleet, overlay, request, profile, asked)
  const { parts, answer, found, instances, solver } = selected
  const { plugins } = schedulerOf(profile, pluginsOf(fleet))
  if (source !== undefined) {
    overlay.rollback(held)
    if (ends !== undefined && parts.length > 0) overlay.liftDestination(ends, asksPlain(request))
    for (const part of parts) overlay.holdMove(part, groupOf(request), source)
  } else if (input.isListed === true) {
    overlay.rollback(held)
    for (const part of parts) overlay.hold(part, groupOf(request))
  }
  const outside = answersFor(profile, request)
  const failure = failureOf(judged)
  return {
    parts,
    answer,
    found,
    judged,
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
      ...(ends !== undefined && { ends: ends.id }),
      ...(input.isListed === true && { isListed: true as const }),
      instances,
      ...(solver !== undefined && { solver }),
      ...(outside !== undefined && { outside }),
      ...(failure !== undefined && { failure }),
      core: CORE_VERSION,
      ...(plugins.length > 0 && { plugins }),
    },
  }
}

/** Removes a moved or rebuilt claim from its group and makes its resources free, for its own decision (`Overlay.lift`). */
export function liftSource(overlay: Overlay, request: RequestSpec, source: Claim, intent?: Intent): void {
  overlay.lift(source, request, intent === 'REBUILD')
}

function createScheduler(compiled: CompiledProfile): Scheduler {
  const { compat, scheduler } = compiled.profile
  if (compat === 'nova') return builtIn().createScheduler(compiled)
  // If a plug-in's scheduler failed or is not loaded, the profile has a filter that refuses every host and explains the refusal.
  return isOwnScheduler(scheduler) ? makers[scheduler](compiled) : createFilterScheduler(compiled)
}

const makers: Readonly<Record<(typeof ownSchedulers)[number], (compiled: CompiledProfile) => Scheduler>> = {
  filter: createFilterScheduler,
  chance: createChanceScheduler,
  solver: createSolverScheduler,
}

/** Runs the profile's scheduler. If a plug-in's scheduler fails, every host is refused. */
function* select(
  /** The generator yields after this many hosts. */
  slice: number,
  fleet: Fleet,
  overlay: Overlay,
  request: RequestSpec,
  profile: Profile,
  options: SelectOptions,
): Steps<{ readonly selected: Selection; readonly judged: Profile }> {
  const { compiled, scheduler } = schedulerOf(profile, pluginsOf(fleet))
  if (isOwnScheduler(profile.scheduler) || failureOf(profile) !== undefined)
    return judgedBy(profile, yield* scheduler.selectInSteps(request, fleet, overlay, options, slice))
  const chosen: Chosen =
    compiled.scheduler === undefined
      ? { ok: false, failed: withFailure(profile, 'no loaded plug-in has it') }
      : yield* choose(compiled.scheduler, compiled, request, fleet, overlay, options, slice)
  if (chosen.ok) return { selected: chosen.selection, judged: profile }
  return yield* select(slice, fleet, overlay, request, chosen.failed, options)
}

const judgedBy = (profile: Profile, selected: Selection) => ({ selected, judged: selected.judged ?? profile })

/** The scheduler that a profile version names, and the plug-ins that provide its scheduler, filters and weighers. */
const schedulerOf = (profile: Profile, plugins: Plugins) => knownSchedulers(plugins)(profile)

const knownSchedulers = memoByObject((plugins: Plugins) =>
  memoByObject((profile: Profile) => {
    const compiled = compileProfile(profile, plugins)
    return { compiled, scheduler: createScheduler(compiled), plugins: compiled.plugins }
  }),
)
