import { type Cause, causeInSteps } from '../../cause/cause.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { hostKey } from '../../hosts/hosts.ts'
import type { Profile } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { byCodeUnit } from '../../values/canonical-json.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { HostName } from '../../values/host-name.ts'
import type { Steps } from '../../values/steps.ts'
import { type RefusedHost, refusedHosts } from './refused-hosts.ts'
import { hasEndingClaims } from './remedies/ending-claims.ts'
import { remedyFor } from './remedies/index.ts'
import type { Refusal } from './remedies/remedy.ts'

/** A host for whose refusals changes are sought. Hosts with the same refusals and shortfalls of at least the same size are left out. */
export interface NearHost {
  readonly name: HostName
  /** The refusals of the host in the order of the filters. */
  readonly refusals: readonly Refusal[]
}

export interface Survey {
  /** The hosts, sorted by the number of reasons, then by distance, nearest first. */
  readonly nearest: readonly NearHost[]
  /** The number of refused hosts that were not considered although they may need smaller changes than the considered hosts. */
  readonly leftOut: number
  /** The cause of the refusal. */
  readonly cause: Cause
}

/**
 * At least this many hosts of a kind are considered, even if the second lacks no less than the first, because changes of the fleet concern
 * only one host.
 */
const PER_KIND = 2
/** Of one kind, at most this many hosts are considered of which none lacks less than another in every respect. */
const MOST_OF_KIND = 4
/** At most this many hosts are considered in total. */
const MOST_HOSTS = 48
/** Of one kind, the claims of at most this many hosts are considered. */
const MOST_HELD = 200
/**
 * Two changes may suffice for a host only if at most this many filters refuse it. Other hosts come last, and are not counted as left out.
 */
const MOST_REASONS = 4

/**
 * Evaluates all reasons of every host. For each kind of refusal, selects the hosts nearest to passing. The result does not depend on the
 * order in which hosts reported.
 */
export function* surveyRefusals(
  fleet: Fleet,
  request: RequestSpec,
  profile: Profile,
  { instance, minHosts }: { readonly instance: number; readonly minHosts: number },
): Steps<Survey> {
  const toNear = ({ host, lacks }: RefusedHost): NearHost => ({
    name: nameOf(fleet, host),
    refusals: lacks.map(({ filter, reason }) => ({ fleet, request, profile, host, filter, reason })),
  })
  const byKind = new Map<string, RefusedHost[]>()
  for (const found of yield* refusedHosts(fleet, request, profile, instance)) {
    const same = byKind.get(found.kind)
    if (same === undefined) byKind.set(found.kind, [found])
    else same.push(found)
  }
  yield
  const kinds: RefusedHost[][] = []
  for (const hosts of byKind.values()) {
    yield
    kinds.push(hosts.sort((a, b) => a.distance - b.distance || byName(fleet, a.host, b.host)))
  }
  kinds.sort(
    (a, b) => nearestFirst(a[0] as RefusedHost, b[0] as RefusedHost) || b.length - a.length || byName(fleet, firstOf(a), firstOf(b)),
  )
  const nearest: NearHost[] = []
  let leftOut = 0
  for (const hosts of kinds) {
    yield
    const room = MOST_HOSTS - nearest.length
    const { chosen, others } = room > 0 ? chosenOf(hosts, minHosts, toNear) : { chosen: [], others: hosts.length }
    if ((hosts[0] as RefusedHost).lacks.length <= MOST_REASONS) leftOut += others
    nearest.push(...chosen)
  }
  return { nearest, leftOut, cause: yield* causeInSteps(fleet, request, profile, instance) }
}

const firstOf = ([first]: readonly RefusedHost[]): HostIndex => (first as RefusedHost).host

const nearestFirst = (one: RefusedHost, other: RefusedHost): number =>
  one.lacks.length - other.lacks.length || one.distance - other.distance

const byName = (fleet: Fleet, one: HostIndex, other: HostIndex): number =>
  byCodeUnit(hostKey(fleet.hosts.get(one)), hostKey(fleet.hosts.get(other)))

interface Chosen {
  readonly chosen: readonly NearHost[]
  /** The number of hosts of the kind that were not chosen although they lack less of at least one amount than each chosen host. */
  readonly others: number
}

/**
 * Selects the nearest host, hosts that lack less of at least one amount than all earlier ones, and the nearest host that is refused because
 * of claims, since waiting may suffice there. If several hosts must pass, only the host that completes their number is selected.
 */
function chosenOf(hosts: readonly RefusedHost[], minHosts: number, toNear: (found: RefusedHost) => NearHost): Chosen {
  const wanted = hosts[Math.min(minHosts, hosts.length) - 1]
  if (minHosts > 1 && wanted !== undefined) return { chosen: [toNear(wanted)], others: 0 }
  const front: RefusedHost[] = []
  const behind: RefusedHost[] = []
  let others = 0
  for (const found of hosts) {
    const isFarther = front.some(({ missing }) => missing.every((share, i) => share <= (found.missing[i] ?? 0)))
    if (isFarther) behind.push(found)
    else if (front.length < MOST_OF_KIND) front.push(found)
    else others++
  }
  const chosen = [...front, ...behind.splice(0, Math.max(0, PER_KIND - front.length))].map(toNear)
  const held = heldAmong(behind, toNear)
  return { chosen: held === undefined || chosen.some(isHeld) ? chosen : [...chosen, held], others }
}

/** The first host, among a limited number, that has enough once claims on it have ended. */
function heldAmong(group: readonly RefusedHost[], toNear: (found: RefusedHost) => NearHost): NearHost | undefined {
  let asked = 0
  for (const found of group) {
    const near = toNear(found)
    const [refusal] = near.refusals
    if (refusal === undefined || !hasEndingClaims(refusal.fleet.hosts.get(refusal.host))) continue
    if (isHeld(near)) return near
    if (++asked >= MOST_HELD) return undefined
  }
  return undefined
}

const isHeld = ({ refusals: [refusal] }: NearHost): boolean =>
  refusal !== undefined &&
  (remedyFor(refusal.reason.code)?.propose(refusal) ?? []).some(({ edits }) => (edits?.releaseClaims ?? []).length > 0)

function nameOf({ hosts }: Fleet, index: HostIndex): HostName {
  const { host, node } = hosts.get(index)
  return { host, node }
}
