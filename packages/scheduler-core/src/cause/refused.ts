import type { Fleet } from '../fleet/fleet.ts'
import { hostAddress } from '../hosts/hosts.ts'
import type { FilterStep } from '../pipeline/filtering/filter-step.ts'
import { isAsked } from '../pipeline/filtering/run-filters.ts'
import { factsOf, reasonOf } from '../pipeline/filtering/step-reasons.ts'
import type { Code } from '../text/codes.ts'
import type { Reason, ReasonCount } from '../text/reason.ts'
import { byCodeUnit } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { inSlices, type Steps, sortInSteps } from '../values/steps.ts'
import { passes } from './admission.ts'
import type { HostRefusal, NearestHost, Refusals } from './refusal.ts'
import { distanceBy, shareOf, shortfallsOf, thingOf } from './shortfalls.ts'
import { isFull, type TooFew } from './too-few.ts'

/** The number of hosts that are examined between two pauses. */
const SLICE = 128

/** The same for hosts that are examined for all members at once, who are placed there one after the other. */
const FEW = 8

/** Filters by priority: a shortfall that one of them reports for a host is not counted again for later ones. */
type Groups = readonly [
  lacks: readonly FilterStep[],
  own: readonly FilterStep[],
  nets: readonly FilterStep[],
  outside: readonly FilterStep[],
]

/**
 * The priorities: shortfalls of all members; the profile's own filters; rules of every claim; parts outside of this
 * process, which see only hosts that all other filters pass.
 */
export const groupsOf = (steps: readonly FilterStep[], lacks: readonly FilterStep[]): Groups => [
  lacks,
  steps.filter(({ isNet, isOutside }) => !isNet && !isOutside),
  steps.filter(({ isNet }) => isNet),
  steps.filter(({ isOutside }) => isOutside),
]

/**
 * What refuses one host, as a cause counts it: a shortfall that the profile's own filters report is not repeated for
 * the rules of every claim.
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
 * The thing that a reason is about, or the amounts of it that one instance may have, because more room does not help
 * against a limit per instance.
 */
const subjectOf = ({ code, subject = '' }: Reason): string => `${code === 'class.unit' ? 'units of ' : ''}${thingOf(subject)}`

/** Why some hosts are refused. */
export interface Refused {
  /** The refusals by code, the code with most hosts first. */
  readonly refusals: readonly Refusals[]
  readonly nearest: NearestHost | null
  /** Every reason once, with the number of its hosts. */
  readonly counted: readonly ReasonCount[]
  /** The codes under which the nearest host is counted. */
  readonly ofNearest: readonly Code[]
}

/**
 * Why some hosts are refused, and the nearest of them. Each filter is called for all hosts before the next one,
 * because a filter that examines all hosts in a row is several times faster.
 */
