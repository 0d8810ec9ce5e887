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

/** A host for whose refusals changes are sought: hosts with the same refusals and no smaller shortfalls are left out. */
export interface NearHost {
  readonly name: HostName
  /** The refusals of the host in the order of the filters. */
  readonly refusals: readonly Refusal[]
}

export interface Survey {
  /** The hosts with the fewest reasons first, then the nearest. */
  readonly nearest: readonly NearHost[]
  /** The number of refused hosts that were not considered although they may need smaller changes than those that were. */
  readonly leftOut: number
  /** The cause of the refusal. */
  readonly cause: Cause
}

/**
 * The number of hosts of a kind that are considered even if they lack no less than others, because changes of the fleet concern one host.
 */
const PER_KIND = 2
/** The largest number of hosts of a kind among which none lacks less than another in every respect. */
const MOST_OF_KIND = 4
/** The largest total number of hosts that are considered. */
const MOST_HOSTS = 48
/** The largest number of hosts of a kind whose claims are considered. */
const MOST_HELD = 200
/**
 * The largest number of refusing filters with which two changes may suffice: hosts with more come last, and are not counted as left out.
 */
const MOST_REASONS = 4

/**
 * Evaluates all reasons of every host, and selects for each kind of refusal the hosts nearest to passing, regardless of the order in which
 * hosts reported.
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
  /** The number of hosts of the kind that lack less of some amount than every chosen host. */
  readonly others: number
}

/**
 * Selects the nearest host, all hosts that lack less of some amount than earlier ones, and the nearest host on which claims cause the
 * refusal, since waiting may suffice there. If several hosts must pass, it also selects the host that completes their number.
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
