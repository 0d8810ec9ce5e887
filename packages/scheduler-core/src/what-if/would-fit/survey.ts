import { type Cause, causeInSteps } from '../../cause/cause.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { hostKey } from '../../hosts/hosts.ts'
import type { Profile } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { byCodeUnit } from '../../values/canonical-json.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { HostName } from '../../values/host-name.ts'
import type { Steps } from '../../values/steps.ts'
import { askedAt } from './gang/in-gang.ts'
import { type RefusedHost, refusedHosts } from './refused-hosts.ts'
import { hasEndingClaims } from './remedies/ending-claims.ts'
import { remediesFor } from './remedies/index.ts'
import type { Refusal } from './remedies/remedy.ts'

/** A refused host for which changes are sought. Hosts with the same refusals and larger shortfalls are left out. */
export interface NearHost {
  readonly name: HostName
  /** The refusals of the host in the order of the filters. */
  readonly refusals: readonly Refusal[]
}

export interface Survey {
  /** The hosts for which changes are sought, sorted by the count of refusals, and then by distance, nearest first. */
  readonly nearest: readonly NearHost[]
  /** How many refused hosts were not considered, although they possibly need smaller changes than the considered hosts. */
  readonly leftOut: number
  /** The cause of the refusal of the request. */
  readonly cause: Cause
}

/**
 * Hosts with the same refusals are of one kind (`RefusedHost.kind`). At least this many hosts of a kind are considered, even if the second
 * lacks more than the first in every respect, because a change of the fleet, such as releasing a claim, can be possible for only one of
 * them.
 */
const PER_KIND = 2
/**
 * The hosts of one kind are visited by distance, nearest first. A host is selected unless a host that was selected before it has, for every
 * amount, a shortfall that is at most as large. In this way, at most this many hosts of a kind are selected.
 */
const MAX_HOSTS_PER_KIND = 4
/** As soon as this many hosts are selected in total, no further kinds are considered. */
const MAX_HOSTS = 48
/** Of the hosts of one kind, at most this many are examined for claims whose end would free enough resources for the request. */
const MAX_EXAMINED_FOR_CLAIMS = 200
/** Hosts with more refusals than this are not counted as left out, because a proposal of two changes would hardly suffice for them. */
const MAX_REASONS = 4

/**
 * Evaluates all filters for every host, and selects the hosts for which changes are sought: for each kind of refusal, the hosts that are
 * nearest to passing. The result does not depend on the order in which hosts reported.
 */
export function* surveyRefusals(
  fleet: Fleet,
  request: RequestSpec,
  profile: Profile,
  { instance, minHosts, judged }: { readonly instance: number; readonly minHosts: number; readonly judged: Profile },
): Steps<Survey> {
  const asked = askedAt(request, instance)
  const toNear = ({ host, lacks }: RefusedHost): NearHost => ({
    name: nameOf(fleet, host),
    refusals: lacks.map(({ filter, reason }) => ({ fleet, ...asked, profile, host, filter, reason })),
  })
  const byKind = new Map<string, RefusedHost[]>()
  for (const found of yield* refusedHosts(fleet, request, judged, instance)) {
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
    const room = MAX_HOSTS - nearest.length
    const { chosen, others } = room > 0 ? chosenOf(hosts, minHosts, toNear) : { chosen: [], others: hosts.length }
    if ((hosts[0] as RefusedHost).lacks.length <= MAX_REASONS) leftOut += others
    nearest.push(...chosen)
  }
  return { nearest, leftOut, cause: yield* causeInSteps(fleet, request, judged, instance) }
}

const firstOf = ([first]: readonly RefusedHost[]): HostIndex => (first as RefusedHost).host

const nearestFirst = (one: RefusedHost, other: RefusedHost): number =>
  one.lacks.length - other.lacks.length || one.distance - other.distance

const byName = (fleet: Fleet, one: HostIndex, other: HostIndex): number =>
  byCodeUnit(hostKey(fleet.hosts.get(one)), hostKey(fleet.hosts.get(other)))

interface Chosen {
  readonly chosen: readonly NearHost[]
  /** How many hosts of the kind were not chosen, although they lack less of some amount than each chosen host. */
  readonly others: number
}

/**
 * From hosts of one kind, selects the nearest host, and each farther host unless a nearer host lacks at most as much of every amount. If no
 * selected host would have enough after claims on it end, also selects the nearest host for which this is the case. If more than one host
 * must pass, only the host at position `minHosts` is selected.
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
    else if (front.length < MAX_HOSTS_PER_KIND) front.push(found)
    else others++
  }
  const chosen = [...front, ...behind.splice(0, Math.max(0, PER_KIND - front.length))].map(toNear)
  const held = heldAmong(behind, toNear)
  return { chosen: held === undefined || chosen.some(isHeld) ? chosen : [...chosen, held], others }
}

/** The first host that has enough after claims on it have ended. At most `MAX_EXAMINED_FOR_CLAIMS` hosts with such claims are examined. */
function heldAmong(group: readonly RefusedHost[], toNear: (found: RefusedHost) => NearHost): NearHost | undefined {
  let asked = 0
  for (const found of group) {
    const near = toNear(found)
    const [refusal] = near.refusals
    if (refusal === undefined || !hasEndingClaims(refusal.fleet.hosts.get(refusal.host))) continue
    if (isHeld(near)) return near
    if (++asked >= MAX_EXAMINED_FOR_CLAIMS) return undefined
  }
  return undefined
}

const isHeld = ({ refusals: [refusal] }: NearHost): boolean =>
  refusal !== undefined && remediesFor(refusal).some(({ edits }) => (edits?.releaseClaims ?? []).length > 0)

function nameOf({ hosts }: Fleet, index: HostIndex): HostName {
  const { host, node } = hosts.get(index)
  return { host, node }
}
