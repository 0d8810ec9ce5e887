import { type Fleet, type HostRecord, type Liveness, livenessStates } from '@gantt/scheduler-core'

/** The liveness of a host in the fleet. */
export const stateOf = ({ hosts }: Fleet, { index }: HostRecord): Liveness =>
  livenessStates[hosts.columns.liveness[index] as number] ?? 'DOWN'

/** How many hosts have each liveness. */
export function countStates(fleet: Fleet): Record<Liveness, number> {
  const counts = { UP: 0, SUSPECT: 0, DOWN: 0 }
  for (const record of fleet.hosts.present) counts[stateOf(fleet, record)]++
  return counts
}
