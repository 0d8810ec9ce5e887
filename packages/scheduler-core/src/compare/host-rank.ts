import type { DecisionRecord } from '../decision/decision.ts'
import { reasonText } from '../decision/reason-text.ts'
import { examineAgainInSteps } from '../decision/replay.ts'
import type { Proposal } from '../fleet/change.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { hostKey } from '../fleet/hosts.ts'
import type { Steps } from '../fleet/steps.ts'
import type { Examination } from '../pipeline/examine.ts'
import { PASSES_ALL } from '../pipeline/findings.ts'
import { isOwnScheduler, type Profile } from '../profiles/profile.ts'

/** Where a host stands in the order of a profile version, for one instance of a request. */
export interface HostRank {
  /** `host/node`, or the host's name where the two are one. */
  readonly host: string
  /** 1 = best; null: it has none. */
  readonly rank: number | null
  /** Why it has none, as a sentence; null where it has one. */
  readonly because: string | null
}

/**
 * Ranks a host as the profile version does that made a record. `made`: the record of the decision by that version, whose best hosts save
 * an examination of the fleet; `record`: that of the decision as it was asked for.
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
    return { host, rank: null, because: `The scheduler ${scheduler} of a plug-in takes hosts in no order that it tells.` }
  return yield* examineAgainInSteps(
    fleet,
    before,
    record,
    instance,
    // biome-ignore lint/correctness/useYield: it is read in one go
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
  const place = weighed.hosts.indexOf(index)
  return { host, rank: ranked.indexOf(place) + 1, because: null }
}
