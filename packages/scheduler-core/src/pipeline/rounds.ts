import type { CompiledProfile } from '../contracts/compiled-profile.ts'
import { pluginsOf } from '../contracts/plugins.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Profile } from '../records/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { compileProfile } from './compile.ts'
import { requestFor } from './request-for.ts'
import type { TieOrder } from './weighing/pick.ts'

/**
 * How a scheduler decided about one instance, if it decided by more than the fleet and the request: by what it did for the earlier
 * instances of the request. The filters and weighers read the state of that round.
 */
export interface Round {
  readonly compiled: CompiledProfile
  readonly tieOrder: TieOrder
}

/** The rounds of one decision, one for each instance that was tried. */
export interface Rounds {
  readonly count: number
  at(instance: number): Round
}

const ROUNDS = Symbol('the rounds in which the instances of a request were placed')

/** A profile with the rounds of one decision. They are stored under a symbol, so that JSON and comparisons of fields do not contain them. */
type InRounds = Profile & { readonly [ROUNDS]?: Rounds }

/** The profile by which the instances of one decision are explained. */
export const withRounds = (profile: Profile, rounds: Rounds): Profile => ({ ...profile, [ROUNDS]: rounds }) as InRounds

/** One instance of a request, as the scheduler of the profile judges it. */
export interface JudgedInstance {
  /** The request as filters and weighers read it for this instance. */
  readonly request: RequestSpec
  readonly compiled: CompiledProfile
  /** Undefined if the profile alone determines the order of hosts with equal totals. */
  readonly tieOrder: TieOrder | undefined
}

/**
 * The request and the compiled profile by which the instance with this index is judged. Everything that explains an instance uses them, so
 * that it shows the verdicts of the decision. `profile` must be `Decided.judged` of a decision with `isExplained` if `instance` is above 0.
 * For an instance that was not tried, the last round applies.
 */
export function judgedInstance(fleet: Fleet, asked: RequestSpec, profile: Profile, instance: number): JudgedInstance {
  const rounds = (profile as InRounds)[ROUNDS]
  const round = rounds?.at(Math.min(instance, rounds.count - 1))
  return {
    request: requestFor(asked, profile, instance),
    compiled: round?.compiled ?? compileProfile(profile, pluginsOf(fleet)),
    tieOrder: round?.tieOrder,
  }
}
