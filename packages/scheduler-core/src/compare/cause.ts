import { replayInSteps, replayOtherwiseInSteps } from '../decision/replay.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { hostKey } from '../hosts/hosts.ts'
import { answersLike } from '../outside/answered.ts'
import type { Proposal } from '../records/change.ts'
import type { DecisionRecord, SelectedDestination } from '../records/decision.ts'
import type { Profile } from '../records/profile.ts'
import { currentSpec } from '../request/versions.ts'
import type { Steps } from '../values/steps.ts'

/** One of the two compared decisions, with all of its inputs. */
export interface Side {
  /** The fleet's state on which the decision was made. The two sides have separate fleet objects. */
  readonly fleet: Fleet
  /** The proposals that precede the decision in its log entry. */
  readonly before: readonly Proposal[]
  readonly record: DecisionRecord
  readonly profile: Profile
  /** Present if the log no longer has the state on which the decision was made. `fleet` is then a later state. */
  readonly lost?: Lost
}

/**
 * What is known of a decision if the fleet's state at the decision is no longer stored: its position in the log, its record and its answer.
 */
export interface Lost {
  readonly revision: number
  /**
   * The record as it was stored. If the decision moved an instance, the record includes the claim that it moved from, which may no longer
   * exist.
   */
  readonly record: DecisionRecord
  readonly answer: readonly SelectedDestination[]
}

/** What a decision depends on: the request with its intent, the profile, the state of the fleet, and the seed. */
export const factors = ['SPEC', 'PROFILE', 'FLEET', 'RANDOM'] as const
export type Factor = (typeof factors)[number]

/**
 * MIXED: the decision changes only with several factors together, or with each of several factors alone. NONE: both decisions chose the
 * same hosts. UNKNOWN: the state of one decision is no longer stored, so no factor can be tried.
 */
export type Cause = Factor | 'MIXED' | 'NONE' | 'UNKNOWN'

/** The chosen hosts of a request's instances, in order. Instances that found no host are left out. */
export type Goal = readonly string[]

/** A replay of the first decision with some factors of the second. */
export interface Trial {
  readonly factors: readonly Factor[]
  /**
   * The chosen hosts. Undefined if the replay is impossible: a claim that the request moves does not exist in the state, or a plug-in
   * outside of the process did not answer about a host of the state (`replayOtherwise`).
   */
  readonly goal: Goal | undefined
  /** Whether the replay chose the hosts of the second decision. */
  readonly isSecond: boolean
}

export interface CauseFound {
  readonly cause: Cause
  /** The smallest sets of factors that turn the first decision into the second. */
  readonly sufficient: readonly (readonly Factor[])[]
  readonly goals: readonly [Goal, Goal]
  readonly trials: readonly Trial[]
}

/** All combinations of factors to replace by those of the second decision, single factors first. */
const subsets: readonly (readonly Factor[])[] = Array.from({ length: 15 }, (_, i) =>
  factors.filter((_factor, bit) => ((i + 1) >> bit) & 1),
).sort((a, b) => a.length - b.length)

/**
 * Finds why two decisions differ. Replays the first decision with one factor of the second at a time, then with more. Pauses between two
 * replays.
 */
export function* findCause(first: Side, second: Side): Steps<CauseFound> {
  const goals = [yield* goalOf(first), yield* goalOf(second)] as const
  const trials: Trial[] = []
  if (isSameGoal(...goals)) return { cause: 'NONE', sufficient: [], goals, trials }
  // if the state of a decision is no longer stored, a replay does not show the cause
  if (first.lost !== undefined || second.lost !== undefined) return { cause: 'UNKNOWN', sufficient: [], goals, trials }
  let sufficient: (readonly Factor[])[] = []
  for (const taken of subsets) {
    if (sufficient[0] !== undefined && taken.length > sufficient[0].length) break
    yield
    const goal = yield* attempt(mixOf(first, second, taken))
    const isSecond = goal !== undefined && isSameGoal(goal, goals[1])
    trials.push({ factors: taken, goal, isSecond })
    if (isSecond) sufficient = [...sufficient, taken]
  }
  const [only] = sufficient
  return { cause: sufficient.length === 1 && only?.length === 1 ? (only[0] as Factor) : 'MIXED', sufficient, goals, trials }
}

function mixOf(first: Side, second: Side, taken: readonly Factor[]): Side {
  const of = (factor: Factor): Side => (taken.includes(factor) ? second : first)
  const isSecond = taken.length === factors.length
  const { request, intent, source, allOrNothing, alternatesPerInstance, solver } = of('SPEC').record
  const { id, attempt: tried, core, instances } = first.record
  const { fleet, before } = of('FLEET')
  const { profile } = of('PROFILE')
  // Answers of filters and weighers outside of the process are only valid for the state that they were given for.
  const outside = answersLike(currentSpec(request), [of('FLEET').record, first.record, second.record])
  return {
    fleet,
    before,
    profile,
    record: {
      ...{
        id,
        request,
        // a solver's solution is valid only for one request, one profile version and one state, so a decision with mixed factors has no
        // solution
        profile: isSecond ? second.record.profile : '',
        seed: of('RANDOM').record.seed,
        attempt: tried,
        alternatesPerInstance,
        allOrNothing,
      },
      ...(intent !== undefined && { intent }),
      ...(source !== undefined && { source }),
      instances,
      ...(outside !== undefined && { outside }),
      ...(solver !== undefined && (isSecond || solver.solution.batch !== undefined) && { solver }),
      core,
    },
  }
}

function* attempt(side: Side): Steps<Goal | undefined> {
  try {
    return yield* goalOf(side, replayOtherwiseInSteps)
  } catch (error) {
    // The state does not have a claim that is moved, or a plug-in outside of the process did not answer about it.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function* goalOf({ fleet, before, record, profile, lost }: Side, decideAgain: typeof replayOtherwiseInSteps = replayInSteps): Steps<Goal> {
  if (lost !== undefined) return lost.answer.map(({ selected }) => hostKey(selected))
  return (yield* decideAgain(fleet, before, record, profile)).parts.map(hostKey)
}

/** Whether both decisions place the same instances on the same hosts. */
export const isSameGoal = (a: Goal, b: Goal): boolean => a.length === b.length && a.every((host, i) => host === b[i])
