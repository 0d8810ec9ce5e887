import { countedStats } from '../hosts/allocation.ts'
import type { HostRecord, HostTable } from '../hosts/hosts.ts'
import { usedAmounts } from '../kinds/classes/classes.ts'
import { type Claim, isLive, lapsesAt } from '../records/claim.ts'
import type { HostStats } from '../report/stats.ts'
import { FIGURES, isHeldOnly } from './held-until.ts'

/** The reason of a claim that ended because the figures of its host count its instance. */
export const COUNTED = 'counted by its host'

/**
 * The figures of a report in which a new instance shows: its amounts by resource class, as they count as used on the host (without the
 * reserved amounts that Nova counts as used), and the number of instances.
 */
interface Figures {
  readonly amounts: Readonly<Record<string, number>>
  readonly instances: number
}

/**
 * Returns the reservations that end because the figures in the new report `after` of a host rose by their amounts. The result includes
 * reservations that a call ended earlier, and whose amounts the rise frees. Only reservations whose caller asked for this (`untilCounted`) end, and only on a host that does not
 * list its instances.
 *
 * The figures state sums, not instances. Therefore reservations end in the order in which they expire, and the first one that the rise does
 * not cover stays, with all after it. So they end by no more than the figures rose: the used and promised amounts together never fall. If
 * every instance that starts on the host has such a reservation, they also never fall below what the host needs: an ended reservation whose
 * instance has not started yet is balanced by one whose instance has started, and which expires later. So a call that ends the latter keeps
 * its amounts held until then (held-until.ts). A claim of another kind would break the balance, because its instance can be counted at any
 * time. So nothing ends while the host has one.
 */
export function countedReservations(hosts: HostTable, record: HostRecord, after: HostStats): readonly Claim[] {
  const { claims, usedFrom } = record
  const waiting = [...claims].filter((claim) => isLive(claim) || isHeldOnly(claim))
  if (usedFrom === 'CLAIMS' || waiting.length === 0 || !waiting.every((claim) => isHeldOnly(claim) || isUntilCounted(claim))) return []
  let rise = difference(figuresOf(hosts, { ...record, stats: after }), figuresOf(hosts, record))
  const counted: Claim[] = []
  for (const claim of waiting.toSorted(byExpiry)) {
    const figures = figuresOfClaim(claim)
    if (figures === undefined || !covers(rise, figures)) break
    rise = difference(rise, figures)
    counted.push(claim)
  }
  return counted
}

const isUntilCounted = ({ state, untilCounted }: Claim): boolean => state === 'RESERVED' && untilCounted !== null

const byExpiry = (a: Claim, b: Claim): number => (lapsesAt(a) ?? 0) - (lapsesAt(b) ?? 0) || a.fence - b.fence

function figuresOf(hosts: HostTable, record: HostRecord): Figures {
  const used = usedAmounts(countedStats(hosts, record))
  return {
    amounts: Object.fromEntries([...FIGURES].map((name) => [name, used.get(name) ?? 0])),
    instances: record.stats.runningVms,
  }
}

/**
 * The figures by which the end of a claim lowers what is held. Undefined if the claim has resources that are in no figure, or if it is a
 * part of an open move.
 */
function figuresOfClaim(claim: Claim): Figures | undefined {
  const { source, target, extra } = claim
  const { classes = {}, ...others } = (isHeldOnly(claim) ? extra : claim.grants) ?? {}
  const hasOthers = Object.keys(others).length > 0 || Object.keys(classes).some((name) => !FIGURES.has(name))
  const isMoving = source !== null || target !== null || (extra !== null && isLive(claim))
  return hasOthers || isMoving ? undefined : { amounts: classes, instances: 1 }
}

const covers = (rise: Figures, { amounts, instances }: Figures): boolean =>
  rise.instances >= instances && Object.entries(amounts).every(([name, amount]) => (rise.amounts[name] ?? 0) >= amount)

const difference = (more: Figures, less: Figures): Figures => ({
  amounts: Object.fromEntries(Object.entries(more.amounts).map(([name, amount]) => [name, amount - (less.amounts[name] ?? 0)])),
  instances: more.instances - less.instances,
})
