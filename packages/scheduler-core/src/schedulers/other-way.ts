import { pluginsOf } from '../contracts/plugins.ts'
import { restated } from '../contracts/restated.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import { compileProfile } from '../pipeline/compile.ts'
import { isAsked, prepareFiltersInSteps } from '../pipeline/filtering/run-filters.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import type { Profile } from '../records/profile.ts'
import { type Members, membersOf } from '../request/members.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Steps } from '../values/steps.ts'
import { type DecideInput, decideInSteps } from './decide.ts'
import { groupOf, prepareGrants } from './filter-scheduler.ts'
import { findHostForAll, goTogether, type InstanceAsk } from './host-for-all.ts'

/**
 * Limits for the search for another way to place a refused request. It places at most MAX_PLACED instances, and examines at most
 * MAX_CHECKED_PAIRS pairs of an instance and a host. One attempt to place all instances is made even if it exceeds these limits.
 */
const MAX_PLACED = 300
const MAX_CHECKED_PAIRS = 300_000
/** If a request has more kinds of instances than this, only some of their orders are tried. */
const MAX_KINDS = 4

/** A way to place all instances of a request that was refused in the order of the request. */
export interface OtherWay {
  /**
   * An order of the kinds of instances in which the profile's scheduler can place all instances. Null if the search found hosts for all
   * instances, but no such order.
   */
  readonly order: readonly string[] | null
  /** Only for profiles with `compat: nova`: a host on which all instances of an affinity group fit, and the number of these instances. */
  readonly host?: { readonly name: string; readonly instances: number }
}

/** How many times the search tries to place all instances of a request, by the number of instances and hosts. At least once. */
export const waysTried = (instances: number, hosts: number): number =>
  Math.ceil(Math.min(MAX_PLACED, MAX_CHECKED_PAIRS / Math.max(1, hosts)) / instances)

/**
 * Searches a different way to place the instances of a refused request. The schedulers FILTER and CHANCE place instances in order, and
 * never move a placed instance. So the search tries other orders. Then it tries to place each instance on the fullest host on which
 * the instance fits. Under `compat: nova`, the only search is for a host on which all instances of an affinity group fit. The search is not
 * complete, so it can miss a possible way. The overlay is unchanged when the generator ends.
 */
export function* findOtherWayInSteps(fleet: Fleet, overlay: Overlay, input: DecideInput): Steps<OtherWay | undefined> {
  const { request, profile, source } = input
  if (request.numInstances < 2 || source !== undefined) return undefined
  if (profile.compat === 'nova') return yield* findHostUnderNova(fleet, overlay, input)
  if (!isPlacedInOrder(profile, fleet)) return undefined
  const kinds = membersOf(request)
  function* placesAll(order: readonly Members[], by: Profile): Steps<boolean> {
    const before = overlay.size
    const { parts } = yield* decideInSteps(fleet, overlay, { ...input, request: inOrder(request, order), profile: by, allOrNothing: true })
    overlay.rollback(before)
    return parts.length === request.numInstances
  }
  const orders = ordersOf(kinds)
  const tight: Profile = { ...profile, weighers: tightest.weighers, scheduler: 'filter', hostSubsetSize: 1 }
  const ways = [
    ...orders.map((order) => ({ order, by: profile, reported: order.map(nameOf) })),
    ...[kinds, ...orders.slice(0, 1)].map((order) => ({ order, by: tight, reported: null })),
  ]
  for (const { order, by, reported } of ways.slice(0, waysTried(request.numInstances, fleet.hosts.present.length)))
    if (yield* placesAll(order, by)) return { order: reported }
  return undefined
}

