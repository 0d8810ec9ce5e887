import type { CompiledProfile, OutsideAsk } from '../contracts/compiled-profile.ts'
import { type Plugins, pluginsOf } from '../contracts/plugins.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { asksPlain } from '../kinds/index.ts'
import { answerOf } from '../outside/answered.ts'
import type { Question } from '../outside/question.ts'
import { requestKey, showHosts, shownRequest } from '../outside/shown.ts'
import { compileProfile } from '../pipeline/compile.ts'
import { prepareFilters, runFilters } from '../pipeline/filtering/run-filters.ts'
import { prepareUnreported } from '../pipeline/namespaces/unreported.ts'
import type { Profile } from '../records/profile.ts'
import { omittedOf, readsOf } from '../report/stats-fields.ts'
import { membersOf } from '../request/members.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { type DecideInput, liftSource } from '../schedulers/decide.ts'
import type { Reason } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { JsonObject } from '../values/json.ts'
import { memoByObject } from '../values/memo.ts'

/**
 * A filter or weigher outside of the process is called for at most this many hosts. All other hosts are refused, because they have no
 * answer.
 */
export const MAX_ASKED = 20_000

/**
 * The claims that a decision moves or ends. The resources of these claims are treated as free in the decision, and also when the hosts for
 * calls outside of the process are determined.
 */
export type LookedAway = Pick<DecideInput, 'source' | 'ends' | 'intent'>

/** The filters and weighers of a profile that run outside of this process. Most profiles have none. */
export const asksOf = (fleet: Fleet, profile: Profile): readonly OutsideAsk[] => knownAsks(pluginsOf(fleet))(profile)

const knownAsks = memoByObject((plugins: Plugins) => memoByObject((profile: Profile) => compileProfile(profile, plugins).asks))

/**
 * The names of the filters and weighers outside of this process that have not answered for all instances of a request. Instances with equal
 * demands share an answer.
 */
export const unansweredOf = (fleet: Fleet, profile: Profile, request: RequestSpec): readonly string[] =>
  asksOf(fleet, profile)
    .filter(({ part, optionsKey }) =>
      membersOf(request).some((members) => answerOf(profile, members.request, part.name, optionsKey) === undefined),
    )
    .map(({ part }) => part.name)

/**
 * The calls to filters and weighers outside of this process that must be made before a profile can decide a request. Each call has all
 * hosts that the filters in this process pass. Instances with equal demands share a call. Calls whose answers the profile already has are
 * left out. No other overlay may be open on the fleet.
 */
export function questionsOf(
  fleet: Fleet,
  profile: Profile,
  request: RequestSpec,
  { source, ends, intent }: LookedAway = {},
): readonly Question[] {
  const compiled = compileProfile(profile, pluginsOf(fleet))
  const seen = new Set<string>()
  const overlay = openOverlay(fleet)
  try {
    if (ends !== undefined) overlay.liftDestination(ends, asksPlain(request))
    if (source !== undefined) liftSource(overlay, request, source, intent)
    return membersOf(request).flatMap((members, position) => {
      const asks = compiled.asks.filter(({ part, optionsKey }) => answerOf(profile, members.request, part.name, optionsKey) === undefined)
      const key = requestKey(members.request)
      if (asks.length === 0 || seen.has(key)) return []
      seen.add(key)
      const candidates = candidatesFor(compiled, members.request, fleet)
      return asks.map((ask) => toQuestion(ask, fleet, members.request, position, candidates))
    })
  } finally {
    overlay.discard()
  }
}

/**
 * The hosts that pass the filters in this process. The topology spread of the request is ignored, because it depends on where the other
 * instances of the request are placed.
 */
function candidatesFor(compiled: CompiledProfile, request: RequestSpec, fleet: Fleet): readonly HostIndex[] {
  const filters = compiled.filters.filter(({ isOutside }) => !isOutside)
  const { hosts } = runFilters(prepareFilters({ ...compiled, filters }, { ...request, topologySpread: [] }, fleet), fleet)
  return Array.from(hosts.subarray(0, MAX_ASKED)) as HostIndex[]
}

function toQuestion(
  { part, kind, by, options, optionsKey, multiplier }: OutsideAsk,
  fleet: Fleet,
  request: RequestSpec,
  members: number,
  candidates: readonly HostIndex[],
): Question {
  const { hosts: table } = fleet
  const reads = readsOf(part.reads, options)
  const unreportedOf = prepareUnreported(fleet, reads, options)
  const reporting: HostIndex[] = []
  const unreported: Question['unreported'][number][] = []
  for (const host of candidates) {
    const fields = table.omitting === 0 ? [] : omittedOf(table.get(host), reads)
    const reason: Reason | undefined =
      fields.length > 0 ? { code: 'host.not_reported', subject: fields.join(', ') } : unreportedOf?.(table.get(host))?.reason
    if (reason === undefined) reporting.push(host)
    else unreported.push({ host, reason })
  }
  const show = showHosts(table, reads)
  return {
    part: part.name,
    kind,
    by,
    ...(optionsKey !== undefined && { options: optionsKey }),
    ...('unit' in part && { unit: part.unit }),
    members,
    // the options were parsed from JSON by a schema whose output is also JSON
    parameters: options as JsonObject,
    multiplier,
    request: shownRequest(request),
    hosts: reporting,
    documents: reporting.map(show),
    unreported,
  }
}
