import { byCodeUnit } from '../canonical-json.ts'
import type { Code } from '../codes.ts'
import type { Fact } from '../evidence.ts'
import type { Reason } from '../filters/filter.ts'
import type { HostName } from '../fleet/change.ts'
import type { HostIndex } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { atOnce, type Steps } from '../fleet/steps.ts'
import { compileProfile } from '../pipeline/compile.ts'
import { distanceBy, shareMissing } from '../pipeline/distance.ts'
import { type FilterStep, isAsked, passesSafely, prepareFilters } from '../pipeline/run-filters.ts'
import { factsOf, reasonOf } from '../pipeline/step-reasons.ts'
import type { Profile } from '../profiles/profile.ts'
import { requestAt } from '../request/members.ts'
import type { RequestSpec } from '../request/request-spec.ts'

/**
 * Why no host takes an instance, told of the hosts that the request itself admits: those that every filter with `admits` lets in. Hosts
 * beyond them are no part of it, however many they are, and neither is the order in which a profile asks its filters.
 */
export interface Cause {
  /** Filters that say which hosts the request is about, places before properties. */
  readonly admission: readonly Admission[]
  /** Hosts that all of these let in. Where it is 0, that is the cause. */
  readonly admitted: number
  /** By code, most hosts first: why the hosts that the request admits are refused; where it admits none, those that it names. A host counts under each of its reasons. */
  readonly refusals: readonly Refusals[]
  /** The host that is nearest to taking the instance; null: there is none that the request admits or names. */
  readonly nearest: NearestHost | null
  /** Members that the server group of the request is to have, which tells how many hosts anti-affinity needs; null: no group. */
  readonly groupSize: number | null
}

/** What one filter admits. */
export interface Admission {
  readonly filter: string
  /** Which hosts, in words that follow "hosts". */
  readonly which: string
  /** Hosts that it lets in by itself; counted only where the request admits none, since then it matters which filter is in the way. */
  readonly alone: number | null
  /** What it refuses the others for; null: it lets all of them in, or they were not counted. */
  readonly code: Code | null
}

/** Hosts refused for one code, by whichever filter. */
export interface Refusals {
  readonly code: Code
  readonly hosts: number
  /** Of the host that is nearest to passing it. */
  readonly example: Reason
}

export interface NearestHost {
  readonly name: HostName
  /** By each filter that refuses it, in their order. Once all facts of all of them are mended, it takes the instance. */
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
  /** Its number, from 0. */
  readonly instance: number
}

/** Why no host takes the instance of this number. The fleet holds what the instances before it take. */
export const causeOf = (...asked: Parameters<typeof causeInSteps>): Cause => atOnce(causeInSteps(...asked))

/** The same with pauses; the fleet must stay as it is until the end. */
export function causeInSteps(fleet: Fleet, asked: RequestSpec, profile: Profile, instance = 0): Steps<Cause> {
  const request = requestAt(asked, instance)
  return causeBy(prepareFilters(compileProfile(profile, fleet.plugins), request, fleet), { fleet, request, instance })
}

/** The same of filters that were made ready for the instance. */
export function* causeBy(filters: readonly FilterStep[], { fleet, request, instance }: AskedInstance): Steps<Cause> {
  const steps = filters.filter(isAsked)
  const admitting = [...steps.filter(({ admits }) => admits?.by === 'place'), ...steps.filter(({ admits }) => admits?.by === 'property')]
  const present = Array.from(fleet.hosts.presentIndexes, (index) => index as HostIndex)
  let admitted = present
  for (const step of admitting) admitted = yield* passing(step, admitted)
  const admission: Admission[] = []
  for (const step of admitting) {
    const which = { filter: step.name, which: step.admits?.which(request) ?? '' }
    admission.push({ ...which, ...(admitted.length > 0 ? { alone: null, code: null } : yield* admittedAlone(step, present)) })
  }
  const named = steps.find((step) => step.named !== undefined)?.named ?? []
  return {
    admission,
    admitted: admitted.length,
    ...(yield* refuse(fleet, steps, admitted.length > 0 ? admitted : named)),
    groupSize: groupSizeOf(fleet, request, instance),
  }
}

/** The hosts that a filter lets pass. */
function* passing(step: FilterStep, hosts: readonly HostIndex[]): Steps<HostIndex[]> {
  const left: HostIndex[] = []
  for (const [i, host] of hosts.entries()) {
    if (i % SLICE === SLICE - 1) yield
    if (passes(step, host)) left.push(host)
  }
  return left
}

