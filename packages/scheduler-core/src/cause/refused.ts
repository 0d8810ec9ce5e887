import type { Fleet } from '../fleet/fleet.ts'
import { hostAddress } from '../hosts/host-address.ts'
import type { FilterStep } from '../pipeline/filtering/filter-step.ts'
import { isAsked } from '../pipeline/filtering/run-filters.ts'
import { factsOf, reasonOf } from '../pipeline/filtering/step-reasons.ts'
import type { Code } from '../text/codes.ts'
import type { Reason, ReasonCount } from '../text/reason.ts'
import { byCodeUnit } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { inSlices, type Steps, sortInSteps } from '../values/steps.ts'
import { passes } from './admission.ts'
import { compareDistances, type Distance, DistanceSum } from './distance.ts'
import { isFull, type TooFew } from './members/too-few.ts'
import type { HostRefusal, NearestHost, Refusals } from './refusal.ts'
import { distanceOf, distanceOfReason, thingOf } from './shortfalls.ts'

/** The generator yields after this many hosts. */
const SLICE = 128

/** The generator yields after this many hosts if each host is checked for all members together, because this check takes longer. */
const FEW = 8

/**
 * The filters, in groups by priority. If a group reports a shortfall of a resource, a shortfall of the same resource that a later group
 * reports is not counted.
 */
type Groups = readonly [
  lacks: readonly FilterStep[],
  own: readonly FilterStep[],
  nets: readonly FilterStep[],
  outside: readonly FilterStep[],
]

/**
 * Divides the filters into groups, in the order of their priority: checks for all members together, the profile's own filters, the rules
 * that every claim must meet, and filters outside of this process. Filters outside of this process are only called for hosts that pass
 * all other filters.
 */
export const groupsOf = (steps: readonly FilterStep[], lacks: readonly FilterStep[]): Groups => [
  lacks,
  steps.filter(({ isNet, isOutside }) => !isNet && !isOutside),
  steps.filter(({ isNet }) => isNet),
  steps.filter(({ isOutside }) => isOutside),
]

/**
 * The reasons for which one host is counted in a cause. If the profile's own filters report a shortfall of a resource, the rules that every
 * claim must meet do not report the same shortfall again.
 */
export function reasonsOn(filters: readonly FilterStep[], host: HostIndex): readonly Pick<HostRefusal, 'filter' | 'reason'>[] {
  const [, own, nets, outside] = groupsOf(filters.filter(isAsked), [])
  const refusedBy = (steps: readonly FilterStep[]) =>
    steps.filter((step) => !passes(step, host)).map((step) => ({ filter: step.name, reason: reasonOf(step, host) }))
  const first = refusedBy(own)
  const said = new Set(first.map(({ reason }) => subjectOf(reason)))
  const all = [...first, ...refusedBy(nets).filter(({ reason }) => reason.subject === undefined || !said.has(subjectOf(reason)))]
  return all.length > 0 ? all : refusedBy(outside)
}

/**
 * The resource that a reason is about. A limit on the amount of one instance is a separate subject, because more free capacity does not
 * raise this limit.
 */
const subjectOf = ({ code, subject = '' }: Reason): string => `${code === 'class.unit' ? 'units of ' : ''}${thingOf(subject)}`

/**
 * Reasons with the same subject count as one distance. A subject covers at least as many reasons as a key of `distanceOf`, so the sum over
 * the reasons of a host is never larger than its complete distance.
 */
const mergedSubjectOf = ({ code, subject }: Reason): string =>
  code.startsWith('gpu.') ? 'GPU' : subject === undefined ? code : thingOf(subject)

/** Why hosts are refused, and which of these hosts is the nearest to taking the instance. */
export interface Refused {
  /** How many hosts are refused for each code, in the order of `compareCounts`: usually the code with the most hosts first. */
  readonly refusals: readonly Refusals[]
  readonly nearest: NearestHost | null
  /** How many hosts are refused for each code, with each host counted once. */
  readonly counted: readonly ReasonCount[]
  /** The codes under which the nearest host is counted. */
  readonly ofNearest: readonly Code[]
}

