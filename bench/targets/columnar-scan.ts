import type { Decided, Fleet, HostIndex, RequestSpec } from '@gantt/scheduler-core'
import { demandOf } from '@gantt/scheduler-core'

type Placed = Pick<Decided, 'parts' | 'answer'> & { readonly instances: Decided['record']['instances'] }

const BEST = 10
const ALTERNATES = 2
const [ENABLED, DOWN] = [0, 2]
const CLASSES = ['MEMORY_MB', 'VCPU', 'DISK_GB'] as const
/** The weighers of the profile `default` that have no effect on these requests. They are in the records with 0. */
const WITHOUT_EFFECT = [0, 0, 0, 0]

/**
 * The baseline for decisions: loops over the columns of a fleet, one for each filter of the profile `default`, that make the same record,
 * claims and answer as the service. Takes requests for one instance that ask for amounts and a zone and nothing else, and fleets whose
 * hosts report all of their fields and no huge pages.
 */
export function createColumnarScan({ hosts }: Fleet): (request: RequestSpec) => Placed {
  const buffers = Array.from({ length: 5 }, () => new Float64Array(hosts.count)) as [Float64Array, ...Float64Array[]]
  const remaining = new Int32Array(hosts.count)

  return (request) => {
    const { status, liveness, serviceSuspect, zone, ioOps } = hosts.columns
    const { amounts } = demandOf(request)
    const asked = CLASSES.flatMap((name) =>
      amounts[name] === undefined ? [] : [{ name, need: amounts[name], columns: hosts.classColumns(name) }],
    )
    const filters: { filter: string; entered: number; passed: number }[] = []
    let count = hosts.count
    const counted = (filter: string, passed: number): void => {
      filters.push({ filter, entered: count, passed })
      count = passed
    }

    let kept = 0
    for (let host = 0; host < count; host++)
      if (status[host] === ENABLED && liveness[host] !== DOWN && serviceSuspect[host] === 0) remaining[kept++] = host
    counted('ComputeFilter', kept)

    if (request.availabilityZone !== null) {
      const wanted = hosts.zoneOf(request.availabilityZone)
      kept = 0
      for (let i = 0; i < count; i++) {
        const host = remaining[i] as number
        if (zone[host] === wanted) remaining[kept++] = host
      }
      counted('AvailabilityZoneFilter', kept)
    }

    for (const { name, need, columns } of asked) {
      const { free, total, reserved, maxUnit } = columns
      const most = name === 'VCPU' ? total : undefined
      kept = 0
      for (let i = 0; i < count; i++) {
        const host = remaining[i] as number
        if ((free[host] as number) < need || (most !== undefined && (most[host] as number) < need)) continue
        const unit = maxUnit[host] as number
        if (need > unit && unit === Math.max(0, (total[host] as number) - (reserved[host] as number))) continue
        remaining[kept++] = host
      }
      counted({ MEMORY_MB: 'RamFilter', VCPU: 'CoreFilter', DISK_GB: 'DiskFilter' }[name], kept)
    }

    const before = count
    for (const { need, columns } of asked) {
      const { free, minUnit, maxUnit, stepSize, reported } = columns
      kept = 0
      for (let i = 0; i < count; i++) {
        const host = remaining[i] as number
        if (reported[host] !== 1 || need < (minUnit[host] as number) || need > (maxUnit[host] as number)) continue
        if (need % (stepSize[host] as number) !== 0 || (free[host] as number) < need) continue
        remaining[kept++] = host
      }
      count = kept
    }
    filters.push({ filter: 'ResourceClassFilter', entered: before, passed: count })

    const [totals, ...raw] = buffers
    totals.fill(0, 0, count)
    const scores = [...CLASSES.map((name) => ({ column: hosts.classColumns(name).free, multiplier: 1 })), { column: ioOps, multiplier: -1 }]
    for (const [weigher, { column, multiplier }] of scores.entries())
      addScores(column, multiplier, remaining, count, raw[weigher] as Float64Array, totals)

    const { best, tied } = bestOf(totals, count)
    const nameOf = (position: number) => {
      const { host, node } = hosts.get(remaining[position] as HostIndex)
      return { host, node }
    }
    const ranked = best.map((position) => ({
      ...nameOf(position),
      raw: [...raw.map((values) => values[position] as number), ...WITHOUT_EFFECT],
      total: totals[position] as number,
    }))
    const instances = [{ candidates: hosts.count, filters, best: ranked, tied }]
    const [first] = best
    if (first === undefined) return { parts: [], answer: [], instances }
    const destination = (position: number) => ({
      ...nameOf(position),
      weight: totals[position] as number,
      limits: Object.fromEntries(
        Object.keys(amounts).map((name) => [name, hosts.classColumns(name).capacity[remaining[position] as number] as number]),
      ),
    })
    const instance = request.instanceUuids[0] ?? null
    return {
      parts: [{ claim: `claim of ${instance}`, instance, ...nameOf(first), grants: { classes: { ...amounts } } }],
      answer: [{ instance, selected: destination(first), alternates: best.slice(1, ALTERNATES + 1).map(destination) }],
      instances,
    }
  }
}

/** Adds a weigher to the totals: its multiplier times the score between the lowest and the highest one. The lowest is at most 0. */
function addScores(
  column: ArrayLike<number>,
  multiplier: number,
  remaining: Int32Array,
  count: number,
  raw: Float64Array,
  totals: Float64Array,
): void {
  let [min, max] = [0, Number.NEGATIVE_INFINITY]
  for (let i = 0; i < count; i++) {
    const score = column[remaining[i] as number] as number
    raw[i] = score
    if (score < min) min = score
    if (score > max) max = score
  }
  if (max === min) return
  const range = max - min
  for (let i = 0; i < count; i++) totals[i] = (totals[i] as number) + multiplier * (((raw[i] as number) - min) / range)
}

/** The positions of the best totals, best first, and how many hosts have the best total. Of equal totals, the earlier host is better. */
function bestOf(totals: Float64Array, count: number): { readonly best: readonly number[]; readonly tied: number } {
  const best: number[] = []
  let least = Number.NEGATIVE_INFINITY
  for (let i = 0; i < count; i++) {
    const total = totals[i] as number
    if (best.length === BEST && total <= least) continue
    let position = Math.min(best.length, BEST - 1)
    while (position > 0 && (totals[best[position - 1] as number] as number) < total) {
      best[position] = best[position - 1] as number
      position--
    }
    best[position] = i
    if (best.length === BEST) least = totals[best[BEST - 1] as number] as number
  }
  const top = totals[best[0] ?? 0]
  let tied = 0
  for (let i = 0; i < count; i++) if (totals[i] === top) tied++
  return { best, tied }
}
