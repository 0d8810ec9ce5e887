import type { Fleet } from '../fleet/fleet.ts'
import { hostAddress } from '../hosts/host-address.ts'
import type { FilterStep } from '../pipeline/filtering/filter-step.ts'
import { isAsked, prepareFiltersInSteps } from '../pipeline/filtering/run-filters.ts'
import { judgedInstance } from '../pipeline/rounds.ts'
import type { Profile } from '../records/profile.ts'
import { membersAt } from '../request/members.ts'
import { inOneOrder } from '../request/one-order.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Code } from '../text/codes.ts'
import type { ReasonCount } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'
import { atOnce, type Steps } from '../values/steps.ts'
import { type Admission, type AdmittedHosts, AFFINITY_FILTER, admittedBy, namedBy, nearlyAdmitted, presentIn } from './admission.ts'
import { type AllButOne, countAllButOne } from './all-but-one.ts'
import { type Room, roomOf } from './members/room.ts'
import { asTogether, type Trial, togetherOf } from './members/together.ts'
import { type TooFew, tooFewOf } from './members/too-few.ts'
import { askedOf, countAlone, type Exclusive, exclusiveOf, notAdmitted, type Within } from './not-admitted.ts'
import type { NearestHost, Refusals } from './refusal.ts'
import { groupsOf, refuse } from './refused.ts'
import { unknownInstances } from './unknown-instances.ts'

/**
 * Why no host takes an instance. Only hosts that the request admits are examined. These are the hosts that every filter with `admits`
 * passes, regardless of their free resources. Hosts that the request does not admit and the order of the profile's filters do not influence
 * the cause.
 */
export interface Cause {
  /**
   * The code under which the refusal is counted: the first code in `refusals`, which is usually the most frequent code of the admitted
   * hosts. If the request admits no host, the code of the first condition that leaves no host. Null if the fleet has no host.
   */
  readonly code: Code | null
  /**
   * The filters that determine which hosts the request admits. Filters on hosts, zones and aggregates are listed before filters on
   * properties.
   */
  readonly admission: readonly Admission[]
  /**
   * If the request admits no host: the hosts that match all hosts, zones and aggregates that the request names. Only these hosts are then
   * counted for each condition. Null if there are no such hosts.
   */
  readonly within: Within | null
  /**
   * If the request admits no host: sets of conditions that exclude each other. Some hosts meet each condition, but no host meets all
   * conditions of a set.
   */
  readonly exclusive: Exclusive
  /**
   * If the request admits no host: how many hosts meet all of its conditions but one. These hosts can be outside of the zones and aggregates
   * that the request names, so this is used for advice and not for the sentences about the cause.
   */
  readonly allButOne: readonly AllButOne[]
  /** The count of hosts that the request admits. If this count is 0, the filters in `admission` are the cause. */
  readonly admitted: number
  /**
   * Why hosts are refused, by code. The code of a reached limit of the server group is first, and then the code with the most hosts. Only
   * admitted hosts are counted. If the request admits no host, the hosts that the request names are counted. A host is counted for each of
   * its codes.
   */
  readonly refusals: readonly Refusals[]
  /**
   * Why hosts are refused, with each host of the fleet counted once. An admitted host is counted for the first code in `refusals` for which
   * the host is refused. Any other host is counted for the first condition that it does not meet. The first element has the code of the
   * cause.
   */
  readonly reasons: readonly ReasonCount[]
  /**
   * The refused host that is nearest to taking the instance. Null if the request neither admits nor names a host and no host has any of the
   * required properties.
   */
  readonly nearest: NearestHost | null
  /**
   * The instances with which the request must share a host, if all admitted hosts are refused for lack of them and no host of the fleet has
   * any of them. Otherwise empty.
   */
  readonly unknown: readonly string[]
  /** Set if a server group has more members than the group's rules allow on all admitted hosts or domains together. Otherwise null. */
  readonly tooFew: TooFew | null
  /** Set if the admitted hosts are too small for all instances of this kind, even with nothing else on them. Otherwise null. */
  readonly room: Room | null
  /**
   * If members of a server group must share a host: the count of members. A host must then have enough resources for all members together.
   * Otherwise null.
   */
  readonly onOneHost: number | null
  /**
   * Set if members of a server group must share a host, some hosts have room for all of them, and the first members were placed on another
   * host (Nova's rules choose it for the first member alone). Otherwise null. These hosts are not counted in `refusals`.
   */
  readonly elsewhere: { readonly hosts: number; readonly chosen: string } | null
  /**
   * For a request for several instances: how many are placed before an instance finds no host (`found`), how many are requested (`asked`),
   * and the kind of the instance that finds no host (`kind`). Null for a request for one instance.
   */
  readonly instances: { readonly found: number; readonly asked: number; readonly kind: string | null } | null
}

/** One instance of a request. The resources of the request's earlier instances are already taken in `fleet`. */
export interface AskedInstance {
  readonly fleet: Fleet
  /** The request of this instance alone. */
  readonly request: RequestSpec
  /** The whole request, with all kinds of members. */
  readonly whole: RequestSpec
  /** The index of the instance in the request, counted from 0. */
  readonly instance: number
}

/**
 * Finds out why no host takes the instance with this index. The resources of the request's earlier instances must already be taken in
 * `fleet`.
 */
