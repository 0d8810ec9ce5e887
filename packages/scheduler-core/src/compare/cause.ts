import type { DecisionRecord, SelectedDestination } from '../decision/decision.ts'
import { replayInSteps, replayOtherwiseInSteps } from '../decision/replay.ts'
import type { Proposal } from '../fleet/change.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { hostKey } from '../fleet/hosts.ts'
import type { Steps } from '../fleet/steps.ts'
import { answersLike } from '../outside/answered.ts'
import type { Profile } from '../profiles/profile.ts'
import { currentSpec } from '../request/versions.ts'

/** One of two decisions, with everything that it depended on. */
export interface Side {
  /** As it was at the decision's basis; no other side has the same object. */
  readonly fleet: Fleet
  /** What was proposed before it in its entry. */
  readonly before: readonly Proposal[]
  readonly record: DecisionRecord
  readonly profile: Profile
  /** Present where the log does not hold that state any more: `fleet` is a later one in its stead. */
  readonly lost?: Lost
}

/** What is left of a decision whose state is gone: where it stood, and what was answered. */
export interface Lost {
  readonly revision: number
  /** As kept, with a claim that it moved and that is gone by now. */
  readonly record: DecisionRecord
  readonly answer: readonly SelectedDestination[]
}

/** What a decision depends on: the request with its intent, the profile, the state that it met, the seed. */
export const factors = ['SPEC', 'PROFILE', 'FLEET', 'RANDOM'] as const
export type Factor = (typeof factors)[number]

/** MIXED: no factor alone, or each of several alone; NONE: both went to the same hosts; UNKNOWN: the state of one is gone, so nothing can be tried. */
export type Cause = Factor | 'MIXED' | 'NONE' | 'UNKNOWN'

/** Where the instances of a request go, in order; fewer than asked for where some found no host. */
export type Goal = readonly string[]

/** The first decision made again with some factors of the second. */
export interface Trial {
  readonly factors: readonly Factor[]
  /** Undefined where it cannot be made: a claim that it moves is not there, or somebody whom it asks was not asked (`replayOtherwise`). */
  readonly goal: Goal | undefined
  /** Whether it goes where the second went. */
  readonly isSecond: boolean
}

export interface CauseFound {
  readonly cause: Cause
  /** The smallest sets of factors that turn the first decision into the second. */
  readonly sufficient: readonly (readonly Factor[])[]
  readonly goals: readonly [Goal, Goal]
  readonly trials: readonly Trial[]
}

/** Every way to take factors from the second decision, single ones first. */
const subsets: readonly (readonly Factor[])[] = Array.from({ length: 15 }, (_, i) =>
  factors.filter((_factor, bit) => ((i + 1) >> bit) & 1),
).sort((a, b) => a.length - b.length)

/** Finds why two decisions differ: the first is made again with one factor of the second at a time, then with more. Pauses between two. */
export function* findCause(first: Side, second: Side): Steps<CauseFound> {
  const goals = [yield* goalOf(first), yield* goalOf(second)] as const
  const trials: Trial[] = []
  if (isSameGoal(...goals)) return { cause: 'NONE', sufficient: [], goals, trials }
  // on another state a trial would show something else than the cause
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
  // what parts outside of the process said at the time of the state
  const outside = answersLike(currentSpec(request), [of('FLEET').record, first.record, second.record])
  return {
    fleet,
    before,
    profile,
    record: {
      ...{
        id,
        request,
        // nobody decided what is mixed: a solution is of one request, by one version, on one state
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
    // a claim that one of them moves is not there in the state of the other, or somebody was not asked
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function* goalOf({ fleet, before, record, profile, lost }: Side, decideAgain: typeof replayOtherwiseInSteps = replayInSteps): Steps<Goal> {
  if (lost !== undefined) return lost.answer.map(({ selected }) => hostKey(selected))
  return (yield* decideAgain(fleet, before, record, profile)).parts.map(hostKey)
}

/** Whether the same instances go to the same hosts. */
export const isSameGoal = (a: Goal, b: Goal): boolean => a.length === b.length && a.every((host, i) => host === b[i])