/** Finds a host on which all instances of an affinity group fit, and on which Nova's rules place them if the request names this host. */
function* findHostUnderNova(fleet: Fleet, overlay: Overlay, input: DecideInput): Steps<OtherWay | undefined> {
  const { request, profile } = input
  const compiled = compileProfile(profile, pluginsOf(fleet))
  if (!goTogether(request, fleet) || compiled.asks.length > 0) return undefined
  const steps = (yield* prepareFiltersInSteps(compiled, request, fleet)).filter(isAsked)
  const ask: InstanceAsk = { steps, grantsOn: prepareGrants(compiled, request, fleet) }
  const hosts = fleet.hosts.present.map(({ index }) => index)
  const host = yield* findHostForAll(request, fleet, overlay, () => ask, groupOf(request), hosts)
  if (host === undefined) return undefined
  const { host: name, node } = fleet.hosts.get(host)
  const none = { aggregates: [], forbiddenAggregates: [] }
  const asked = restated(request, { requestedDestination: { ...none, ...request.requestedDestination, host: name, node } })
  const before = overlay.size
  const { parts } = yield* decideInSteps(fleet, overlay, { ...input, request: asked, allOrNothing: true })
  overlay.rollback(before)
  return parts.length === request.numInstances ? { order: null, host: { name, instances: parts.length } } : undefined
}

/** Formats the result of the search as a sentence about how the request can be placed. */
export function otherWayText({ order, host }: OtherWay): string {
  if (host !== undefined)
    return `Nova's rules choose the best host for the first instance alone. If ${host.name} is chosen for it, all ${host.instances} instances fit there: name ${host.name} in requestedDestination, or use a profile without compat: nova.`
  const cure = 'a profile with the scheduler SOLVER considers all of them together'
  return order === null
    ? `All instances fit on the hosts, but not if each instance in turn is placed on its best host: ${cure}.`
    : `All instances fit in another order: ${order.join(', then ')}. Instances are placed in the order of the request and not moved again; ${cure}.`
}

const tightest = builtInProfiles.find(({ name }) => name === 'best-fit') as Profile

/**
 * Returns true if other orders of the instances can be tried. The profile's scheduler must place instances in order, and the profile must
 * have no filters or weighers outside of this process, because their answers are valid only for the original request.
 */
function isPlacedInOrder(profile: Profile, fleet: Fleet): boolean {
  if (profile.scheduler !== 'filter' && profile.scheduler !== 'chance') return false
  return compileProfile(profile, pluginsOf(fleet)).asks.length === 0
}

/** Orders of the kinds of instances to try, without the order of the request. In the first order, the largest kinds come first. */
function ordersOf(kinds: readonly Members[]): readonly (readonly Members[])[] {
  const largest = [...kinds].sort((a, b) => bySize(b, a))
  const all = kinds.length <= MAX_KINDS ? permutations(kinds) : [[...kinds].reverse(), [...largest].reverse()]
  const seen = new Set([kinds.map(({ first }) => first).join()])
  return [largest, ...all].filter((order) => {
    const id = order.map(({ first }) => first).join()
    return !seen.has(id) && seen.add(id) !== undefined
  })
}

function permutations(kinds: readonly Members[]): readonly (readonly Members[])[] {
  if (kinds.length < 2) return [kinds]
  return kinds.flatMap((kind, i) => permutations(kinds.filter((_, other) => other !== i)).map((rest) => [kind, ...rest]))
}

function bySize({ request: a }: Members, { request: b }: Members): number {
  const gpus = (a.gpus?.count ?? 0) - (b.gpus?.count ?? 0)
  return gpus || a.flavor.vcpus - b.flavor.vcpus || a.flavor.memoryMb - b.flavor.memoryMb
}

/** Returns the request with its kinds of instances in this order. */
function inOrder(request: RequestSpec, [first, ...others]: readonly Members[]): RequestSpec {
  if (first === undefined || others.length === 0) return request
  const askedBy = ({ request: { flavor, numaTopology, gpus, pciRequests, requestedResources } }: Members) => ({
    ...{ flavor, numaTopology, gpus, pciRequests, requestedResources },
  })
  const gang = others.map((kind) => ({ name: kind.name, instances: kind.count, ...askedBy(kind) }))
  return { ...request, ...askedBy(first), gang }
}

const nameOf = ({ name, request: { flavor } }: Members): string =>
  name ?? flavor.name ?? `${flavor.vcpus} vCPUs with ${flavor.memoryMb} MiB`