export const causeOf = (...asked: Parameters<typeof causeInSteps>): Cause => atOnce(causeInSteps(...asked))

/**
 * `causeOf` as a generator that yields after each slice of hosts. The fleet must not change until the generator ends. Lists in the request
 * are sorted first, because their order must not influence the cause.
 */
export function* causeInSteps(fleet: Fleet, asked: RequestSpec, profile: Profile, instance = 0): Steps<Cause> {
  const whole = inOneOrder(asked)
  const { request, compiled } = judgedInstance(fleet, whole, profile, instance)
  const filters = yield* prepareFiltersInSteps(compiled, request, fleet)
  const { steps, lacks, isAttempt, trial } = stepsOf(filters, { fleet, request, whole, instance })
  const named = namedBy(steps, fleet)
  const { conditions, hosts, leavesNone, home } = yield* admittedBy(steps, fleet, request, isAttempt, named)
  const isAny = hosts.length > 0
  const present = presentIn(fleet)
  const admission: Admission[] = []
  for (const { filter, which } of conditions.filter(({ isSingle }) => !isSingle)) admission.push({ filter, which, alone: null, each: [] })
  const apart = isAny ? null : yield* askedOf(conditions, present)
  if (apart !== null) admission.splice(0, admission.length, ...(yield* countAlone(conditions, apart)))
  const exclusive = apart === null ? [] : yield* exclusiveOf(conditions, apart)
  const tooFew = isAny ? tooFewOf(fleet, request, instance, hosts) : null
  const groups = groupsOf(steps, lacks)
  const roomy = trial === undefined ? [] : yield* withRoom(trial, hosts)
  const isRoomy = new Set(roomy)
  const lacking = isAny ? hosts.filter((host) => !isRoomy.has(host)) : named
  const { refusals, counted: ofAdmitted, nearest: refused } = yield* refuse(fleet, groups, lacking, tooFew)
  const nearly = isAny || refused !== null ? [] : yield* nearlyAdmitted(conditions, fleet)
  const nearest = refused ?? (yield* refuse(fleet, groups, nearly, null)).nearest
  const code = isAny ? (refusals[0]?.code ?? null) : leavesNone
  const allButOne = isAny ? [] : yield* countAllButOne(home === undefined ? conditions : [...conditions, home], present)
  const isIn = new Set(isAny ? hosts : [])
  const notAdmittedReasons = yield* notAdmitted(
    conditions,
    present.filter((host) => !isIn.has(host)),
    leavesNone,
  )
  const reasons = [...(isAny ? ofAdmitted : []), ...reasonsOfRoomy(trial, roomy), ...notAdmittedReasons]
  const onOneHost = lacks.length > 0 ? togetherOf(whole) : null
  const room = isAny && tooFew === null && onOneHost === null ? yield* roomOf(fleet, whole, instance, hosts) : null
  const unknown = isAny ? yield* unknownInstances(fleet, request, refusals, hosts.length) : []
  const instances = whole.numInstances > 1 ? { found: instance, asked: whole.numInstances, kind: membersAt(whole, instance).name } : null
  const elsewhere =
    trial === undefined || roomy.length === 0
      ? null
      : { hosts: roomy.length, chosen: hostAddress(fleet.hosts, fleet.hosts.get(trial.host)) }
  const counted = { admitted: hosts.length, elsewhere, refusals, reasons, nearest, unknown, tooFew, room, onOneHost, instances }
  return { code, admission, within: apart?.within ?? null, exclusive, allButOne, ...counted }
}

/** The hosts that the request admits. */
export function* admittedIn(filters: readonly FilterStep[], asked: AskedInstance): Steps<AdmittedHosts> {
  const { steps, isAttempt } = stepsOf(filters, asked)
  return yield* admittedBy(steps, asked.fleet, asked.request, isAttempt, namedBy(steps, asked.fleet))
}

interface AskedSteps {
  readonly steps: readonly FilterStep[]
  /** If members of a group must share a host: filters that check a host for all members together. Otherwise empty. */
  readonly lacks: readonly FilterStep[]
  readonly isAttempt: boolean
  readonly trial: Trial | undefined
}

/** The generator yields after this many hosts that are checked for all members together. */
const FEW = 8

/** The hosts that have room for all members, but not for the earlier members that are placed on the host of the trial. */
function* withRoom({ hasRoom }: Trial, hosts: readonly HostIndex[]): Steps<readonly HostIndex[]> {
  const roomy: HostIndex[] = []
  for (const [i, host] of hosts.entries()) {
    if (i % FEW === FEW - 1) yield
    if (hasRoom(host)) roomy.push(host)
  }
  return roomy
}

function reasonsOfRoomy(trial: Trial | undefined, [first, ...others]: readonly HostIndex[]): readonly ReasonCount[] {
  if (trial === undefined || first === undefined) return []
  const example = trial.reasonAt(first)
  return [{ filter: AFFINITY_FILTER, code: example.code, hosts: 1 + others.length, example }]
}

function stepsOf(filters: readonly FilterStep[], { fleet, whole, instance }: AskedInstance): AskedSteps {
  const asked = filters.filter(isAsked)
  return asTogether(asked, fleet, whole, instance) ?? { steps: asked, lacks: [], isAttempt: false, trial: undefined }
}
