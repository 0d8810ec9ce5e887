import { byCodeUnit } from '../canonical-json.ts'
import type { Cause } from '../cause/cause.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { HostName } from '../fleet/host-name.ts'
import { hostKey } from '../fleet/hosts.ts'
import type { Steps } from '../fleet/steps.ts'
import type { HostIndex } from '../host-index.ts'
import { distanceOfReasons } from '../pipeline/distance.ts'
import { type Examination, examineInSteps } from '../pipeline/examine.ts'
import type { Profile } from '../profiles/profile.ts'
import type { Reason } from '../reason.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { hasEndingClaims } from './remedies/ending-claims.ts'
import { remedyFor } from './remedies/index.ts'
import type { Refusal } from './remedies/remedy.ts'

/** A host worth looking at: it stands for others that are refused for the same reasons. */
export interface NearHost {
  readonly name: HostName
  /** By each filter that refuses it, in their order. */
  readonly refusals: readonly Refusal[]
}

export interface Survey {
  /** Few reasons first, then nearest. */
  readonly nearest: readonly NearHost[]
  /** Why no host passes. */
  readonly cause: Cause
}

/** Hosts that stand for the others of their kind, and how many kinds are looked at. */
const PER_KIND = 2
const MOST_KINDS = 16
/** Hosts of a kind whose claims are looked at. */
const MOST_HELD = 200
/** With more filters against it, two changes will not do. */
const MOST_REASONS = 4

interface Found {
  readonly host: HostIndex
  readonly reasons: readonly { readonly filter: string; readonly reason: Reason }[]
  readonly distance: number
}

/** Hosts between two pauses. */
const SLICE = 128

/** Every host's reasons at once, and from them the hosts that are nearest to passing, each kind of refusal once or twice. */
export function* surveyRefusals(
  fleet: Fleet,
  request: RequestSpec,
  profile: Profile,
  { seed, instance, minHosts }: { readonly seed: string; readonly instance: number; readonly minHosts: number },
): Steps<Survey> {
  const examination = yield* examineInSteps(fleet, request, profile, seed, instance)
  const kinds = new Map<string, Found[]>()
  yield
  for (const { index } of fleet.hosts.present) {
    if (index > 0 && index % SLICE === 0) yield
    const reasons = reasonsOf(examination, index)
    if (reasons.length === 0) continue
    const found: Found = { host: index, reasons, distance: distanceOfReasons(reasons.map(({ reason }) => reason)) }
    if (reasons.length > MOST_REASONS) continue
    const kind = reasons.map(({ filter, reason }) => `${filter} ${reason.code} ${reason.subject ?? ''}`).join('\n')
    const group = kinds.get(kind)
    if (group === undefined) kinds.set(kind, [found])
    else group.push(found)
  }
  const toNear = ({ host, reasons }: Found): NearHost => ({
    name: nameOf(fleet, host),
    refusals: reasons.map(({ filter, reason }) => ({ fleet, request, profile, host, filter, reason })),
  })
  yield
  const chosen = [...kinds.values()]
    .map((group) => group.sort((a, b) => a.distance - b.distance || byName(fleet, a.host, b.host)))
    .sort(
      (a, b) =>
        sizeOf(a) - sizeOf(b) ||
        (a[0] as Found).distance - (b[0] as Found).distance ||
        b.length - a.length ||
        byName(fleet, (a[0] as Found).host, (b[0] as Found).host),
    )
    .slice(0, MOST_KINDS)
  const nearest: NearHost[] = []
  for (const group of chosen) {
    yield
    nearest.push(...chosenOf(group, minHosts, toNear))
  }
  return { nearest, cause: yield* examination.cause() }
}

const byName = (fleet: Fleet, one: HostIndex, other: HostIndex): number =>
  byCodeUnit(hostKey(fleet.hosts.get(one)), hostKey(fleet.hosts.get(other)))

const sizeOf = (group: readonly Found[]): number => group[0]?.reasons.length ?? 0

/**
 * The nearest, and the nearest of those whose claims stand in the way: it may be enough to wait there. Where more hosts are
 * to pass, the one with which they are so many.
 */
function chosenOf(group: readonly Found[], minHosts: number, toNear: (found: Found) => NearHost): readonly NearHost[] {
  const wanted = group[Math.min(minHosts, group.length) - 1]
  if (minHosts > 1 && wanted !== undefined) return [toNear(wanted)]
  const chosen = group.slice(0, PER_KIND).map(toNear)
  const held = heldAmong(group.slice(PER_KIND), toNear)
  return held === undefined || chosen.some(isHeld) ? chosen : [...chosen, held]
}

/** The first host that has room once claims on it have ended; of so many at most. */
function heldAmong(group: readonly Found[], toNear: (found: Found) => NearHost): NearHost | undefined {
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

function reasonsOf({ steps, refusedBy, bytesPerHost, firstRefusing, reasonOf }: Examination, host: HostIndex): Found['reasons'] {
  const reasons: { filter: string; reason: Reason }[] = []
  for (let s = firstRefusing[host] as number; s < steps.length; s++)
    if (((refusedBy[host * bytesPerHost + (s >> 3)] as number) >> (s & 7)) & 1)
      reasons.push({ filter: (steps[s] as (typeof steps)[number]).filter, reason: reasonOf(host, s) })
  return reasons
}

function nameOf({ hosts }: Fleet, index: HostIndex): HostName {
  const { host, node } = hosts.get(index)
  return { host, node }
}
