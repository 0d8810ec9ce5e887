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
  /** The request whose further instances are counted, one at a time. */
  readonly request: RequestSpec
  readonly profile: Profile
  readonly seed: string
  /** The keys of a host by which hosts are grouped; a host may be in several groups, or in none. */
  groupsOf(host: HostRecord): readonly string[]
  /** The count at which counting stops. */
  readonly limit: number
  isOver(): boolean
}

/** A filter that refuses the next instance on full hosts, or every instance on hosts that take none. */
export interface Bottleneck {
  readonly filter: string
  readonly code: Code
  /** The subject of the refusal: a resource class, or another property that the filter reads. */
  readonly resource: string
  readonly hosts: number
  /** The number of hosts in the group that took at least one instance. */
  readonly hostsWithRoom: number
  /**
   * False if the request does not admit these hosts, for example because of their zone or traits. The free resources of such hosts are not
   * counted (Filter.admits).
   */
  readonly admitted: boolean
}

export interface CapacityGroup {
  readonly key: string
  readonly fits: number
  readonly hosts: number
  readonly hostsWithRoom: number
  /**
   * The number of instances that would fit if the free resources of the hosts were on one host. Only hosts that take an instance or that
   * are refused only for an amount contribute. Always at least `fits`. Null if the request needs no amount.
   */
  readonly fitsIfPooled: number | null
  /**
   * The limit that ends the count on most hosts of the group that took an instance or, if none did, on most admitted hosts. Null if the
   * count was cut short.
   */
  readonly bottleneck: Bottleneck | null
}

export interface Capacity {
  /** The number of instances that can be placed one after another until every host refuses the next one. */
  readonly fits: number
  /** False if `fits` is only a lower bound. */
  readonly exact: boolean
  /** Why `fits` is only a lower bound; null if it is exact. */
  readonly cut: 'deadline' | 'limit' | null
  /**
   * PER_HOST: hosts do not depend on each other, so each host was filled alone. Hosts that share only a pool were filled one after the
   * other. ONE_BY_ONE: instances were placed one after another over all hosts.
   */
  readonly method: 'PER_HOST' | 'ONE_BY_ONE'
  readonly hostsWithRoom: number
  /** The groups, sorted by the number of instances that fit, largest first, then by key. */
  readonly groups: readonly CapacityGroup[]
  /** The limits of admitted hosts come before other limits. Within both, limits with more hosts come first. */
  readonly bottlenecks: readonly Bottleneck[]
}

/** How many instances one host takes. */
export interface HostCount {
  readonly host: HostIndex
  fits: number
  /**
   * Why the host refuses the next instance, as the cause of a refusal counts it. For a host that is not admitted: the conditions that
   * exclude it.
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
  /** The code that is the cause regardless of the other refusals, because the request admits no host, or too few hosts. */
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
 * Returns a function that computes how many instances would fit into the combined free resources of some hosts. Hosts that are refused only
 * for an amount are included.
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

/** Counts each host for only one of its shortfalls: the most frequent one, in the order in which the cause of a refusal counts codes. */
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
