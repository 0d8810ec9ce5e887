import { codesInOrder, type Precedence } from '../cause/refused.ts'
import { thingOf } from '../cause/shortfalls.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { at } from '../hosts/columns.ts'
import type { HostRecord } from '../hosts/hosts.ts'
import type { Profile } from '../records/profile.ts'
import { demandOf, type RequestSpec } from '../request/request-spec.ts'
import type { Code } from '../text/codes.ts'
import type { Reason } from '../text/reason.ts'
import { byCodeUnit } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { inSlices, type Steps, sortInSteps } from '../values/steps.ts'

export interface CapacityOptions {
  /** The request. The count is how many more of its instances fit. */
  readonly request: RequestSpec
  readonly profile: Profile
  readonly seed: string
  /** The keys of the groups that a host is in. The result has a count for each group. A host can be in several groups, or in none. */
  groupsOf(host: HostRecord): readonly string[]
  /** At most this many instances are counted. */
  readonly limit: number
  isOver(): boolean
}

/** A reason why hosts take no further instance, and how many hosts have this reason. */
export interface Bottleneck {
  readonly filter: string
  readonly code: Code
  /**
   * The subject of the reason, for example the resource class of which the host has too little. The name of the filter if the reason has no
   * subject.
   */
  readonly resource: string
  readonly hosts: number
  /** How many of `hosts` took at least one instance. */
  readonly hostsWithRoom: number
  /**
   * False if the request excludes these hosts by their zone, traits or other fixed properties. The free resources of such hosts are not
   * counted.
   */
  readonly admitted: boolean
}

export interface CapacityGroup {
  readonly key: string
  readonly fits: number
  readonly hosts: number
  readonly hostsWithRoom: number
  /**
   * How many instances would fit if all free resources of the group were on one host. Hosts that take no instance are included if the only
   * reason is that amounts of resource classes are too small. Always at least `fits`. Null if the request needs no amounts of resource
   * classes.
   */
  readonly fitsIfPooled: number | null
  /**
   * The first reason why the hosts of the group take no further instance, in the order of `Capacity.bottlenecks`. Only hosts that took an
   * instance are considered, if there are any. Null if the count was stopped before the hosts were full.
   */
  readonly bottleneck: Bottleneck | null
}

export interface Capacity {
  /** How many instances can be placed one after another until every host refuses the next instance. */
  readonly fits: number
  /** False if `fits` is only a lower bound. */
  readonly exact: boolean
  /** Why counting was stopped before every host refused the next instance. Null if `fits` is exact. */
  readonly cut: 'deadline' | 'limit' | null
  /**
   * PER_HOST: each host was filled separately, because the instances on one host do not change how many instances another host takes.
   * ONE_BY_ONE: the instances on one host can change this for another host. Therefore, instances were placed one after another over all
   * hosts, or hosts that share a resource were filled one after another.
   */
  readonly method: 'PER_HOST' | 'ONE_BY_ONE'
  readonly hostsWithRoom: number
  /** The groups, sorted by `fits`, largest first, and then by key. */
  readonly groups: readonly CapacityGroup[]
  /**
   * The reasons why hosts take no further instance. Reasons of admitted hosts are first. Within both parts, a code with precedence
   * (`Counting.precedence`) is first, and then the codes that most hosts have (`codesInOrder`).
   */
  readonly bottlenecks: readonly Bottleneck[]
}

/** How many instances were placed on one host, and why it takes no further instance. */
export interface HostCount {
  readonly host: HostIndex
  fits: number
  /**
   * Why the host refuses the next instance. For a host that is not admitted: all conditions of the request that exclude it. Undefined if
   * the host was not filled.
   */
  end?: End
}

export interface End {
  readonly isAdmitted: boolean
  readonly refusals: readonly { readonly filter: string; readonly reason: Reason }[]
}

export interface Counting {
  readonly counts: HostCount[]
  fits: number
  /** Which reason codes come before more frequent codes, for example if the request admits no host at all. */
  precedence?: Precedence
  cut: Capacity['cut']
}

/** The generator yields after this many hosts, or this many instances on one host. */
export const SLICE = 256

export function* summarise(
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

/**
 * Returns a function that computes how many instances would fit if the free resources of hosts were on one host. Hosts that take no
 * instance are included if the only reason is that amounts are too small.
 */
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

/**
 * Counts the reasons of hosts. If a host has several reasons, it is counted for the reason whose code is first in `codesInOrder`, usually
 * the code that most hosts have.
 */
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