/** Finds out why hosts are refused, and which of them is the nearest to taking the instance. */
export function* refuse(fleet: Fleet, groups: Groups, hosts: readonly HostIndex[], tooFew: TooFew | null): Steps<Refused> {
  const codes = new Map<Code, { hosts: number; readonly filter: string; readonly isCounted: Uint8Array; example: Reason; of: Distance }>()
  const reasons = new Uint16Array(hosts.length)
  const distances = new Array<DistanceSum | undefined>(hosts.length)
  const full = new Uint8Array(hosts.length)
  const note = (i: number, filter: string, reason: Reason): void => {
    const of = distanceOfReason(reason)
    const sum = distances[i] ?? new DistanceSum()
    distances[i] = sum
    sum.add(mergedSubjectOf(reason), of)
    reasons[i] = (reasons[i] as number) + 1
    if (isFull(reason.code)) full[i] = 1
    let known = codes.get(reason.code)
    if (known === undefined) {
      known = { hosts: 0, filter, isCounted: new Uint8Array(hosts.length), example: reason, of }
      codes.set(reason.code, known)
    }
    if (known.isCounted[i] === 0) known.hosts++
    known.isCounted[i] = 1
    if (compareDistances(of, known.of) < 0) Object.assign(known, { example: reason, of })
  }
  const [lacks, own, nets, outside] = groups
  const said = new Map<number, string[]>()
  const isSaid = (i: number, reason: Reason): boolean => reason.subject !== undefined && said.get(i)?.includes(subjectOf(reason)) === true
  for (const group of [lacks, own, nets]) {
    const saidNow: [number, string][] = []
    for (const step of group)
      yield* eachRefused(
        step,
        hosts,
        (i, reason) => {
          if (isSaid(i, reason)) return
          note(i, step.name, reason)
          if (reason.subject !== undefined) saidNow.push([i, subjectOf(reason)])
        },
        group === lacks ? FEW : SLICE,
      )
    for (const [i, subject] of saidNow) said.set(i, [...(said.get(i) ?? []), subject])
  }
  const letIn = [...hosts.keys()].filter((i) => reasons[i] === 0)
  const letInHosts = letIn.map((i) => hosts[i] as HostIndex)
  for (const step of outside) yield* eachRefused(step, letInHosts, (i, reason) => note(letIn[i] as number, step.name, reason))
  const distance = (i: number): Distance => distances[i] as DistanceSum
  // Hosts that already have as many members of the group as allowed are ignored if there are other hosts, unless the group needs more hosts
  // or domains than there are.
  const isLeft = tooFew !== null || !full.includes(0) ? () => true : (i: number) => full[i] === 0
  const refused = [...hosts.keys()].filter((i) => (reasons[i] as number) > 0 && isLeft(i))
  const inOrder = yield* sortInSteps(refused, (one, other) => compareDistances(distance(one), distance(other)) || one - other)
  const nearest = yield* nearestOf(inOrder, distance, (i) => refusedHost(fleet, groups, hosts[i] as HostIndex))
  const inCauseOrder = [...codes]
    .map(([code, known]) => ({
      ...{ code, ...known },
      left: known.isCounted.reduce((sum, counted, i) => sum + (counted === 1 && isLeft(i) ? 1 : 0), 0),
      isOfNearest: nearest !== null && known.isCounted[nearest.i] === 1,
    }))
    .sort((one, other) => compareCounts(one, other, tooFew?.code))
  const order = new Map(inCauseOrder.map(({ code }, i) => [code, i]))
  return {
    refusals: inCauseOrder.map(({ code, hosts: count, example }) => ({ code, hosts: count, example })),
    counted: countOnce(inCauseOrder, hosts.length),
    nearest: nearest && inOrderOf(nearest.host, order),
    ofNearest: inCauseOrder.filter(({ isOfNearest }) => isOfNearest).map(({ code }) => code),
  }
}

/** The host with its refusals sorted by the order of the codes. */
function inOrderOf({ refusals, ...host }: NearestHost, order: ReadonlyMap<Code, number>): NearestHost {
  const positionOf = ({ reason }: HostRefusal): number => order.get(reason.code) ?? order.size
  return { ...host, refusals: [...refusals].sort((one, other) => positionOf(one) - positionOf(other)) }
}

/** Counts each host for the first code in `codes` for which the host is refused. */
function countOnce(
  codes: readonly { readonly code: Code; readonly filter: string; readonly isCounted: Uint8Array; readonly example: Reason }[],
  hosts: number,
): readonly ReasonCount[] {
  const isOut = new Uint8Array(hosts)
  return codes.flatMap(({ code, filter, isCounted, example }) => {
    let count = 0
    for (let i = 0; i < hosts; i++) {
      if (isCounted[i] === 0 || isOut[i] === 1) continue
      isOut[i] = 1
      count++
    }
    return count === 0 ? [] : [{ filter, code, hosts: count, example }]
  })
}

interface Counted {
  readonly code: Code
  readonly hosts: number
  /**
   * The count of hosts with this code. Hosts that already have as many members of the group as allowed are left out, unless there are no
   * other hosts or the group needs more hosts or domains than there are.
   */
  readonly left: number
  /** True if the nearest host is refused for this code. */
  readonly isOfNearest: boolean
}

/**
 * Sorts codes: if a limit of the server group is reached, the code of this limit is first (`binding`). The remaining codes are sorted by
 * the count of hosts. On a tie, a code of the nearest host is first. Otherwise the names of the codes decide.
 */
const compareCounts = (one: Counted, other: Counted, binding: Code | undefined): number =>
  Number(other.code === binding) - Number(one.code === binding) ||
  other.left - one.left ||
  other.hosts - one.hosts ||
  Number(other.isOfNearest) - Number(one.isOfNearest) ||
  byCodeUnit(one.code, other.code)

