import { byCodeUnit } from '../canonical-json.ts'
import type { Code } from '../codes.ts'
import type { Fact } from '../evidence.ts'
import type { Reason } from '../filters/filter.ts'
import type { HostName } from '../fleet/change.ts'
import type { HostIndex } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { atOnce, type Steps, sortInSteps } from '../fleet/steps.ts'
import { compileProfile } from '../pipeline/compile.ts'
import { type FilterStep, isAsked, prepareFiltersInSteps } from '../pipeline/run-filters.ts'
import { factsOf, reasonOf } from '../pipeline/step-reasons.ts'
import type { Profile } from '../profiles/profile.ts'
import { membersAt, requestAt } from '../request/members.ts'
import { inOneOrder } from '../request/one-order.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { type AdmittedHosts, admittedBy, type Condition, letInBy, nearlyAdmitted, passes } from './admission.ts'
import { distanceBy, shareOf, shortfallsOf, thingOf } from './shortfalls.ts'
import { asTogether, togetherOf } from './together.ts'
import { isFull, type TooFew, tooFewOf } from './too-few.ts'

/**
 * Why no host takes an instance, told of the hosts that the request itself admits: those that every filter with `admits` lets in. Hosts
 * beyond them are no part of it, however many they are, and neither is the order in which a profile asks its filters.
 */
export interface Cause {
  /**
   * What it is counted under: what most of the admitted hosts are refused for, and where the request admits none, the first of its conditions
   * that leaves none. Null: there is no host at all.
   */
  readonly code: Code | null
  /** Filters that say which hosts the request is about, places before properties. */
  readonly admission: readonly Admission[]
  /** Hosts that all of these let in. Where it is 0, that is the cause. */
  readonly admitted: number
  /** By code, most hosts first: why the hosts that the request admits are refused; where it admits none, those that it names. A host counts under each of its reasons. */
  readonly refusals: readonly Refusals[]
  /**
   * Each host once: those that the request admits for the first of `refusals` that refuses it, then those that it does not admit, for the first of
   * its conditions that does not let them in. The first of all has the code of the cause.
   */
  readonly reasons: readonly ReasonCount[]
  /** The host that is nearest to taking the instance; null: there is none that the request admits or names. */
  readonly nearest: NearestHost | null
  /** The count that binds, where the members of a server group are more than the hosts or domains that the request admits may hold; null: none does. */
  readonly tooFew: TooFew | null
  /** Members of a server group that lives together: one host has to take all of them, and they are what is compared; null: one instance is. */
  readonly onOneHost: number | null
  /** Of a request for several instances, those that find a host, before the one that finds none, and the name of its kind in a gang; null: it asks for one. */
  readonly instances: { readonly found: number; readonly asked: number; readonly kind: string | null } | null
}

/** What one filter admits. */
export interface Admission {
  readonly filter: string
  /** Which hosts, in words that follow "hosts". */
  readonly which: string
  /** Hosts that it lets in by itself; counted only where the request admits none, since then it matters which filter is in the way. */
  readonly alone: number | null
  /** The same of each thing that it asks for, where those are several and the request admits no host. */
  readonly each: readonly { readonly which: string; readonly alone: number }[]
}

/** Hosts refused for one code, by whichever filter. */
export interface Refusals {
  readonly code: Code
  readonly hosts: number
  /** Of the host that is nearest to passing it. */
  readonly example: Reason
}

/** Hosts that are counted for one reason of one filter. */
export interface ReasonCount {
  readonly filter: string
  readonly code: Code
  readonly hosts: number
  /** Of one of them: of those that the request admits the nearest to passing it, of others the first. */
  readonly example: Reason
}

export interface NearestHost {
  readonly name: HostName
  /** By each filter that refuses it, in the order in which the cause counts codes. Once all facts of all of them are mended, it takes the instance. */
  readonly refusals: readonly HostRefusal[]
}

export interface HostRefusal {
  readonly filter: string
  readonly reason: Reason
  readonly facts: readonly Fact[]
}

/** Hosts that are asked between two pauses. */
const SLICE = 128

/** One instance of a request, on a fleet that holds what the instances before it take. */
export interface AskedInstance {
  readonly fleet: Fleet
  /** As this instance asks it. */
  readonly request: RequestSpec
  /** As it was asked, with all kinds of its instances. */
  readonly whole: RequestSpec
  /** Its number, from 0. */
  readonly instance: number
}

