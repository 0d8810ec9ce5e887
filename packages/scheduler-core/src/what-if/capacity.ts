import { admittedIn } from '../cause/cause.ts'
import { tooFewOf } from '../cause/members/too-few.ts'
import { groupsOf, type Precedence, reasonsOn, refuse } from '../cause/refused.ts'
import { pluginsOf } from '../contracts/plugins.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type Overlay, openOverlay } from '../fleet/overlay.ts'
import { at } from '../hosts/columns.ts'
import type { HostRecord } from '../hosts/hosts.ts'
import { asksPlain, asksShared } from '../kinds/index.ts'
import { compileProfile } from '../pipeline/compile.ts'
import { passesSafely } from '../pipeline/filtering/passes-safely.ts'
import { isAsked, prepareFilters } from '../pipeline/filtering/run-filters.ts'
import type { ClaimPart } from '../records/change.ts'
import type { Grants } from '../records/grants.ts'
import type { Profile } from '../records/profile.ts'
import { demandOf, type RequestSpec } from '../request/request-spec.ts'
import { decideInSteps } from '../schedulers/decide.ts'
import { groupOf, prepareGrants } from '../schedulers/filter-scheduler.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { Steps } from '../values/steps.ts'
import { type Capacity, type CapacityOptions, type Counting, type End, type HostCount, SLICE, summarise } from './capacity-groups.ts'

/**
 * Counts how many more instances of a request fit. If the filters of the request read only the host that they evaluate, each host is filled
 * separately in an overlay until a filter refuses the next instance, and the counts are summed. If a filter also reads other hosts, as for
 * a topology spread, instances are placed one by one over all hosts. With `compat: nova`, this is also done for a request with a server
 * group. Two cases are handled differently. The first member of an empty group with AFFINITY is placed by a
 * decision, because all other members must be on the same host. If hosts share a requested resource, the instances that were placed on one
 * host keep their resources while the next host is filled. All instances have the same size, so the order of the hosts affects the counts
 * of single hosts, but not the sum. The fleet must be a private copy. The fleet is unchanged at the end.
 */
export function* countCapacity(fleet: Fleet, options: CapacityOptions): Steps<Capacity> {
  const one: RequestSpec = { ...options.request, numInstances: 1, instanceUuids: [], gang: [] }
  const isNovaGroup = options.profile.compat === 'nova' && one.instanceGroup !== null
  const isOneByOne = isNovaGroup || readsOtherHosts(fleet, one, options.profile)
  const isShared = asksShared(one, fleet.hosts)
  const counting: Counting = { counts: fleet.hosts.records.map(({ index }) => ({ host: index, fits: 0 })), fits: 0, cut: null }
  const overlay = openOverlay(fleet)
  try {
    if (isOneByOne) yield* placeOneByOne(fleet, overlay, one, options, counting)
    else yield* fillEach(fleet, overlay, one, options, counting, isShared)
  } finally {
    overlay.discard()
  }
  return { ...(yield* summarise(fleet, options, counting)), method: isOneByOne || isShared ? 'ONE_BY_ONE' : 'PER_HOST' }
}

/**
 * True if a filter that the request uses reads other hosts. Instances on one host can then change how many instances another host takes.
 */
const readsOtherHosts = (fleet: Fleet, one: RequestSpec, profile: Profile): boolean =>
  prepareFilters(compileProfile(profile, pluginsOf(fleet)), one, fleet).some((step) => isAsked(step) && step.readsOtherHosts)

function* fillEach(
  fleet: Fleet,
  overlay: Overlay,
  one: RequestSpec,
  options: CapacityOptions,
  counting: Counting,
  isShared: boolean,
): Steps<void> {
  if (isFirstOfAffinity(fleet, one)) yield* placeNext(fleet, overlay, one, options, counting)
  const refusing = yield* refusingBy(fleet, one, options.profile)
  counting.precedence = refusing.precedence
  const compiled = compileProfile(options.profile, pluginsOf(fleet))
  const canPassAgain = compiled.filters.some(({ filter }) => filter.canPassAgain?.(one) === true)
  const filling: Filling = {
    overlay,
    one,
    refusing,
    grantsOn: prepareGrants(compiled, one, fleet),
    guess: canPassAgain ? () => 0 : guessFor(fleet, one),
    isOver: options.isOver,
  }
  for (const record of fleet.hosts.present) {
    const count = counting.counts[record.index] as HostCount
    yield
    if (options.isOver()) counting.cut ??= 'deadline'
    if (counting.fits >= options.limit) counting.cut ??= 'limit'
    if (counting.cut !== null) return
    const held = overlay.size
    const more = yield* fill(record, filling, options.limit - counting.fits)
    while (!isShared && overlay.size > held) {
      overlay.rollback(Math.max(held, overlay.size - SLICE))
      yield
    }
    count.fits += more.fits
    counting.fits += more.fits
    if (more.end !== undefined) count.end = more.end
    else counting.cut = counting.fits >= options.limit ? 'limit' : 'deadline'
  }
}

/** True if the request is for a group with AFFINITY that has no members. The host of its first member is then the host of all members. */
function isFirstOfAffinity({ groups }: Fleet, { instanceGroup }: RequestSpec): boolean {
  // Hosts that the caller lists for the group do not matter here: they restrict the first member, whose claim binds the group to one host.
  if (instanceGroup?.policy !== 'AFFINITY') return false
  return (groups.find(instanceGroup.uuid)?.members.size ?? 0) === 0
}