/** Codes that come before other codes when codes are sorted by the count of hosts. */
export interface Precedence {
  /**
   * The code that comes before all other codes: the code of a reached limit of the server group or, if the request admits no host, the code
   * of the condition that leaves no host.
   */
  readonly binding?: Code | undefined
  /**
   * The codes of the nearest host. They come first among codes with equally many hosts. If absent, the host with the smallest sum of
   * shortfalls in its reasons is used as the nearest host.
   */
  readonly nearest?: readonly Code[] | undefined
}

/** Sorts the codes for which `hosts` are refused, in the order of `Cause.refusals`. */
export function* codesInOrder(hosts: readonly (readonly Reason[])[], { binding, nearest }: Precedence = {}): Steps<readonly Code[]> {
  const counts = new Map<Code, { hosts: number; left: number }>()
  const least: { ofAll?: Least; ofLeft?: Least } = {}
  for (const reasons of inSlices(hosts, SLICE)) {
    if (reasons === undefined) {
      yield
      continue
    }
    const codes = reasons.map(({ code }) => code)
    const isHostFull = codes.some(isFull)
    for (const code of new Set(codes)) {
      const count = counts.get(code) ?? { hosts: 0, left: 0 }
      counts.set(code, { hosts: count.hosts + 1, left: count.left + (isHostFull ? 0 : 1) })
    }
    const distance = new DistanceSum()
    for (const reason of reasons) distance.add(mergedSubjectOf(reason), distanceOfReason(reason))
    if (isLess(distance, least.ofAll)) least.ofAll = { distance, codes }
    if (!isHostFull && isLess(distance, least.ofLeft)) least.ofLeft = { distance, codes }
  }
  const isEachLeft = least.ofLeft === undefined || binding !== undefined
  const ofNearest = nearest ?? (isEachLeft ? least.ofAll : least.ofLeft)?.codes ?? []
  return [...counts]
    .map(([code, count]) => ({
      code,
      hosts: count.hosts,
      left: isEachLeft ? count.hosts : count.left,
      isOfNearest: ofNearest.includes(code),
    }))
    .sort((one, other) => compareCounts(one, other, binding))
    .map(({ code }) => code)
}

const isLess = (distance: Distance, least: Least | undefined): boolean =>
  least === undefined || compareDistances(distance, least.distance) < 0

/** The nearest host found so far: its distance and its codes. */
interface Least {
  readonly distance: Distance
  readonly codes: readonly Code[]
}

/** Calls a function for each host that a filter refuses, with the position of the host in the list and the reason. */
function* eachRefused(
  step: FilterStep,
  hosts: readonly HostIndex[],
  onRefused: (i: number, reason: Reason) => void,
  slice = SLICE,
): Steps<void> {
  for (const [i, host] of hosts.entries()) {
    if (i % slice === slice - 1) yield
    if (!passes(step, host)) onRefused(i, reasonOf(step, host))
  }
}

/**
 * At least and at most this many hosts are examined completely. The maximum is needed because all hosts of a fleet can have the same
 * distance.
 */
const EXAMINED = { min: 8, max: 256 }

/**
 * Finds the nearest host: the host with the smallest distance. The distance according to the reasons is known for all hosts. It is possibly
 * too small, because a reason contains only the first shortfall of a filter, and never too large (`mergedSubjectOf`). So hosts are examined
 * completely, in the order of the distances according to reasons, until the next of these distances is not smaller than the complete
 * distance of the nearest host. On a tie, the host that is first in this order is the nearest.
 */
function* nearestOf(
  inOrder: readonly number[],
  distance: (i: number) => Distance,
  look: (i: number) => NearestHost,
): Steps<{ readonly i: number; readonly host: NearestHost } | null> {
  let nearest: { readonly i: number; readonly host: NearestHost; readonly distance: Distance } | undefined
  for (const [seen, i] of inOrder.slice(0, EXAMINED.max).entries()) {
    if (nearest !== undefined && seen >= EXAMINED.min && compareDistances(distance(i), nearest.distance) >= 0) break
    if (seen % EXAMINED.min === EXAMINED.min - 1) yield
    const host = look(i)
    const whole = distanceOf(host)
    if (nearest === undefined || compareDistances(whole, nearest.distance) < 0) nearest = { i, host, distance: whole }
  }
  return nearest ?? null
}

/**
 * All refusals of one host. The rules that every claim must meet are always included. A decision checks these rules only on hosts that the
 * other filters pass.
 */
function refusedHost({ hosts }: Fleet, [lacks, own, nets, outside]: Groups, index: HostIndex): NearestHost {
  const { host, node } = hosts.get(index)
  const refusing = [...lacks, ...own, ...nets].filter((step) => !passes(step, index))
  const steps = refusing.length > 0 ? refusing : outside.filter((step) => !passes(step, index))
  const refusals = steps.map((step) => {
    const reason = reasonOf(step, index)
    return { filter: step.name, reason, facts: factsOf(step, index, reason) }
  })
  return { name: { host, node }, address: hostAddress(hosts, { host, node }), refusals }
}