/** Why no host takes the instance of this number. The fleet holds what the instances before it take. */
export const causeOf = (...asked: Parameters<typeof causeInSteps>): Cause => atOnce(causeInSteps(...asked))

/** The same with pauses; the fleet must stay as it is until the end. The filters are asked about the request in one order, however it was written. */
export function* causeInSteps(fleet: Fleet, asked: RequestSpec, profile: Profile, instance = 0): Steps<Cause> {
  const whole = inOneOrder(asked)
  const request = requestAt(whole, instance)
  const filters = yield* prepareFiltersInSteps(compileProfile(profile, fleet.plugins), request, fleet)
  const { steps, lacks, isAttempt } = stepsOf(filters, { fleet, request, whole, instance })
  const named = namedBy(steps)
  const { conditions, hosts, leavesNone } = yield* admittedBy(steps, fleet, request, isAttempt, named)
  const isAny = hosts.length > 0
  const present = Array.from(fleet.hosts.presentIndexes, (index) => index as HostIndex)
  const admission: Admission[] = []
  for (const { filter, which } of conditions.filter(({ isSingle }) => !isSingle)) admission.push({ filter, which, alone: null, each: [] })
  if (!isAny) admission.splice(0, admission.length, ...(yield* countAlone(conditions, present)))
  const tooFew = isAny ? tooFewOf(fleet, request, instance, hosts) : null
  const groups = groupsOf(steps, lacks)
  const { refusals, counted, nearest: refused } = yield* refuse(fleet, groups, isAny ? hosts : named, tooFew)
  const nearly = isAny || refused !== null ? [] : yield* nearlyAdmitted(conditions, fleet)
  const nearest = refused ?? (yield* refuse(fleet, groups, nearly, null)).nearest
  const code = isAny ? (refusals[0]?.code ?? null) : leavesNone
  const isIn = new Set(isAny ? hosts : [])
  const beside = yield* notAdmitted(
    conditions,
    present.filter((host) => !isIn.has(host)),
    leavesNone,
  )
  const reasons = [...(isAny ? counted : []), ...beside]
  const onOneHost = lacks.length > 0 ? togetherOf(whole) : null
  const instances = whole.numInstances > 1 ? { found: instance, asked: whole.numInstances, kind: membersAt(whole, instance).name } : null
  return { code, admission, admitted: hosts.length, refusals, reasons, nearest, tooFew, onOneHost, instances }
}

/** Hosts that are not admitted, each counted for the first condition that does not let it in: that which leaves none first, then most hosts first. */
function* notAdmitted(conditions: readonly Condition[], hosts: readonly HostIndex[], leavesNone: Code | null): Steps<ReasonCount[]> {
  const found = new Map<string, { filter: string; code: Code; hosts: number; example: Reason }>()
  let left = hosts
  for (const condition of conditions) {
    const inside = new Set(yield* letInBy(condition, left))
    for (const [i, host] of left.entries()) {
      if (i % SLICE === SLICE - 1) yield
      if (inside.has(host)) continue
      const example = condition.reasonAt(host)
      const key = `${condition.filter} ${example.code}`
      const known = found.get(key)
      if (known === undefined) found.set(key, { filter: condition.filter, code: example.code, hosts: 1, example })
      else known.hosts++
    }
    left = [...inside]
  }
  const isFirst = ({ code }: ReasonCount): number => Number(code === leavesNone)
  return [...found.values()].sort((a, b) => isFirst(b) - isFirst(a) || b.hosts - a.hosts)
}

/** How many hosts each filter lets in by itself, and each thing that it asks for. */
function* countAlone(conditions: readonly Condition[], present: readonly HostIndex[]): Steps<Admission[]> {
  const found: Admission[] = []
  let each: { which: string; alone: number }[] = []
  for (const condition of conditions) {
    const { filter, which, isSingle } = condition
    const alone = (yield* letInBy(condition, present)).length
    if (isSingle) each.push({ which, alone })
    else {
      found.push({ filter, which, alone, each })
      each = []
    }
  }
  return found
}

/** The hosts that the request is about, by the same filters. */
export function* admittedIn(filters: readonly FilterStep[], asked: AskedInstance): Steps<AdmittedHosts> {
  const { steps, isAttempt } = stepsOf(filters, asked)
  return yield* admittedBy(steps, asked.fleet, asked.request, isAttempt, namedBy(steps))
}

