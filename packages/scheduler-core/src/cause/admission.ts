import type { Fleet } from '../fleet/fleet.ts'
import type { FilterStep } from '../pipeline/filtering/filter-step.ts'
import { passesSafely } from '../pipeline/filtering/passes-safely.ts'
import { isAsked } from '../pipeline/filtering/run-filters.ts'
import { reasonOf } from '../pipeline/filtering/step-reasons.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Code } from '../text/codes.ts'
import type { Reason } from '../text/reason.ts'
import { byCodeUnit } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { Steps } from '../values/steps.ts'

/** A condition of a request that limits which hosts the request admits. */
export interface Condition {
  readonly filter: string
  readonly by: 'place' | 'property'
  /** True for one of several conditions that a filter checks. False for the combination of all conditions of the filter. */
  readonly isSingle: boolean
  /**
   * True if the condition excludes hosts instead of selecting them. For the combination of a filter's conditions, true if it contains a
   * condition that excludes hosts.
   */
  readonly isExclusion: boolean
  /** For the combination of a filter's conditions: true if a host that meets each single condition can fail their combination. */
  readonly areJoint?: boolean
  /** Describes the hosts that meet the condition. The text follows the word "hosts". */
  readonly which: string
  lets(host: HostIndex): boolean
  /** The reason for which this condition refuses a host. */
  reasonAt(host: HostIndex): Reason
}

/** The hosts that a request admits, regardless of their free resources. */
export interface AdmittedHosts {
  readonly conditions: readonly Condition[]
  readonly hosts: readonly HostIndex[]
  /**
   * If the request admits no host, the code of the first condition that leaves no host. Null if at least one host is admitted, or if the
   * fleet has no host.
   */
  readonly leavesNone: Code | null
  /**
   * If the members of a server group must share a host and the group already has a host: the condition that only this host meets. It is in
   * `conditions` unless another condition excludes the group's host.
   */
  readonly home: Condition | undefined
}

/** The name of the filter by which all members of a server group are placed on one host. */
export const AFFINITY_FILTER = 'ServerGroupAffinityFilter'

/** The generator yields after this many hosts. */
const SLICE = 128

/**
 * Finds the hosts that the request admits. The conditions are applied in this order: hosts, zones and aggregates that the request names;
 * excluded hosts; properties; devices that a host must have, free or in use. If the members of a server group must share a host and the
 * group already has a host, only this host remains, unless another condition excluded it. `isAttempt` is true if the group has no host yet.
 * If a condition leaves no host, and some of the hosts that it refuses are in `preferred`, the code is taken from these hosts.
 */
export function* admittedBy(
  steps: readonly FilterStep[],
  fleet: Fleet,
  request: RequestSpec,
  isAttempt: boolean,
  preferred: readonly HostIndex[] = [],
): Steps<AdmittedHosts> {
  // a filter that failed does not limit the admitted hosts
  const able = steps.filter((step) => isAsked(step) && !step.failed)
  const saying = (by: 'place' | 'property') =>
    able.filter(({ admits }) => admits?.by === by).flatMap((step) => admitting(step, by, request, fleet))
  const conditions = [...saying('place'), ...saying('property'), ...able.flatMap(having)]
  let hosts: readonly HostIndex[] = presentIn(fleet)
  let leavesNone: Code | null = null
  for (const condition of placesFirst(conditions)) {
    const before = hosts
    hosts = yield* letInBy(condition, before)
    if (hosts.length > 0) continue
    const isBefore = new Set(before)
    const refused = preferred.filter((host) => isBefore.has(host))
    leavesNone = (yield* codeOfMost(condition, refused.length > 0 ? refused : before)) ?? leavesNone
  }
  const home = isAttempt ? undefined : homeOf(able, fleet, request)
  const atHome = home === undefined ? [] : yield* letInBy(home, hosts)
  // if other conditions exclude the group's host, the hosts that meet those conditions are returned
  return home === undefined || atHome.length === 0
    ? { conditions, hosts, leavesNone, home }
    : { conditions: [...conditions, home], hosts: atHome, leavesNone, home }
}

/**
 * The codes for hosts without any device. They have the lowest priority, because a host with other devices is nearer to meeting the
 * request.
 */
const HAS_NO_DEVICE: readonly Code[] = ['gpu.none', 'pci.not_reported']

/**
 * The code for which a condition refuses most of `hosts`. Codes in HAS_NO_DEVICE are only used if there is no other code. Ties are broken
 * by the names of the codes. Undefined if there are no hosts.
 */
