import type { Outcome } from './check-plan.ts'
import { filters } from './model/filters.ts'
import { weighers } from './model/weighers.ts'

/**
 * Counts of the cases by kind. In each case, the decision of the core was compared with the model's. The counts show whether hard cases
 * were among them.
 */
export interface Tally {
  cases: number
  /** In how many cases a host was found for all, some or none of the instances. */
  placed: number
  inPart: number
  refused: number
  emptyFleets: number
  chance: number
  /** Cases in which several hosts had the best total. */
  tied: number
  instances: number
  /** How many verdicts (one filter, one host) were compared with the model's. */
  checks: number
  /** For each filter, the cases in which it was the first to refuse at least one host. */
  readonly refusedBy: Record<string, number>
  /** For each weigher, the cases in which its contribution differed between hosts. */
  readonly weighedBy: Record<string, number>
  /** For each reason code, the cases in which any filter refused a host with this code. */
  readonly codes: Record<string, number>
}

export const createTally = (): Tally => ({
  cases: 0,
  placed: 0,
  inPart: 0,
  refused: 0,
  emptyFleets: 0,
  chance: 0,
  tied: 0,
  instances: 0,
  checks: 0,
  // The hosts of the model have no PCI devices and no disk pools, so these two filters refuse no host.
  refusedBy: Object.fromEntries(
    Object.keys(filters).flatMap((name) => (['PciPassthroughFilter', 'DiskPoolFilter'].includes(name) ? [] : [[name, 0]])),
  ),
  weighedBy: Object.fromEntries(Object.keys(weighers).map((name) => [name, 0])),
  codes: {},
})

export function count(tally: Tally, { decision, profile }: Outcome): void {
  const { instances, placed, found } = decision
  const first = instances[0]
  tally.cases++
  if (found < instances.length && found > 0) tally.inPart++
  else if (placed.length > 0) tally.placed++
  else tally.refused++
  if (first?.hosts === 0) tally.emptyFleets++
  if (profile.scheduler === 'chance') tally.chance++
  if (instances.some(({ tied }) => tied > 1)) tally.tied++
  tally.instances += instances.length
  for (const { checks } of instances) for (const host of checks) tally.checks += host.length
  const refusals = instances.flatMap(({ checks }) => checks).map((host) => host.filter(({ verdict }) => verdict === 'FAIL'))
  countEach(
    tally.refusedBy,
    refusals.flatMap(([refusal]) => refusal?.filter ?? []),
  )
  countEach(
    tally.codes,
    refusals.flat().flatMap(({ refusal }) => refusal?.code ?? []),
  )
  const spread = profile.weighers.filter((_, w) =>
    instances.some(({ ranked }) => new Set(ranked.map(({ contributions }) => contributions[w])).size > 1),
  )
  countEach(
    tally.weighedBy,
    spread.map(({ name }) => name),
  )
}

/** Counts a name once per case, however often it occurs. */
function countEach(counts: Record<string, number>, names: readonly string[]): void {
  for (const name of new Set(names)) counts[name] = (counts[name] ?? 0) + 1
}
