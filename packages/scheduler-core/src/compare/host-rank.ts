import { examineAgainInSteps } from '../decision/replay.ts'
import type { Examination } from '../examine/examine.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { hostKey } from '../hosts/hosts.ts'
import { PASSES_ALL } from '../pipeline/findings.ts'
import type { Proposal } from '../records/change.ts'
import type { DecisionRecord } from '../records/decision.ts'
import { isOwnScheduler, type Profile } from '../records/profile.ts'
import { reasonText } from '../text/reason-text.ts'
import type { Steps } from '../values/steps.ts'

/** The rank that a profile version gives to a host, for one instance of a request. */
export interface HostRank {
  /** `host/node`, or only the host's name if the node has the same name. */
  readonly host: string
  /** 1 is the best rank. Null if the host has no rank. */
  readonly rank: number | null
  /** Why the host has no rank, as a sentence. Null if the host has a rank. */
  readonly because: string | null
}

/**
 * Finds the rank of a host in a decision of the same request by another profile version. `made` is the record of that decision, and
 * `record` is the record of the original decision. The fleet is examined only if the host is not among the best hosts in `made`.
 */
export function* hostRank(
  fleet: Fleet,
  before: readonly Proposal[],
  { record, made, profile }: { readonly record: DecisionRecord; readonly made: DecisionRecord; readonly profile: Profile | undefined },
  instance: number,
  host: string,
): Steps<HostRank> {
  const known = made.instances[instance]?.best.findIndex((one) => hostKey(one) === host) ?? -1
  if (known >= 0) return { host, rank: known + 1, because: null }
  const scheduler = profile?.scheduler ?? 'filter'
  if (!isOwnScheduler(scheduler))
    return { host, rank: null, because: `The scheduler ${scheduler} of a plug-in does not report an order of hosts.` }
  return yield* examineAgainInSteps(
    fleet,
    before,
    record,
    instance,
    // biome-ignore lint/correctness/useYield: it reads everything in one step
    function* (found) {
      return rankIn(found, fleet, host)
    },
    profile,
    true,
  )
}

function rankIn({ weighed, ranked, firstRefusing, steps, reasonOf }: Examination, { hosts }: Fleet, host: string): HostRank {
  const index = hosts.present.find((one) => hostKey(one) === host)?.index
  if (index === undefined) return { host, rank: null, because: 'The host is not known on this state.' }
  const step = firstRefusing[index] as number
  if (step !== PASSES_ALL) return { host, rank: null, because: `${steps[step]?.filter} refuses it: ${reasonText(reasonOf(index, step))}` }
  const position = weighed.hosts.indexOf(index)
  return { host, rank: ranked.indexOf(position) + 1, because: null }
}