/** The hosts that the request names, where it does. */
const namedBy = (steps: readonly FilterStep[]): readonly HostIndex[] => steps.find((step) => step.named !== undefined)?.named ?? []

interface AskedSteps {
  readonly steps: readonly FilterStep[]
  /** What hosts lack for all members of a group that lives together. */
  readonly lacks: readonly FilterStep[]
  readonly isAttempt: boolean
}

function stepsOf(filters: readonly FilterStep[], { fleet, whole, instance }: AskedInstance): AskedSteps {
  const asked = filters.filter(isAsked)
  return asTogether(asked, fleet, whole, instance) ?? { steps: asked, lacks: [], isAttempt: false }
}

/** Filters in the order in which they have a say: what one of them says is short on a host is not counted once more for those after it. */
type Groups = readonly [
  lacks: readonly FilterStep[],
  own: readonly FilterStep[],
  nets: readonly FilterStep[],
  outside: readonly FilterStep[],
]

/** What all members lack; the profile's own filters; what every claim has to keep beside them; who is asked outside of this process, about hosts that all others let in. */
const groupsOf = (steps: readonly FilterStep[], lacks: readonly FilterStep[]): Groups => [
  lacks,
  steps.filter(({ isNet, isOutside }) => !isNet && !isOutside),
  steps.filter(({ isNet }) => isNet),
  steps.filter(({ isOutside }) => isOutside),
]

/** What refuses one host, as a cause counts it: what the profile's own filters say is short is not said once more by what every claim keeps. */
export function reasonsOn(filters: readonly FilterStep[], host: HostIndex): readonly Pick<HostRefusal, 'filter' | 'reason'>[] {
  const [, own, nets, outside] = groupsOf(filters.filter(isAsked), [])
  const refusedBy = (steps: readonly FilterStep[]) =>
    steps.filter((step) => !passes(step, host)).map((step) => ({ filter: step.name, reason: reasonOf(step, host) }))
  const first = refusedBy(own)
  const isSaid = ({ subject }: Reason): boolean => subject !== undefined && first.some(({ reason }) => sameThing(reason.subject, subject))
  const all = [...first, ...refusedBy(nets).filter(({ reason }) => !isSaid(reason))]
  return all.length > 0 ? all : refusedBy(outside)
}

const sameThing = (one: string | undefined, other: string): boolean => one !== undefined && thingOf(one) === thingOf(other)

/** Filter by filter, since a filter that goes through all hosts at once is several times as fast as all filters on each. */
function* refuse(
  fleet: Fleet,
  groups: Groups,
  hosts: readonly HostIndex[],
  tooFew: TooFew | null,
): Steps<Pick<Cause, 'refusals' | 'nearest'> & { readonly counted: readonly ReasonCount[] }> {
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
  const isSaid = (i: number, { subject }: Reason): boolean =>
    subject !== undefined && said.get(i)?.some((known) => sameThing(known, subject)) === true
  for (const group of [lacks, own, nets]) {
    const saidNow: [number, string][] = []
    for (const step of group)
      yield* eachRefused(step, hosts, (i, reason) => {
        if (isSaid(i, reason)) return
        note(i, step.name, reason)
        if (reason.subject !== undefined) saidNow.push([i, reason.subject])
      })
    for (const [i, subject] of saidNow) said.set(i, [...(said.get(i) ?? []), subject])
  }
  const letIn = [...hosts.keys()].filter((i) => reasons[i] === 0)
  const letInHosts = letIn.map((i) => hosts[i] as HostIndex)
  for (const step of outside) yield* eachRefused(step, letInHosts, (i, reason) => note(letIn[i] as number, step.name, reason))
  const distance = (i: number): number => distances[i] as number
  // a host that has its members already is left alone while others can be mended, unless those are too few
  const isLeft = tooFew !== null || !full.includes(0) ? () => true : (i: number) => full[i] === 0
  const refused = [...hosts.keys()].filter((i) => (reasons[i] as number) > 0 && isLeft(i))
  const inOrder = yield* sortInSteps(refused, (one, other) => distance(one) - distance(other) || one - other)
  const inCauseOrder = [...codes]
    .map(([code, known]) => ({
      ...{ code, ...known },
      left: known.isCounted.reduce((sum, counted, i) => sum + (counted === 1 && isLeft(i) ? 1 : 0), 0),
    }))
    .sort((one, other) => compareCounts(one, other, tooFew?.code))
  const order = new Map(inCauseOrder.map(({ code }, i) => [code, i]))
  return {
    refusals: inCauseOrder.map(({ code, hosts: count, example }) => ({ code, hosts: count, example })),
    counted: countOnce(inCauseOrder, hosts.length),
    nearest: yield* nearestOf(inOrder, distance, (i) => refusedHost(fleet, groups, hosts[i] as HostIndex, order)),
  }
}