interface Filling {
  readonly overlay: Overlay
  readonly one: RequestSpec
  readonly refusing: Refusing
  grantsOn(host: HostIndex): Grants
  guess(host: HostIndex): number
  isOver(): boolean
}

/**
 * Places instances on one host until a filter refuses the next instance. Yields in between, because a host can take millions of instances.
 * First, the estimated count minus 1 is placed in one step, unless a host that refuses can pass again (`Filter.canPassAgain`). If this was too many, the step is undone. Then instances are placed one by one.
 */
function* fill(
  { index, host, node }: HostRecord,
  { overlay, one, refusing: { refuses, endAt }, grantsOn, guess, isOver }: Filling,
  most: number,
): Steps<Omit<HostCount, 'host'>> {
  let isFull = refuses(index)
  if (isFull) return { fits: 0, end: endAt(index) }
  const group = groupOf(one)
  const partOf = (grants: Grants): ClaimPart => ({ claim: '', instance: null, host, node, grants })
  const empty = overlay.size
  let fits = 0
  const nearlyFull = Math.min(guess(index), most) - 1
  if (nearlyFull > 0) {
    overlay.holdCopies(partOf(grantsOn(index)), group, nearlyFull)
    fits = nearlyFull
    if (refuses(index)) {
      overlay.rollback(empty)
      fits = 0
    }
  }
  for (let steps = 1; !isFull && fits < most; fits++, steps++) {
    if (steps % SLICE === 0) yield
    if (steps % SLICE === 0 && isOver()) break
    overlay.hold(partOf(grantsOn(index)), group)
    isFull = refuses(index)
  }
  return isFull ? { fits, end: endAt(index) } : { fits }
}

/**
 * Estimates from the columns of a host how many instances fit on it. Returns 0 if the request needs units such as NUMA cells or GPUs, which
 * are not in the columns.
 */
function guessFor({ hosts }: Fleet, one: RequestSpec): (host: HostIndex) => number {
  if (!asksPlain(one)) return () => 0
  const wanted = Object.entries(demandOf(one).amounts).map(([name, amount]) => ({ free: hosts.classColumns(name), amount }))
  return (host) => {
    const most = Math.min(...wanted.map(({ free: { free }, amount }) => Math.floor(at(free, host) / amount)))
    return Number.isFinite(most) ? most : 0
  }
}

function* placeOneByOne(fleet: Fleet, overlay: Overlay, one: RequestSpec, options: CapacityOptions, counting: Counting): Steps<void> {
  for (;;) {
    yield
    if (options.isOver()) counting.cut = 'deadline'
    else if (counting.fits >= options.limit) counting.cut = 'limit'
    if (counting.cut !== null || !(yield* placeNext(fleet, overlay, one, options, counting))) break
  }
  const { refuses, endAt, precedence } = yield* refusingBy(fleet, one, options.profile)
  counting.precedence = precedence
  for (const { index } of fleet.hosts.present) {
    yield
    if (refuses(index)) (counting.counts[index] as HostCount).end = endAt(index)
  }
}

/** Decides one more instance and holds its resources in the overlay. Returns false if no host takes it. */
function* placeNext(
  fleet: Fleet,
  overlay: Overlay,
  one: RequestSpec,
  { profile, seed }: CapacityOptions,
  counting: Counting,
): Steps<boolean> {
  const { parts } = yield* decideInSteps(fleet, overlay, {
    id: '',
    request: one,
    profile,
    // the same seed as in a simulation of this request, so that the simulation places the same instances
    seed: `${seed} 0.${counting.fits}`,
    attempt: 1,
    alternatesPerInstance: 0,
    allOrNothing: true,
    claimIds: [''],
  })
  const [part] = parts
  const index = part === undefined ? undefined : fleet.hosts.find(part)?.index
  if (index === undefined) return false
  ;(counting.counts[index] as HostCount).fits++
  counting.fits++
  return true
}

interface Refusing {
  /** Which reason codes come before more frequent codes. */
  readonly precedence: Precedence
  /** True if a filter refuses one more instance on the host. */
  refuses(host: HostIndex): boolean
  /** Why the host refuses an instance. For a host that is not admitted: all conditions of the request that exclude it. */
  endAt(host: HostIndex): End
}

function* refusingBy(fleet: Fleet, one: RequestSpec, profile: Profile): Steps<Refusing> {
  const steps = prepareFilters(compileProfile(profile, pluginsOf(fleet)), one, fleet)
  const asked = steps.filter(isAsked)
  const { conditions, hosts, leavesNone } = yield* admittedIn(steps, { fleet, request: one, whole: one, instance: 0 })
  const admitted = new Set(hosts)
  const refuses = (host: HostIndex): boolean =>
    asked.some(({ prepared }) => prepared === undefined || passesSafely(prepared, host) !== true)
  const tooFew = tooFewOf(fleet, one, 0, hosts)
  const binding = leavesNone ?? tooFew?.code
  return {
    // if no host takes an instance, the codes of the host with the smallest shortfalls come first, as in the cause of a refusal
    precedence: hosts.every(refuses)
      ? { binding, nearest: (yield* refuse(fleet, groupsOf(asked, []), hosts, tooFew)).ofNearest }
      : { binding },
    refuses,
    endAt: (host) =>
      admitted.has(host)
        ? { isAdmitted: true, refusals: reasonsOn(asked, host) }
        : {
            isAdmitted: false,
            refusals: conditions.filter(({ lets }) => !lets(host)).map(({ filter, reasonAt }) => ({ filter, reason: reasonAt(host) })),
          },
  }
}
