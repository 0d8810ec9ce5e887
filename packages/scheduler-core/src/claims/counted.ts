import type { HostRecord } from '../hosts/hosts.ts'
import { type Claim, isLive } from '../records/claim.ts'
import type { HostStats } from '../report/stats.ts'

/** The reason of a claim that ended because the figures of its host count its instance. */
export const COUNTED = 'counted by its host'

/** The figures of a report in which a new instance shows: its amounts by resource class, and the number of instances. */
interface Figures {
  readonly amounts: Readonly<Record<string, number>>
  readonly instances: number
}

/**
 * Returns the reservations that end because the figures of a host's report rose by their amounts. Only reservations whose caller asked for
 * this (`untilCounted`) end, and only on a host that does not list its instances.
 *
 * The figures state sums, not instances. Therefore reservations end in the order in which they expire, and the first one that the rise does
 * not cover stays, with all after it. So they end by no more than the figures rose: the used and promised amounts together never fall. If
 * every instance that starts on the host has such a reservation, they also never fall below what the host needs: an ended reservation whose
 * instance has not started yet is balanced by one whose instance has started, and which expires later. Whoever ends the latter by hand ends
 * this balance. A claim of another kind breaks it too, because its instance can be counted at any time. So nothing ends while the host has one.
 */
export function countedReservations({ claims, usedFrom }: HostRecord, before: HostStats, after: HostStats): readonly Claim[] {
  const live = [...claims].filter(isLive)
  if (usedFrom === 'CLAIMS' || !live.every(({ state, untilCounted }) => state === 'RESERVED' && untilCounted !== null)) return []
  let rise = difference(figuresOf(after), figuresOf(before))
  const counted: Claim[] = []
  for (const claim of live.toSorted(byExpiry)) {
    const figures = figuresOfClaim(claim)
    if (figures === undefined || !covers(rise, figures)) break
    rise = difference(rise, figures)
    counted.push(claim)
  }
  return counted
}

const byExpiry = (a: Claim, b: Claim): number => (a.expiresAt ?? 0) - (b.expiresAt ?? 0) || a.fence - b.fence

const figuresOf = ({ vcpusUsed, memoryMbUsed, localGbUsed, runningVms }: HostStats): Figures => ({
  amounts: { VCPU: vcpusUsed, MEMORY_MB: memoryMbUsed, DISK_GB: localGbUsed },
  instances: runningVms,
})

/** Undefined if the claim has resources that are in no figure, or if it is a part of an open move. */
function figuresOfClaim({ grants: { classes = {}, ...others }, source, target, extra }: Claim): Figures | undefined {
  const hasOthers = Object.keys(others).length > 0 || Object.keys(classes).some((name) => !FIGURES.has(name))
  return hasOthers || source !== null || target !== null || extra !== null ? undefined : { amounts: classes, instances: 1 }
}

/** The classes whose use a report without a list of instances states. */
const FIGURES: ReadonlySet<string> = new Set(['VCPU', 'MEMORY_MB', 'DISK_GB'])

const covers = (rise: Figures, { amounts, instances }: Figures): boolean =>
  rise.instances >= instances && Object.entries(amounts).every(([name, amount]) => (rise.amounts[name] ?? 0) >= amount)

const difference = (more: Figures, less: Figures): Figures => ({
  amounts: Object.fromEntries(Object.entries(more.amounts).map(([name, amount]) => [name, amount - (less.amounts[name] ?? 0)])),
  instances: more.instances - less.instances,
})
