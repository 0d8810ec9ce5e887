import type { Code } from '../codes.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { atOnce, type Steps } from '../fleet/steps.ts'
import type { HostIndex } from '../host-index.ts'
import { compileProfile } from '../pipeline/compile.ts'
import type { FilterStep } from '../pipeline/filter-step.ts'
import { isAsked, prepareFiltersInSteps } from '../pipeline/run-filters.ts'
import { pluginsOf } from '../plugin/plugins.ts'
import type { Profile } from '../profiles/profile.ts'
import type { ReasonCount } from '../reason.ts'
import { membersAt, requestAt } from '../request/members.ts'
import { inOneOrder } from '../request/one-order.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { type Admission, type AdmittedHosts, admittedBy, namedBy, nearlyAdmitted } from './admission.ts'
import { countAlone, type Exclusive, exclusiveOf, NOTHING_EXCLUSIVE, notAdmitted } from './not-admitted.ts'
import type { NearestHost, Refusals } from './refusal.ts'
import { groupsOf, refuse } from './refused.ts'
import { asTogether, togetherOf } from './together.ts'
import { type TooFew, tooFewOf } from './too-few.ts'

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
  /** Where the request admits no host: things that it asks for of which no host has all, though some have each (not-admitted.ts). */
  readonly exclusive: Exclusive
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
  const filters = yield* prepareFiltersInSteps(compileProfile(profile, pluginsOf(fleet)), request, fleet)
  const { steps, lacks, isAttempt } = stepsOf(filters, { fleet, request, whole, instance })
  const named = namedBy(steps, fleet)
  const { conditions, hosts, leavesNone } = yield* admittedBy(steps, fleet, request, isAttempt, named)
  const isAny = hosts.length > 0
  const present = Array.from(fleet.hosts.presentIndexes, (index) => index as HostIndex)
  const admission: Admission[] = []
  for (const { filter, which } of conditions.filter(({ isSingle }) => !isSingle)) admission.push({ filter, which, alone: null, each: [] })
  if (!isAny) admission.splice(0, admission.length, ...(yield* countAlone(conditions, present)))
  const exclusive = isAny ? NOTHING_EXCLUSIVE : yield* exclusiveOf(conditions, present)
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
  return { code, admission, exclusive, admitted: hosts.length, refusals, reasons, nearest, tooFew, onOneHost, instances }
}

/** The hosts that the request is about, by the same filters. */
export function* admittedIn(filters: readonly FilterStep[], asked: AskedInstance): Steps<AdmittedHosts> {
  const { steps, isAttempt } = stepsOf(filters, asked)
  return yield* admittedBy(steps, asked.fleet, asked.request, isAttempt, namedBy(steps, asked.fleet))
}

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
