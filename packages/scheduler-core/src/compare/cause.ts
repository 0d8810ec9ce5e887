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
  /** The fleet in the state on which the decision was made. The two compared decisions have separate fleet objects. */
  readonly fleet: Fleet
  /** The proposals that precede the decision in its log entry. */
  readonly before: readonly Proposal[]
  readonly record: DecisionRecord
  readonly profile: Profile
  /** Present if the fleet's state on which the decision was made is no longer stored. `fleet` is then a later state. */
  readonly lost?: Lost
}

/** The data of a decision that remains if the fleet's state on which the decision was made is no longer stored. */
export interface Lost {
  readonly revision: number
  /** The stored record. If the decision moved an instance, the record names the moved claim. This claim may no longer exist. */
  readonly record: DecisionRecord
  readonly answer: readonly SelectedDestination[]
}

/** The inputs that a decision depends on: the request with its intent, the profile, the state of the fleet, and the seed. */
export const factors = ['SPEC', 'PROFILE', 'FLEET', 'RANDOM'] as const
export type Factor = (typeof factors)[number]

/**
 * Why two decisions chose different hosts. A factor: this factor alone explains the difference. MIXED: only several factors together
 * explain the difference, or each of several factors alone explains it. NONE: both decisions chose the same hosts. UNKNOWN: the fleet's
 * state on which a decision was made is no longer stored, so no factor can be tried.
 */
export type Cause = Factor | 'MIXED' | 'NONE' | 'UNKNOWN'

/** The chosen hosts of a request's instances, in order. Instances without a host are left out. */
export type Goal = readonly string[]

/** A replay of the first decision in which these factors are taken from the second decision. */
export interface Trial {
  readonly factors: readonly Factor[]
  /**
   * The hosts that the replay chose. Undefined if the replay is impossible. For example, the state lacks the claim that the request moves,
   * or the solver or a program outside of the process would have to be called again (`replayOtherwise`).
   */
  readonly goal: Goal | undefined
  /** True if the replay chose the hosts of the second decision. */
  readonly isSecond: boolean
}

export interface CauseFound {
  readonly cause: Cause
  /**
   * The smallest sets of factors that explain the difference: if the factors of a set are taken from the second decision, the first
   * decision chooses the hosts of the second.
   */
  readonly sufficient: readonly (readonly Factor[])[]
  readonly goals: readonly [Goal, Goal]
  readonly trials: readonly Trial[]
}

/** All combinations of factors that a trial can take from the second decision. Single factors come first. */
const subsets: readonly (readonly Factor[])[] = Array.from({ length: 15 }, (_, i) =>
  factors.filter((_factor, bit) => ((i + 1) >> bit) & 1),
).sort((a, b) => a.length - b.length)

/**
 * Finds why two decisions differ. Replays the first decision with each single factor of the second decision, then with combinations of
 * factors. The generator yields between two replays.
 */
export function* findCause(first: Side, second: Side): Steps<CauseFound> {
  const goals = [yield* goalOf(first), yield* goalOf(second)] as const
  const trials: Trial[] = []
  if (isSameGoal(...goals)) return { cause: 'NONE', sufficient: [], goals, trials }
  // Without the fleet's original state at both decisions, no replay can show the cause.
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
  // An answer of a filter or weigher outside of the process is valid only for one state of the fleet, so the answers for the state that
  // this replay uses are preferred.
  const outside = answersLike(currentSpec(request), [of('FLEET').record, first.record, second.record])
  return {
    fleet,
    before,
    profile,
    record: {
      ...{
        id,
        request,
        // A solver's solution is valid only for one request, profile version and state. If factors of both decisions are mixed, the empty
        // profile name means that there is no solution.
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
    // The replay is impossible: the state does not have the claim that is moved, or the record does not have a solution of the solver or an
    // answer of a program outside of the process.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function* goalOf({ fleet, before, record, profile, lost }: Side, decideAgain: typeof replayOtherwiseInSteps = replayInSteps): Steps<Goal> {
  if (lost !== undefined) return lost.answer.map(({ selected }) => hostKey(selected))
  return (yield* decideAgain(fleet, before, record, profile)).parts.map(hostKey)
}

/** True if both decisions chose the same hosts in the same order. */
export const isSameGoal = (a: Goal, b: Goal): boolean => a.length === b.length && a.every((host, i) => host === b[i])
