import { causeText } from '../cause/cause-text.ts'
import type { DecisionRecord } from '../decision/decision.ts'
import { examineAgainInSteps, replayOtherwiseInSteps } from '../decision/replay.ts'
import type { Proposal } from '../fleet/change.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { hostKey } from '../fleet/hosts.ts'
import { atOnce, type Steps } from '../fleet/steps.ts'
import type { Profile } from '../profiles/profile.ts'
import type { Decided } from '../schedulers/decide.ts'
import { type Goal, isSameGoal } from './cause.ts'
import { type HostRank, hostRank } from './host-rank.ts'

/** How a decision by another profile version stands to the one that was made; a failure is an instance less that finds a host. */
export type Agreement = 'SAME' | 'ELSEWHERE' | 'NEW_FAILURE' | 'NEW_PLACEMENT'

/** What another profile version decides on the state that a decision met. */
export interface OtherDecision {
  readonly agreement: Agreement
  readonly hosts: Goal
  /** Why it differs, as a sentence; '' where it does not. Asks the fleet: read it before the fleet moves on. */
  because(): Steps<string>
  /** How each version ranks the host of the other; undefined but for ELSEWHERE. Read it before the fleet moves on. */
  ranks(): Steps<ChoiceRanks | undefined>
}

/** The first instance that two versions put on different hosts. */
export interface ChoiceRanks {
  readonly instance: number
  /** The host of the version that decided, in the order of the other. */
  readonly decided: HostRank
  /** The host of the other version, in the order of the one that decided. */
  readonly other: HostRank
}

/**
 * Decides a request again by another profile version; leaves the fleet as it was. `hosts`: where the first version put the instances.
 * Throws RangeError where that cannot be known (`replayOtherwise`).
 */
export const decideOtherwise = (...asked: Parameters<typeof decideOtherwiseInSteps>): OtherDecision =>
  atOnce(decideOtherwiseInSteps(...asked))

/** The same with pauses, during which nobody may use the fleet. */
export function* decideOtherwiseInSteps(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  hosts: Goal,
  profile: Profile,
): Steps<OtherDecision> {
  const decided = yield* replayOtherwiseInSteps(fleet, before, record, profile)
  const goal = decided.parts.map(hostKey)
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
      if (agreement === 'NEW_PLACEMENT') return `Finds room on ${goal.slice(0, 3).join(', ')}.`
      if (agreement === 'ELSEWHERE') return weightText(decided, hosts, goal)
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
      // up to there both have the same hosts, and so the same state
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

/** Why the instance that found no host found none, as the refusal itself would say it. */
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

/** The totals of both hosts for the first instance that goes elsewhere. */
function weightText({ record }: Decided, hosts: Goal, goal: Goal): string {
  const place = goal.findIndex((host, i) => host !== hosts[i])
  const best = record.instances[place]?.best ?? []
  const totalOf = (host: string | undefined) => best.find((ranked) => hostKey(ranked) === host)?.total
  const [here, there] = [totalOf(goal[place]), totalOf(hosts[place])]
  const own = `${goal[place]}${here === undefined ? '' : ` has ${rounded(here)}`}`
  if (there !== undefined) return `${own}, ${hosts[place]} ${rounded(there)}.`
  return `${own}; ${hosts[place]} is not among its ${best.length === 1 ? 'hosts' : `best ${best.length}`}.`
}

const rounded = (total: number): number => Number(total.toFixed(4))
