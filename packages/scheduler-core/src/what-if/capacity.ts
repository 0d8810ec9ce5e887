import { byCodeUnit } from '../canonical-json.ts'
import { admittedIn } from '../cause/cause.ts'
import { codesInOrder, groupsOf, type Precedence, reasonsOn, refuse } from '../cause/refused.ts'
import { thingOf } from '../cause/shortfalls.ts'
import { tooFewOf } from '../cause/too-few.ts'
import type { Code } from '../codes.ts'
import type { ClaimPart } from '../fleet/change.ts'
import { at } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord } from '../fleet/hosts.ts'
import { type Overlay, openOverlay } from '../fleet/overlay.ts'
import { inSlices, type Steps, sortInSteps } from '../fleet/steps.ts'
import type { HostIndex } from '../host-index.ts'
import type { Grants } from '../kinds/grants.ts'
import { asksPlain, asksShared } from '../kinds/index.ts'
import { compileProfile } from '../pipeline/compile.ts'
import { isAsked, passesSafely, prepareFilters } from '../pipeline/run-filters.ts'
import { pluginsOf } from '../plugin/plugins.ts'
import type { Profile } from '../profiles/profile.ts'
import type { Reason } from '../reason.ts'
import { demandOf, type RequestSpec } from '../request/request-spec.ts'
import { decideInSteps } from '../schedulers/decide.ts'
import { groupOf, prepareGrants } from '../schedulers/filter-scheduler.ts'

export interface CapacityOptions {
  /** What one more is: one instance of it. */
  readonly request: RequestSpec
  readonly profile: Profile
  readonly seed: string
  /** What hosts are counted together by; a host may be in several groups, or in none. */
  groupsOf(host: HostRecord): readonly string[]
  /** Where counting ends. */
  readonly limit: number
  isOver(): boolean
}

/** What refuses the next instance on hosts that are full, or every instance on those that take none. */
export interface Bottleneck {
  readonly filter: string
  readonly code: Code
  /** What is short or wrong: a resource class, or whatever the filter looks at. */
  readonly resource: string
  readonly hosts: number
  /** Of these, hosts that took at least one. */
  readonly hostsWithRoom: number
  /** False: the request is not about these hosts, so room there is no room for it: of another zone, or without what it asks for (Filter.admits). */
  readonly admitted: boolean
}

export interface CapacityGroup {
  readonly key: string
  readonly fits: number
  readonly hosts: number
  readonly hostsWithRoom: number
  /**
   * How many would fit if the free room of its hosts were on one: of those that take one, or are refused for want of an amount alone.
   * At least `fits`. Null where the request asks for no amount.
   */
  readonly fitsIfPooled: number | null
  /** What most of its hosts with room end at; of those that the request admits, where none has room. Null where counting did not get there. */
  readonly bottleneck: Bottleneck | null
}

export interface Capacity {
  /** Instances that fit one after another until no host takes one more. */
  readonly fits: number
  /** False: at least so many. */
  readonly exact: boolean
  /** Why it is not exact. */
  readonly cut: 'deadline' | 'limit' | null
  /**
   * PER_HOST: hosts do not depend on each other, so each was filled alone; ONE_BY_ONE: placed one after another, where hosts share a
   * pool and nothing else each was filled in turn.
   */
  readonly method: 'PER_HOST' | 'ONE_BY_ONE'
  readonly hostsWithRoom: number
  /** Most first, by key where as many fit. */
  readonly groups: readonly CapacityGroup[]
  /** Of hosts that the request admits before others, then most hosts first. */
  readonly bottlenecks: readonly Bottleneck[]
}

/** What was counted of one host. */
interface HostCount {
  readonly host: HostIndex
  fits: number
  /** What refuses the next one, as the cause of a refusal counts it; of a host that the request does not admit, the conditions that say so. */
  end?: End
}

interface End {
  readonly isAdmitted: boolean
  readonly refusals: readonly { readonly filter: string; readonly reason: Reason }[]
}

interface Counting {
  readonly counts: HostCount[]
  fits: number
  /** The code that is the cause whatever else refuses hosts: the request admits none, or too few. */
  precedence?: Precedence
  cut: Capacity['cut']
}

/**
 * How many more instances of a request fit. Most filters look at the host that they are asked about, and at nothing else:
 * so the number is the sum of what each host takes alone, whatever the order, and each host is filled in an overlay until
 * a filter refuses. The exception is a group with AFFINITY and without members: its first member is placed by deciding, and
 * holds all others to its host. Where hosts share what is asked for, what one was filled with stays held while the next is
 * filled: as all are of one size, the sum is the same in any order, and only who has how many of it follows the order of the
 * fleet. Where a filter that is asked looks at other hosts
 * too, as that of a spread does, they are placed one by one; and so they are by Nova's own way of placing, which reads groups anew at each
 * request. The fleet must be the
 * caller's own; it is as it was at the end.
 */
