import type { Fleet } from '../fleet/fleet.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { omittedOf, readsOf } from '../fleet/stats-fields.ts'
import type { HostIndex } from '../host-index.ts'
import type { JsonObject } from '../json.ts'
import { asksPlain } from '../kinds/index.ts'
import { memoByObject } from '../memo.ts'
import { prepareUntold } from '../namespace/untold.ts'
import { compileProfile } from '../pipeline/compile.ts'
import type { CompiledProfile, OutsideAsk } from '../pipeline/compiled-profile.ts'
import { prepareFilters, runFilters } from '../pipeline/run-filters.ts'
import { type Plugins, pluginsOf } from '../plugin/plugins.ts'
import type { Profile } from '../profiles/profile.ts'
import type { Reason } from '../reason.ts'
import { membersOf } from '../request/members.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { type DecideInput, liftSource } from '../schedulers/decide.ts'
import { answerOf } from './answered.ts'
import type { Question } from './question.ts'
import { requestKey, showHosts, shownRequest } from './shown.ts'

/** Hosts that one question may be about; of more, the last are not asked about, and so refused. */
export const MOST_ASKED = 20_000

/** What a decision looks away from, as the decision itself will. */
export type LookedAway = Pick<DecideInput, 'source' | 'ends' | 'intent'>

/** The parts of a profile that are asked outside of this process; none for nearly all. */
export const asksOf = (fleet: Fleet, profile: Profile): readonly OutsideAsk[] => knownAsks(pluginsOf(fleet))(profile)

const knownAsks = memoByObject((plugins: Plugins) => memoByObject((profile: Profile) => compileProfile(profile, plugins).asks))

/** Parts that are asked outside of this process and have not answered about all kinds of a request's instances. */
export const unansweredOf = (fleet: Fleet, profile: Profile, request: RequestSpec): readonly string[] =>
  asksOf(fleet, profile)
    .filter(({ part, optionsKey }) =>
      membersOf(request).some((members) => answerOf(profile, members.request, part.name, optionsKey) === undefined),
    )
    .map(({ part }) => part.name)

/**
 * What has to be asked so that a request can be decided by a profile: each part about all hosts that the filters in this process let
 * through, for each kind of its instances, whatever the call is for. What the profile has answers to is not asked again.
 * Nothing else may have an overlay open on the fleet.
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

/** Hosts that may come into question for any instance: what depends on where the others of the request go is left out. */
function candidatesFor(compiled: CompiledProfile, request: RequestSpec, fleet: Fleet): readonly HostIndex[] {
  const filters = compiled.filters.filter(({ isOutside }) => !isOutside)
  const { hosts } = runFilters(prepareFilters({ ...compiled, filters }, { ...request, topologySpread: [] }, fleet), fleet)
  return Array.from(hosts.subarray(0, MOST_ASKED)) as HostIndex[]
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
  const untoldOf = prepareUntold(fleet, reads, options)
  const told: HostIndex[] = []
  const untold: Question['untold'][number][] = []
  for (const host of candidates) {
    const fields = table.omitting === 0 ? [] : omittedOf(table.get(host), reads)
    const reason: Reason | undefined =
      fields.length > 0 ? { code: 'host.not_reported', subject: fields.join(', ') } : untoldOf?.(table.get(host))?.reason
    if (reason === undefined) told.push(host)
    else untold.push({ host, reason })
  }
  const show = showHosts(table, reads)
  return {
    part: part.name,
    kind,
    by,
    ...(optionsKey !== undefined && { options: optionsKey }),
    ...('unit' in part && { unit: part.unit }),
    members,
    // options came as JSON, and a schema of JSON made of them what they are
    parameters: options as JsonObject,
    multiplier,
    request: shownRequest(request),
    hosts: told,
    documents: told.map(show),
    untold,
  }
}