export function* refuse(fleet: Fleet, groups: Groups, hosts: readonly HostIndex[], tooFew: TooFew | null): Steps<Refused> {
  const codes = new Map<Code, { hosts: number; readonly filter: string; readonly isCounted: Uint8Array; example: Reason; share: number }>()
  const reasons = new Uint16Array(hosts.length)
  const distances = new Float64Array(hosts.length)
  const full = new Uint8Array(hosts.length)
  const note = (i: number, filter: string, reason: Reason): void => {
    const share = shareOf({ required: reason.need, actual: reason.have })
    distances[i] = (distances[i] as number) + share
    reasons[i] = (reasons[i] as number) + 1
    if (isFull(reason.code)) full[i] = 1
    let known = codes.get(reason.code)
    if (known === undefined) {
      known = { hosts: 0, filter, isCounted: new Uint8Array(hosts.length), example: reason, share }
      codes.set(reason.code, known)
    }
    if (known.isCounted[i] === 0) known.hosts++
    known.isCounted[i] = 1
    if (share < known.share) Object.assign(known, { example: reason, share })
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
  const distance = (i: number): number => rounded(distances[i] as number)
  // a host that already has its members is ignored as long as others can be used, unless those are too few
  const isLeft = tooFew !== null || !full.includes(0) ? () => true : (i: number) => full[i] === 0
  const refused = [...hosts.keys()].filter((i) => (reasons[i] as number) > 0 && isLeft(i))
  const inOrder = yield* sortInSteps(refused, (one, other) => distance(one) - distance(other) || one - other)
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

/** The same host, with its refusals in the order of the codes. */
function inOrderOf({ refusals, ...host }: NearestHost, order: ReadonlyMap<Code, number>): NearestHost {
  const positionOf = ({ reason }: HostRefusal): number => order.get(reason.code) ?? order.size
  return { ...host, refusals: [...refusals].sort((one, other) => positionOf(one) - positionOf(other)) }
}

/** The hosts, each counted for the first of these codes that refuses it. */
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
  /** The number of these hosts without those that already have their members of a group, if there are others. */
  readonly left: number
  /** Whether the nearest host is among these hosts. */
  readonly isOfNearest: boolean
}

/** The limiting count first; then what most hosts lack; on a tie, what the nearest host lacks; finally by the names of the codes. */
const compareCounts = (one: Counted, other: Counted, binding: Code | undefined): number =>
  Number(other.code === binding) - Number(one.code === binding) ||
  other.left - one.left ||
  other.hosts - one.hosts ||
  Number(other.isOfNearest) - Number(one.isOfNearest) ||
  byCodeUnit(one.code, other.code)

/** Which of two codes comes first if equally many hosts are refused by them. */
export interface Precedence {
  /** The code of the limit that is reached, if there is one. */
  readonly binding?: Code | undefined
  /**
   * The refusals of the nearest host; if absent, the nearest host is the one whose reasons alone show the smallest
   * shortfall.
   */
  readonly nearest?: readonly Code[] | undefined
}

/** Sorts the codes that refuse some hosts, in the order in which a cause counts them. */
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
    const distance = rounded(reasons.reduce((sum, { need, have }) => sum + shareOf({ required: need, actual: have }), 0))
    if (least.ofAll === undefined || distance < least.ofAll.distance) least.ofAll = { distance, codes }
    if (!isHostFull && (least.ofLeft === undefined || distance < least.ofLeft.distance)) least.ofLeft = { distance, codes }
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

/** The nearest host up to now: the sum of its shortfalls as shares of what is needed, and its codes. */
interface Least {
  readonly distance: number
  readonly codes: readonly Code[]
}

/** Reports each host that a filter refuses, by its index among them. */
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
 * The number of hosts that are examined completely: a minimum if there are enough, and a maximum, because all hosts of
 * a fleet may be alike.
 */
const LOOKED_AT = { least: 8, most: 256 }

/**
 * The nearest host: the one with the smallest sum of missing shares; ties are broken by the smaller sum of the reasons
 * alone, then by the earlier first report. A reason is only a filter's first shortfall, so hosts are examined
 * completely in the order of their reasons, until the reasons of the remaining hosts alone are larger.
 */
function* nearestOf(
  inOrder: readonly number[],
  distance: (i: number) => number,
  look: (i: number) => NearestHost,
): Steps<{ readonly i: number; readonly host: NearestHost } | null> {
  let nearest: { readonly i: number; readonly host: NearestHost; readonly distance: number } | undefined
  for (const [seen, i] of inOrder.slice(0, LOOKED_AT.most).entries()) {
    if (nearest !== undefined && seen >= LOOKED_AT.least && distance(i) >= nearest.distance) break
    if (seen % LOOKED_AT.least === LOOKED_AT.least - 1) yield
    const host = look(i)
    const whole = distanceOfHost(host)
    if (nearest === undefined || whole < nearest.distance) nearest = { i, host, distance: whole }
  }
  return nearest ?? null
}

/** several filters may refuse a host for the same thing, and one filter for several things of a cell */
const distanceOfHost = (host: NearestHost): number => rounded(distanceBy(shortfallsOf(host)))

/** sums of shares in another order differ in their last bits, so nearly equal sums count as equal */
const rounded = (distance: number): number => Math.round(distance * 1e9) / 1e9

/**
 * The rules of every claim are reported for the nearest host in any case, although they are evaluated only if no other
 * filter refuses.
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
