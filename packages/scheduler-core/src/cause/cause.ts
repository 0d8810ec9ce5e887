import { pluginsOf } from '../contracts/plugins.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { compileProfile } from '../pipeline/compile.ts'
import type { FilterStep } from '../pipeline/filtering/filter-step.ts'
import { isAsked, prepareFiltersInSteps } from '../pipeline/filtering/run-filters.ts'
import type { Profile } from '../records/profile.ts'
import { membersAt, requestAt } from '../request/members.ts'
import { inOneOrder } from '../request/one-order.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Code } from '../text/codes.ts'
import type { ReasonCount } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'
import { atOnce, type Steps } from '../values/steps.ts'
import { type Admission, type AdmittedHosts, admittedBy, namedBy, nearlyAdmitted } from './admission.ts'
import { askedOf, countAlone, type Exclusive, exclusiveOf, notAdmitted, type Within } from './not-admitted.ts'
import type { NearestHost, Refusals } from './refusal.ts'
import { groupsOf, refuse } from './refused.ts'
import { asTogether, togetherOf } from './together.ts'
import { type TooFew, tooFewOf } from './too-few.ts'

/**
 * Why no host takes an instance, among the hosts that the request itself admits: those that every filter with `admits`
 * passes. Other hosts do not influence it, and neither does the order of the profile's filters.
 */
export interface Cause {
  /**
   * The code under which the refusal is counted: the most frequent refusal of the admitted hosts, or, if the request
   * admits none, the first of its conditions that leaves none. Null: there is no host at all.
   */
  readonly code: Code | null
  /** The filters that decide which hosts the request is about, places before properties. */
  readonly admission: readonly Admission[]
  /**
   * If the request admits no host: the hosts in all the places that it names, if there are any. All other counts are
   * about these hosts.
   */
  readonly within: Within | null
  /**
   * If the request admits no host: things that it asks for which no host has together, although some hosts have each
   * of them (not-admitted.ts).
   */
  readonly exclusive: Exclusive
  /** The number of hosts that all of these conditions admit. If it is 0, that is the cause. */
  readonly admitted: number
  /**
   * For each code, why hosts are refused, those with the most hosts first: of the hosts that the request admits or, if
   * it admits none, of those that it names. A host is counted for each of its reasons.
   */
  readonly refusals: readonly Refusals[]
  /**
   * The same with each host counted once: an admitted host for the first of `refusals` that refuses it, any other host
   * for the first condition that it does not meet. The first entry has the code of the cause.
   */
  readonly reasons: readonly ReasonCount[]
  /** The host that is nearest to taking the instance; null if the request neither admits nor names a host. */
  readonly nearest: NearestHost | null
  /**
   * The limit that is reached, if a server group has more members than the admitted hosts or domains may hold; null if
   * none is.
   */
  readonly tooFew: TooFew | null
  /**
   * If members of a server group must share a host, their number: one host has to take all of them, and they are
   * compared together; null for a single instance.
   */
  readonly onOneHost: number | null
  /**
   * For a request for several instances, the number that are placed before the one that is not, and the name of its
   * kind; null if the request is for one instance.
   */
  readonly instances: { readonly found: number; readonly asked: number; readonly kind: string | null } | null
}

/** One instance of a request, on a fleet in which the instances before it are placed. */
export interface AskedInstance {
  readonly fleet: Fleet
  /** The request, as this instance needs it. */
  readonly request: RequestSpec
  /** The original request, with all kinds of its instances. */
  readonly whole: RequestSpec
  /** The number of the instance, from 0. */
  readonly instance: number
}

/** The cause for which no host takes the instance with this number, while the fleet holds the resources of the earlier instances. */
export const causeOf = (...asked: Parameters<typeof causeInSteps>): Cause => atOnce(causeInSteps(...asked))

/**
 * The same with pauses; the fleet must not change until the end. The filters read the request in one fixed order,
 * however it was written.
 */
export function* causeInSteps(fleet: Fleet, asked: RequestSpec, profile: Profile, instance = 0): Steps<Cause> {
  const whole = inOneOrder(asked)
  const request = requestAt(whole, instance)
  const filters = yield* prepareFiltersInSteps(compileProfile(profile, pluginsOf(fleet)), request, fleet)
  const { steps, lacks, isAttempt } = stepsOf(filters, { fleet, request, whole, instance })
  const named = namedBy(steps, fleet)
  const { conditions, hosts, leavesNone } = yield* admittedBy(steps, fleet, request, isAttempt, named)
  const isAny = hosts.length > 0
  const present = Array.from(fleet.hosts.presentIndexes, (index) => index as HostIndex)
  const admission: Admission[] = []
  for (const { filter, which } of conditions.filter(({ isSingle }) => !isSingle)) admission.push({ filter, which, alone: null, each: [] })
  const apart = isAny ? null : yield* askedOf(conditions, present)
  if (apart !== null) admission.splice(0, admission.length, ...(yield* countAlone(conditions, apart)))
  const exclusive = apart === null ? [] : yield* exclusiveOf(conditions, apart)
  const tooFew = isAny ? tooFewOf(fleet, request, instance, hosts) : null
  const groups = groupsOf(steps, lacks)
  const { refusals, counted: ofAdmitted, nearest: refused } = yield* refuse(fleet, groups, isAny ? hosts : named, tooFew)
  const nearly = isAny || refused !== null ? [] : yield* nearlyAdmitted(conditions, fleet)
  const nearest = refused ?? (yield* refuse(fleet, groups, nearly, null)).nearest
  const code = isAny ? (refusals[0]?.code ?? null) : leavesNone
  const isIn = new Set(isAny ? hosts : [])
  const notAdmittedReasons = yield* notAdmitted(
    conditions,
    present.filter((host) => !isIn.has(host)),
    leavesNone,
  )
  const reasons = [...(isAny ? ofAdmitted : []), ...notAdmittedReasons]
  const onOneHost = lacks.length > 0 ? togetherOf(whole) : null
  const instances = whole.numInstances > 1 ? { found: instance, asked: whole.numInstances, kind: membersAt(whole, instance).name } : null
  const counted = { admitted: hosts.length, refusals, reasons, nearest, tooFew, onOneHost, instances }
  return { code, admission, within: apart?.within ?? null, exclusive, ...counted }
}

/** The hosts that the request is about, according to the same filters. */
export function* admittedIn(filters: readonly FilterStep[], asked: AskedInstance): Steps<AdmittedHosts> {
  const { steps, isAttempt } = stepsOf(filters, asked)
  return yield* admittedBy(steps, asked.fleet, asked.request, isAttempt, namedBy(steps, asked.fleet))
}

interface AskedSteps {
  readonly steps: readonly FilterStep[]
  /** What hosts lack for all members of a group that must share a host. */
  readonly lacks: readonly FilterStep[]
  readonly isAttempt: boolean
}

function stepsOf(filters: readonly FilterStep[], { fleet, whole, instance }: AskedInstance): AskedSteps {
  const asked = filters.filter(isAsked)
  return asTogether(asked, fleet, whole, instance) ?? { steps: asked, lacks: [], isAttempt: false }
}