/** How many hosts a filter lets in by itself, and what it refuses the first of the others for. */
function* admittedAlone(step: FilterStep, hosts: readonly HostIndex[]): Steps<Pick<Admission, 'alone' | 'code'>> {
  const left = yield* passing(step, hosts)
  const refused = hosts.find((host, i) => left[i] !== host)
  return { alone: left.length, code: refused === undefined ? null : reasonOf(step, refused).code }
}

/** Filters in the order in which they have a say: a later group is asked of hosts that no earlier one refuses. */
type Groups = readonly [own: readonly FilterStep[], nets: readonly FilterStep[], outside: readonly FilterStep[]]

/** The profile's own filters; what every claim has to keep beside them; who is asked outside of this process, about hosts that all others let in. */
const groupsOf = (steps: readonly FilterStep[]): Groups => [
  steps.filter(({ isNet, isOutside }) => !isNet && !isOutside),
  steps.filter(({ isNet }) => isNet),
  steps.filter(({ isOutside }) => isOutside),
]

/** Filter by filter, since a filter that goes through all hosts at once is several times as fast as all filters on each. */
function* refuse(fleet: Fleet, steps: readonly FilterStep[], hosts: readonly HostIndex[]): Steps<Pick<Cause, 'refusals' | 'nearest'>> {
  const groups = groupsOf(steps)
  const codes = new Map<Code, { hosts: number; readonly isCounted: Uint8Array; example: Reason; share: number }>()
  const reasons = new Uint16Array(hosts.length)
  const worst = new Float64Array(hosts.length)
  const note = (i: number, reason: Reason): void => {
    const share = shareMissing(reason)
    reasons[i] = (reasons[i] as number) + 1
    if (share > (worst[i] as number)) worst[i] = share
    let known = codes.get(reason.code)
    if (known === undefined) {
      known = { hosts: 0, isCounted: new Uint8Array(hosts.length), example: reason, share }
      codes.set(reason.code, known)
    }
    if (known.isCounted[i] === 0) known.hosts++
    known.isCounted[i] = 1
    if (share < known.share) Object.assign(known, { example: reason, share })
  }
  for (const group of groups) {
    const isOut = reasons.slice()
    for (const step of group)
      for (let i = 0; i < hosts.length; i++) {
        if (i % SLICE === SLICE - 1) yield
        const host = hosts[i] as HostIndex
        if (isOut[i] === 0 && !passes(step, host)) note(i, reasonOf(step, host))
      }
  }
  let nearest: number | undefined
  const distance = (i: number): number => distanceBy(worst[i] as number, reasons[i] as number)
  for (let i = 0; i < hosts.length; i++) if (nearest === undefined || distance(i) < distance(nearest)) nearest = i
  return {
    refusals: [...codes]
      .map(([code, { hosts: count, example }]) => ({ code, hosts: count, example }))
      .sort((one, other) => other.hosts - one.hosts || byCodeUnit(one.code, other.code)),
    nearest: nearest === undefined ? null : nearestOf(fleet, groups, hosts[nearest] as HostIndex),
  }
}

/** What every claim has to keep is told of the nearest host in any case, though it is asked only where nothing else refuses. */
function nearestOf({ hosts }: Fleet, [own, nets, outside]: Groups, index: HostIndex): NearestHost {
  const { host, node } = hosts.get(index)
  const refusing = [...own, ...nets].filter((step) => !passes(step, index))
  const steps = refusing.length > 0 ? refusing : outside.filter((step) => !passes(step, index))
  const refusals = steps.map((step) => {
    const reason = reasonOf(step, index)
    return { filter: step.name, reason, facts: factsOf(step, index, reason) }
  })
  return { name: { host, node }, refusals }
}

/**
 * The code that a cause is counted under: of what most admitted hosts are refused for; where the request admits none, of the filter
 * that lets in the fewest by itself. Null: there is no host at all.
 */
export function causeCode({ admission, admitted, refusals }: Cause): Code | null {
  if (admitted > 0) return refusals[0]?.code ?? null
  const [narrowest] = admission.filter(({ code }) => code !== null).sort((one, other) => (one.alone ?? 0) - (other.alone ?? 0))
  return narrowest?.code ?? null
}

const passes = ({ prepared, failed }: FilterStep, host: HostIndex): boolean =>
  !failed && prepared !== undefined && passesSafely(prepared, host) === true

function groupSizeOf({ groups, hosts }: Fleet, { instanceGroup, numInstances }: RequestSpec, instance: number): number | null {
  if (instanceGroup === null) return null
  const members = groups.find(instanceGroup.uuid)?.members ?? new Map<HostIndex, number>()
  const named = new Set([...members.keys()].map((host) => hosts.get(host).host))
  const elsewhere = new Set(instanceGroup.hosts.filter((host) => !named.has(host)))
  return [...members.values()].reduce((sum, count) => sum + count, elsewhere.size) + numInstances - instance
}