export function* countCapacity(fleet: Fleet, options: CapacityOptions): Steps<Capacity> {
  const one: RequestSpec = { ...options.request, numInstances: 1, instanceUuids: [], gang: [] }
  const isNovaGroup = options.profile.compat === 'nova' && (one.instanceGroup !== null || one.nova !== null)
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

/** Whether what one host takes may change what another can take, by the filters that the request asks anything of. */
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
  const filling: Filling = {
    overlay,
    one,
    refusing,
    grantsOn: prepareGrants(compileProfile(options.profile, pluginsOf(fleet)), one, fleet),
    guess: guessFor(fleet, one),
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

/** The first of a group that keeps together decides where all others go. */
function isFirstOfAffinity({ groups }: Fleet, { instanceGroup }: RequestSpec): boolean {
  // hosts that the caller names narrow where it may begin; the first claim binds the group to one of them
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
 * Fills one host until a filter refuses, with pauses: a host may take millions. No filter lets in again what it refused for what is held: so
 * a guess can be tested, and is held as one step.
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

/** Where only amounts are asked: how many the host has room for by its columns. Else 0: no guess. */
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

/** Places one more where a decision would; false where no host takes it. */
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
    // the one that a simulation with the same seed gives this copy of its only request: where the order matters, both have one
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
  /** Codes that come first among others as frequent. */
  readonly precedence: Precedence
  /** Whether some filter refuses one more on a host. */
  refuses(host: HostIndex): boolean
  /** What does; of a host that is not admitted, each condition that does not let it in. */
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
    // where nothing fits at all, the nearest host is that of the cause
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

/** Hosts that are summed up, or instances that one host is filled with, between two pauses. */
const SLICE = 256

function* summarise(
  fleet: Fleet,
  { groupsOf, request }: CapacityOptions,
  { counts, fits, cut, precedence }: Counting,
): Steps<Omit<Capacity, 'method'>> {
  const groups = new Map<string, HostCount[]>()
  for (const record of fleet.hosts.present) {
    if (record.index % SLICE === SLICE - 1) yield
    for (const key of groupsOf(record)) {
      const group = groups.get(key)
      const count = counts[record.index] as HostCount
      if (group === undefined) groups.set(key, [count])
      else group.push(count)
    }
  }
  const pooled = poolFor(fleet, request)
  const summed: CapacityGroup[] = []
  let looked = 0
  for (const [key, members] of groups) {
    summed.push(yield* groupFrom(key, members, pooled, precedence))
    looked += members.length
    if (looked < SLICE) continue
    looked = 0
    yield
  }
  return {
    fits,
    exact: cut === null,
    cut,
    hostsWithRoom: counts.filter((count) => count.fits > 0).length,
    groups: yield* sortInSteps(summed, (a, b) => b.fits - a.fits || byCodeUnit(a.key, b.key)),
    bottlenecks: yield* bottlenecksOf(counts, precedence),
  }
}

function* groupFrom(
  key: string,
  members: readonly HostCount[],
  pooled: (members: readonly HostCount[]) => number | null,
  precedence: Precedence | undefined,
): Steps<CapacityGroup> {
  const withRoom = members.filter(({ fits }) => fits > 0)
  const fits = members.reduce((sum, member) => sum + member.fits, 0)
  const together = pooled(members)
  return {
    key,
    fits,
    hosts: members.length,
    hostsWithRoom: withRoom.length,
    fitsIfPooled: together === null ? null : Math.max(fits, together),
    bottleneck: (yield* bottlenecksOf(withRoom.length > 0 ? withRoom : members, precedence))[0] ?? null,
  }
}

/** How many the free room of some hosts would hold together, where nothing but an amount keeps them out. */
function poolFor({ hosts }: Fleet, request: RequestSpec): (members: readonly HostCount[]) => number | null {
  const amounts = Object.entries(demandOf(request).amounts)
  const isAmount = new Set(amounts.map(([name]) => name))
  return (members) => {
    if (amounts.length === 0) return null
    const held = members.filter(
      ({ fits, end }) =>
        fits > 0 || (end?.isAdmitted === true && end.refusals.every(({ reason }) => isAmount.has(thingOf(reason.subject ?? '')))),
    )
    const roomFor = ([name, amount]: readonly [string, number]): number => {
      const { free } = hosts.classColumns(name)
      return Math.floor(held.reduce((sum, { host }) => sum + Math.max(0, at(free, host)), 0) / amount)
    }
    return Math.min(...amounts.map(roomFor))
  }
}

/** Each host counts once: for what most hosts lack of all that it lacks, in the order in which the cause of a refusal counts codes. */
function* bottlenecksOf(counts: readonly HostCount[], precedence: Precedence | undefined): Steps<Bottleneck[]> {
  const found = new Map<string, { -readonly [Key in keyof Bottleneck]: Bottleneck[Key] }>()
  const ends = { admitted: [] as Reason[][], others: [] as Reason[][] }
  for (const count of inSlices(counts, SLICE))
    if (count === undefined) yield
    else if (count.end !== undefined)
      ends[count.end.isAdmitted ? 'admitted' : 'others'].push(count.end.refusals.map(({ reason }) => reason))
  const orders = { admitted: yield* codesInOrder(ends.admitted, precedence), others: yield* codesInOrder(ends.others, precedence) }
  const placeOf = (code: Code, isAdmitted: boolean): number => (isAdmitted ? orders.admitted : orders.others).indexOf(code)
  for (const count of inSlices(counts, SLICE)) {
    if (count === undefined) yield
    if (count?.end === undefined) continue
    const { isAdmitted: admitted, refusals } = count.end
    const [first] = [...refusals].sort((a, b) => placeOf(a.reason.code, admitted) - placeOf(b.reason.code, admitted))
    if (first === undefined) continue
    const { filter, reason } = first
    const resource = reason.subject ?? filter
    const key = `${admitted} ${filter} ${reason.code} ${resource}`
    let bottleneck = found.get(key)
    if (bottleneck === undefined) {
      bottleneck = { filter, code: reason.code, resource, hosts: 0, hostsWithRoom: 0, admitted }
      found.set(key, bottleneck)
    }
    bottleneck.hosts++
    if (count.fits > 0) bottleneck.hostsWithRoom++
  }
  return [...found.values()].sort(
    (a, b) => Number(b.admitted) - Number(a.admitted) || placeOf(a.code, a.admitted) - placeOf(b.code, b.admitted) || b.hosts - a.hosts,
  )
}
