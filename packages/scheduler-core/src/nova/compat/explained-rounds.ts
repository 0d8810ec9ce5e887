import type { CompiledFilter, CompiledProfile } from '../../contracts/compiled-profile.ts'
import type { Filter } from '../../contracts/filter.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Round, Rounds } from '../../pipeline/rounds.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { HostState } from '../objects/host-state.ts'
import { ownHostsOf } from '../own/own-hosts.ts'
import { asWeigher } from '../parts/as-weigher.ts'
import { NovaHost } from '../parts/nova-host.ts'
import type { NovaView } from '../parts/nova-view.ts'
import { findNovaFilter, findNovaWeigher } from '../parts/options.ts'
import { novaRequestOn } from '../requests/own-request.ts'
import { compatFilter } from './compat.ts'
import { placementNames } from './placement-filters.ts'
import type { NovaRound } from './rounds.ts'

/** The filter that shows, in an explanation of a later instance, which hosts an earlier round refused. */
export const EARLIER_INSTANCES = 'EarlierInstances'

/** Where a host was refused before a round. */
interface Dropped {
  /** The index of the instance for which the host was refused. */
  readonly instance: number
  readonly filter: string
}

/**
 * How Nova's rounds judge each instance of a request, for explanations. A later round differs from the first in four ways. Its filters and
 * weighers read the request and the chosen hosts as the earlier rounds left them. Filters that run once per request keep their verdicts. A
 * host that an earlier round refused is not considered. Hosts with equal weights keep the order of the earlier round.
 */
export function explainRounds(compiled: CompiledProfile, fleet: Fleet, rounds: readonly NovaRound[]): Rounds {
  const indexOf = (host: HostState): HostIndex => {
    const record = fleet.hosts.find(host)
    if (record === undefined) throw new Error(`the host ${host.host} is not in the fleet`)
    return record.index
  }
  const made = new Map<number, Round>()
  const make = (instance: number): Round => {
    const round = rounds[instance] as NovaRound
    const positions = new Map(round.input.map((host, position) => [indexOf(host), position]))
    const tieOrder = (host: number): number => positions.get(host as HostIndex) ?? positions.size
    return { tieOrder, compiled: instance === 0 ? compiled : inRound(compiled, rounds.slice(0, instance), round, positions, indexOf) }
  }
  return {
    count: rounds.length,
    at(instance) {
      const round = made.get(instance) ?? make(instance)
      made.set(instance, round)
      return round
    },
  }
}

function inRound(
  compiled: CompiledProfile,
  earlier: readonly NovaRound[],
  round: NovaRound,
  considered: ReadonlyMap<HostIndex, number>,
  indexOf: (host: HostState) => HostIndex,
): CompiledProfile {
  const viewOf = viewIn(round, [...earlier, round], indexOf)
  const dropped = droppedIn(earlier, considered, indexOf)
  const ofRound = (part: CompiledFilter): CompiledFilter => {
    if (part.isNet || part.isOutside) return part
    if (placementNames.has(part.filter.name)) return { ...part, filter: onlyOnce(part.filter, dropped) }
    const filter = findNovaFilter(part.filter.name)
    return { ...part, filter: filter.oncePerRequest ? onlyOnce(part.filter, dropped) : compatFilter(filter, viewOf) }
  }
  return {
    ...compiled,
    filters: [...compiled.filters.map(ofRound), earlierInstances(considered, dropped)],
    shadows: compiled.shadows.map(ofRound),
    weighers: compiled.weighers.map((part) => ({ ...part, weigher: asWeigher(findNovaWeigher(part.weigher.name), viewOf), cacheName: '' })),
  }
}

/** The request and the hosts as the filters of a round read them. Hosts without an instance of the request are as they are in the fleet. */
function viewIn(round: NovaRound, rounds: readonly NovaRound[], indexOf: (host: HostState) => HostIndex): NovaView {
  // a host that an earlier round refused is in the list of that round only
  const chosen = new Map<HostIndex, NovaHost>()
  for (const { input } of rounds) for (const host of input) if (host instanceof NovaHost) chosen.set(indexOf(host), host)
  const { instanceUuid, numaTopology, instanceGroup } = round.request
  return (fleet, request) => {
    const hostOf = ownHostsOf(fleet)
    return {
      wanted: { ...novaRequestOn(fleet, request), instanceUuid, numaTopology, instanceGroup },
      hostOf: (host) => chosen.get(host) ?? hostOf(host),
    }
  }
}

/** A filter that ran only in the first round. It passes the hosts that the first round left, although their state has changed since. */
const onlyOnce = (filter: Filter, dropped: (host: HostIndex) => Dropped | undefined): Filter => {
  const { cacheKey: _, ...others } = filter
  return {
    ...others,
    prepare(request, fleet, options) {
      const prepared = filter.prepare(request, fleet, options)
      return prepared && { ...prepared, passes: (host) => dropped(host)?.instance !== 0 || prepared.passes(host) }
    },
  }
}

/**
 * Refuses the hosts that an earlier round refused. Like a filter outside of this process, it is asked only about hosts that all other
 * filters pass, because the refusals of the others say more.
 */
const earlierInstances = (
  considered: ReadonlyMap<HostIndex, number>,
  dropped: (host: HostIndex) => Dropped | undefined,
): CompiledFilter => ({
  filter: {
    name: EARLIER_INSTANCES,
    description: 'The host was not refused for an earlier instance of the request.',
    reads: [],
    prepare: () => ({
      passes: (host) => considered.has(host),
      reason(host) {
        const { instance, filter } = dropped(host) ?? { instance: 0, filter: 'Candidates' }
        return { code: 'host.refused_earlier', subject: filter, source: `instance ${instance + 1}` }
      },
    }),
  },
  options: {},
  isNet: false,
  isOutside: true,
  verifiedAt: 'NONE',
})

/** Returns a function that says in which round a host was refused, and by which filter. Undefined for a host that is still considered. */
function droppedIn(
  rounds: readonly NovaRound[],
  considered: ReadonlyMap<HostIndex, number>,
  indexOf: (host: HostState) => HostIndex,
): (host: HostIndex) => Dropped | undefined {
  let known: Map<HostIndex, Dropped> | undefined
  return (host) => {
    if (considered.has(host)) return undefined
    known ??= allDropped(rounds, indexOf)
    return known.get(host)
  }
}

/** The last refusal of each host. A host that only a filter on other hosts refuses is checked again, and can be refused several times. */
function allDropped(rounds: readonly NovaRound[], indexOf: (host: HostState) => HostIndex): Map<HostIndex, Dropped> {
  const dropped = new Map<HostIndex, Dropped>()
  for (const { index: instance, input, candidates, filters } of rounds) {
    let entered = input
    for (const { filter, survivors } of [{ filter: 'Candidates', survivors: candidates }, ...filters]) {
      // the hosts that pass keep their order
      let next = 0
      if (survivors.length < entered.length)
        for (const host of entered) {
          if (host === survivors[next]) next++
          else dropped.set(indexOf(host), { instance, filter })
        }
      entered = survivors
    }
  }
  return dropped
}
