import { causeText } from '../cause/cause-text.ts'
import { examineAgainInSteps, replayOtherwiseInSteps } from '../decision/replay.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { addressOfKey } from '../hosts/host-address.ts'
import { hostKey } from '../hosts/hosts.ts'
import type { Proposal } from '../records/change.ts'
import type { DecisionRecord } from '../records/decision.ts'
import type { Profile } from '../records/profile.ts'
import type { Decided } from '../schedulers/decide.ts'
import { atOnce, type Steps } from '../values/steps.ts'
import { type Goal, isSameGoal } from './cause.ts'
import { type HostRank, hostRank } from './host-rank.ts'

/**
 * Compares the decision of another profile version with the original decision. NEW_FAILURE: a host was found for fewer instances.
 * NEW_PLACEMENT: a host was found for more instances. ELSEWHERE: hosts were found for equally many instances, but different hosts.
 */
export type Agreement = 'SAME' | 'ELSEWHERE' | 'NEW_FAILURE' | 'NEW_PLACEMENT'

/** The decision of another profile version on the state of the original decision. */
export interface OtherDecision {
  readonly agreement: Agreement
  readonly hosts: Goal
  /**
   * Explains the difference in a sentence. Empty text if the two decisions have the same hosts. Reads the fleet, so it must be called
   * before the fleet changes.
   */
  because(): Steps<string>
  /**
   * For the host that the original version chose: its rank by the other version. For the host that the other version chose: its rank by the
   * original version. Undefined unless the agreement is ELSEWHERE. Reads the fleet, so it must be called before the fleet changes.
   */
  ranks(): Steps<ChoiceRanks | undefined>
}

/** The ranks for the first instance for which two profile versions chose different hosts. */
export interface ChoiceRanks {
  readonly instance: number
  /** The host of the original decision, with the rank that the other version gives to it. */
  readonly decided: HostRank
  /** The host that the other version chose, with the rank that the original version gives to it. */
  readonly other: HostRank
}

/**
 * Decides a request again by a different profile version. Leaves the fleet unchanged. `hosts` are the hosts of the original decision.
 * Throws RangeError in the cases in which `replayOtherwise` throws it.
 */
export const decideOtherwise = (...asked: Parameters<typeof decideOtherwiseInSteps>): OtherDecision =>
  atOnce(decideOtherwiseInSteps(...asked))

/** `decideOtherwise` as a generator that yields between its steps. No other code may use the fleet until the generator ends. */
export function* decideOtherwiseInSteps(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  hosts: Goal,
  profile: Profile,
): Steps<OtherDecision> {
  const decided = yield* replayOtherwiseInSteps(fleet, before, record, profile)
  const goal = decided.parts.map(hostKey)
  const nameOf = (key: string | undefined): string => addressOfKey(fleet.hosts, key ?? '')
  const agreement: Agreement = isSameGoal(hosts, goal)
    ? 'SAME'
    : goal.length < hosts.length
      ? 'NEW_FAILURE'
      : goal.length > hosts.length
        ? 'NEW_PLACEMENT'
        : 'ELSEWHERE'
  return {
    agreement,
    hosts: goal,
    *because() {
      if (agreement === 'SAME') return ''
      if (agreement === 'NEW_PLACEMENT') return `It fits on ${goal.slice(0, 3).map(nameOf).join(', ')}.`
      if (agreement === 'ELSEWHERE') return weightText(decided, hosts, goal, nameOf)
      return yield* refusalText(
        fleet,
        before,
        { ...record, allOrNothing: false },
        Math.min(decided.found, record.request.numInstances - 1),
        profile,
      )
    },
    *ranks() {
      if (agreement !== 'ELSEWHERE') return undefined
      // The two versions placed the instances before this one on the same hosts. Therefore, the ranks by both versions are computed for the
      // same state.
      const instance = goal.findIndex((host, i) => host !== hosts[i])
      const rankBy = (host: string | undefined, made: DecisionRecord, by: Profile | undefined): Steps<HostRank> =>
        hostRank(fleet, before, { record, made, profile: by }, instance, host ?? '')
      return {
        instance,
        decided: yield* rankBy(hosts[instance], decided.record, profile),
        other: yield* rankBy(goal[instance], record, fleet.profiles.find(record.profile)),
      }
    },
  }
}

/** Explains why no host was found for the first instance without a host, with the sentences about the cause. */
const refusalText = (
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  instance: number,
  profile: Profile,
): Steps<string> =>
  examineAgainInSteps(
    fleet,
    before,
    record,
    instance,
    function* ({ cause }) {
      return causeText(yield* cause())
    },
    profile,
  )

/** Explains the choice by the totals of the two hosts, for the first instance with different hosts. */
function weightText({ record }: Decided, hosts: Goal, goal: Goal, nameOf: (key: string | undefined) => string): string {
  const position = goal.findIndex((host, i) => host !== hosts[i])
  const best = record.instances[position]?.best ?? []
  const totalOf = (host: string | undefined) => best.find((ranked) => hostKey(ranked) === host)?.total
  const [here, there] = [totalOf(goal[position]), totalOf(hosts[position])]
  const own = `${nameOf(goal[position])}${here === undefined ? '' : ` has ${rounded(here)}`}`
  if (there !== undefined) return `${own}, ${nameOf(hosts[position])} ${rounded(there)}.`
  return `${own}; ${nameOf(hosts[position])} is not among its ${best.length === 1 ? 'hosts' : `best ${best.length}`}.`
}

const rounded = (total: number): number => Number(total.toFixed(4))