/** Each host for the first of some codes that it is refused for. */
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
  /** Of these, hosts that do not have their members of a group already, where there are others. */
  readonly left: number
}

/** The count that binds first; then what most hosts lack. */
const compareCounts = (one: Counted, other: Counted, binding: Code | undefined): number =>
  Number(other.code === binding) - Number(one.code === binding) ||
  other.left - one.left ||
  other.hosts - one.hosts ||
  byCodeUnit(one.code, other.code)

/** Codes in the order in which a cause counts them, of what refuses each of some hosts. */
export function codesInOrder(hosts: readonly (readonly Reason[])[], binding?: Code): readonly Code[] {
  const isLeft = hosts.some((reasons) => !reasons.some(({ code }) => isFull(code)))
    ? (reasons: readonly Reason[]) => binding !== undefined || !reasons.some(({ code }) => isFull(code))
    : () => true
  const counts = new Map<Code, { hosts: number; left: number }>()
  for (const reasons of hosts)
    for (const code of new Set(reasons.map((reason) => reason.code))) {
      const count = counts.get(code) ?? { hosts: 0, left: 0 }
      counts.set(code, { hosts: count.hosts + 1, left: count.left + (isLeft(reasons) ? 1 : 0) })
    }
  return [...counts]
    .map(([code, count]) => ({ code, ...count }))
    .sort((one, other) => compareCounts(one, other, binding))
    .map(({ code }) => code)
}

/** Tells of each host that a filter refuses, by its position among them. */
function* eachRefused(step: FilterStep, hosts: readonly HostIndex[], tell: (i: number, reason: Reason) => void): Steps<void> {
  for (const [i, host] of hosts.entries()) {
    if (i % SLICE === SLICE - 1) yield
    if (!passes(step, host)) tell(i, reasonOf(step, host))
  }
}

/** Hosts that are looked at whole: at least so many where there are, and at most, since a whole fleet may be alike. */
const LOOKED_AT = { least: 8, most: 256 }

/**
 * The host with the least to mend, all shares of what is needed that are missing added up; of equal ones the first. A reason is the first thing
 * that a filter finds, so hosts are looked at whole in the order of what their reasons say, until those that are left lack more by their reasons alone.
 */
function* nearestOf(
  inOrder: readonly number[],
  distance: (i: number) => number,
  look: (i: number) => NearestHost,
): Steps<NearestHost | null> {
  let nearest: { readonly i: number; readonly host: NearestHost; readonly distance: number } | undefined
  for (const [seen, i] of inOrder.slice(0, LOOKED_AT.most).entries()) {
    if (nearest !== undefined && seen >= LOOKED_AT.least && distance(i) >= nearest.distance) break
    if (seen % LOOKED_AT.least === LOOKED_AT.least - 1) yield
    const host = look(i)
    const whole = distanceOfHost(host)
    if (nearest === undefined || whole < nearest.distance || (whole === nearest.distance && i < nearest.i))
      nearest = { i, host, distance: whole }
  }
  return nearest?.host ?? null
}

/** Several filters may refuse a host for one thing, and a filter for several things of one cell. */
const distanceOfHost = (host: NearestHost): number => distanceBy(shortfallsOf(host))

/** What every claim has to keep is told of the nearest host in any case, though it is asked only where nothing else refuses. */
function refusedHost(
  { hosts }: Fleet,
  [lacks, own, nets, outside]: Groups,
  index: HostIndex,
  order: ReadonlyMap<Code, number>,
): NearestHost {
  const { host, node } = hosts.get(index)
  const refusing = [...lacks, ...own, ...nets].filter((step) => !passes(step, index))
  const steps = refusing.length > 0 ? refusing : outside.filter((step) => !passes(step, index))
  const placeOf = ({ reason }: HostRefusal): number => order.get(reason.code) ?? order.size
  const refusals = steps
    .map((step) => {
      const reason = reasonOf(step, index)
      return { filter: step.name, reason, facts: factsOf(step, index, reason) }
    })
    .sort((one, other) => placeOf(one) - placeOf(other))
  return { name: { host, node }, refusals }
}
