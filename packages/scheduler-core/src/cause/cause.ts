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
  /** Filters that say which hosts the request is about, places before properties. */
  readonly admission: readonly Admission[]
  /** Where the request admits no host, but hosts are in all the places that it names: those, of which all else is counted. */
  readonly within: Within | null
  /** Where the request admits no host: things that it asks for of which no host has all, though some have each (not-admitted.ts). */
  readonly exclusive: Exclusive
  /** The number of hosts that all of these conditions admit. If it is 0, that is the cause. */
  readonly admitted: number
  /**
   * By code, most hosts first: why the hosts that the request admits are refused; where it admits none, those that it names. A host counts
   * under each of its reasons.
   */
  readonly refusals: readonly Refusals[]
  /**
   * Each host once: those that the request admits for the first of `refusals` that refuses it, then those that it does not admit, for the
   * first of its conditions that does not let them in. The first of all has the code of the cause.
   */
  readonly reasons: readonly ReasonCount[]
  /** The host that is nearest to taking the instance; null: there is none that the request admits or names. */
  readonly nearest: NearestHost | null
  /**
   * The count that binds, where the members of a server group are more than the hosts or domains that the request admits may hold; null:
   * none does.
   */
  readonly tooFew: TooFew | null
  /**
   * Members of a server group that share a host: one host has to take all of them, and they are compared together;
   * null: a single instance is.
   */
  readonly onOneHost: number | null
  /**
   * For a request for several instances, the number that are placed before the one that is not, and the name of its
   * kind; null: it has one instance.
   */
  readonly instances: { readonly found: number; readonly asked: number; readonly kind: string | null } | null
}

/** One instance of a request, on a fleet that holds what the instances before it take. */
export interface AskedInstance {
  readonly fleet: Fleet
  /** The request as this instance makes it. */
  readonly request: RequestSpec
  /** The original request, with all kinds of its instances. */
  readonly whole: RequestSpec
  /** The number of the instance, from 0. */
  readonly instance: number
}

/** The cause for which no host takes the instance with this number, while the fleet holds the resources of the earlier instances. */
export const causeOf = (...asked: Parameters<typeof causeInSteps>): Cause => atOnce(causeInSteps(...asked))

/**
 * The same with pauses; the fleet must stay as it is until the end. The filters are asked about the request in one order, however it was
 * written.
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

/** The hosts that the request is about, by the same filters. */
export function* admittedIn(filters: readonly FilterStep[], asked: AskedInstance): Steps<AdmittedHosts> {
  const { steps, isAttempt } = stepsOf(filters, asked)
  return yield* admittedBy(steps, asked.fleet, asked.request, isAttempt, namedBy(steps, asked.fleet))
}

interface AskedSteps {
  readonly steps: readonly FilterStep[]
  /** What hosts lack for all members of a group that must be on one host. */
  readonly lacks: readonly FilterStep[]
  readonly isAttempt: boolean
}

function stepsOf(filters: readonly FilterStep[], { fleet, whole, instance }: AskedInstance): AskedSteps {
  const asked = filters.filter(isAsked)
  return asTogether(asked, fleet, whole, instance) ?? { steps: asked, lacks: [], isAttempt: false }
}