function* codeOfMost({ reasonAt }: Condition, hosts: readonly HostIndex[]): Steps<Code | undefined> {
  const counts = new Map<Code, number>()
  for (const [i, host] of hosts.entries()) {
    if (i % SLICE === SLICE - 1) yield
    const { code } = reasonAt(host)
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  const rank = (code: Code): number => Number(HAS_NO_DEVICE.includes(code))
  return [...counts].sort(([one, ofOne], [other, ofOther]) => rank(one) - rank(other) || ofOther - ofOne || byCodeUnit(one, other))[0]?.[0]
}

/**
 * Sorts conditions: first the hosts, zones and aggregates that the request names, then excluded hosts, then required properties. Hosts that
 * the request does not name are therefore removed before any property is checked, and do not influence which condition leaves no host.
 */
export const placesFirst = (conditions: readonly Condition[]): readonly Condition[] => [
  ...conditions.filter(({ by, isExclusion }) => by === 'place' && !isExclusion),
  ...conditions.filter(({ by, isExclusion }) => by === 'place' && isExclusion),
  ...conditions.filter(({ by }) => by === 'property'),
]

/** The present hosts, in ascending order. */
export function presentIn({ hosts: { presentIndexes } }: Fleet): HostIndex[] {
  const present: HostIndex[] = []
  for (let i = 0; i < presentIndexes.length; i++) present.push(presentIndexes[i] as HostIndex)
  return present
}

/** The hosts in `hosts` that meet a condition. */
export function* letInBy({ lets }: Condition, hosts: readonly HostIndex[]): Steps<HostIndex[]> {
  const left: HostIndex[] = []
  let count = 0
  for (const host of hosts) {
    if (++count % SLICE === 0) yield
    if (lets(host)) left.push(host)
  }
  return left
}

/** The hosts that are in every list of host names in the request. Empty if the request has no such list. */
export function namedBy(steps: readonly FilterStep[], fleet: Fleet): readonly HostIndex[] {
  const lists = steps.flatMap(({ prepared }) => prepared?.each?.() ?? []).filter(({ isNames }) => isNames === true)
  if (lists.length === 0) return []
  return presentIn(fleet).filter((host) => lists.every((list) => isTrue(list.passes, host)))
}

/** Returns true if a filter passes a host. Returns false if the filter throws. */
export const passes = ({ prepared, failed }: FilterStep, host: HostIndex): boolean =>
  !failed && prepared !== undefined && passesSafely(prepared, host) === true

/** The conditions that a filter checks: first the single conditions if there are several, then the combination of all conditions. */
function admitting(step: FilterStep, by: Condition['by'], request: RequestSpec, fleet: Fleet): readonly Condition[] {
  const isExclusion = step.admits?.isExclusion === true
  const known = { filter: step.name, by, reasonAt: (host: HostIndex) => reasonOf(step, host) }
  const each = step.prepared?.each?.() ?? []
  return [
    ...(each.length < 2
      ? []
      : each.map(({ which, passes: lets, isExclusion = false, reasonAt = known.reasonAt }) => ({
          ...{ ...known, isSingle: true, which, isExclusion, reasonAt },
          lets: (host: HostIndex) => isTrue(lets, host),
        }))),
    {
      ...known,
      isSingle: false,
      areJoint: step.prepared?.areJoint === true,
      isExclusion: isExclusion || each.some((one) => one.isExclusion === true),
      which: step.prepared?.which ?? step.admits?.which(request, fleet) ?? '',
      lets: (host: HostIndex) => passes(step, host),
    },
  ]
}

/**
 * Returns true if a host meets a single condition. Also returns true if the check throws, because the filter as a whole reports the error.
 */
function isTrue(lets: (host: HostIndex) => boolean, host: HostIndex): boolean {
  try {
    return lets(host)
  } catch {
    return true
  }
}

function having(step: FilterStep): readonly Condition[] {
  const havers = step.prepared?.havers?.()
  if (havers === undefined) return []
  const known = { filter: step.name, by: 'property', isExclusion: false, reasonAt: havers.lacks } as const
  const each = havers.each ?? []
  return [
    ...(each.length < 2 ? [] : each.map(({ which, passes: lets }) => ({ ...known, isSingle: true, which, lets }))),
    { ...known, isSingle: false, which: havers.which, lets: havers.has },
  ]
}

function homeOf(steps: readonly FilterStep[], { groups }: Fleet, { instanceGroup }: RequestSpec): Condition | undefined {
  const step = steps.find(({ name }) => name === AFFINITY_FILTER)
  if (step === undefined || instanceGroup?.policy !== 'AFFINITY') return undefined
  if (instanceGroup.hosts.length === 0 && (groups.find(instanceGroup.uuid)?.members.size ?? 0) === 0) return undefined
  return {
    ...{ filter: step.name, by: 'place', isSingle: false, isExclusion: false },
    which: `with the members of server group ${instanceGroup.uuid}`,
    lets: (host) => passes(step, host),
    reasonAt: (host) => reasonOf(step, host),
  }
}

/**
 * Used if no host meets all conditions of a request. Of the hosts that meet all conditions on hosts, zones and aggregates, finds those that
 * violate the fewest conditions on properties. Empty if each of these hosts violates all conditions on properties.
 */
export function* nearlyAdmitted(conditions: readonly Condition[], fleet: Fleet): Steps<readonly HostIndex[]> {
  const things = conditions.filter(
    (one) => one.by === 'property' && (one.isSingle || !conditions.some((other) => other.isSingle && other.filter === one.filter)),
  )
  let hosts: readonly HostIndex[] = presentIn(fleet)
  for (const place of conditions.filter(({ by }) => by === 'place')) hosts = yield* letInBy(place, hosts)
  const missing = new Map<HostIndex, number>()
  for (const thing of things) {
    const having = new Set(yield* letInBy(thing, hosts))
    for (const host of hosts) if (!having.has(host)) missing.set(host, (missing.get(host) ?? 0) + 1)
  }
  const least = hosts.reduce((found, host) => Math.min(found, missing.get(host) ?? 0), things.length)
  return least === things.length ? [] : hosts.filter((host) => (missing.get(host) ?? 0) === least)
}

/** The condition of one filter, and how many hosts meet it. */
export interface Admission {
  readonly filter: string
  /** Describes the hosts that meet the condition. The text follows the word "hosts". */
  readonly which: string
  /**
   * The count of hosts that meet the condition, regardless of other conditions. Null if the request admits at least one host, because no
   * count is needed then.
   */
  readonly alone: number | null
  /**
   * The count of hosts that meet each single requirement of the condition. Empty if the condition has only one requirement or the request
   * admits a host.
   */
  readonly each: readonly { readonly which: string; readonly alone: number }[]
}
