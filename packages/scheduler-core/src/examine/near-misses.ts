import { NOT_PRESENT, PASSES_ALL } from '../pipeline/findings.ts'
import type { VerdictMatrix } from './verdict-matrix.ts'

/**
 * The indexes of the refused hosts. The host `nearest` comes first, then the hosts that the request admits, then all other refused hosts.
 * Each of these groups is sorted by distance.
 */
export function nearMissesIn(
  { firstRefusing, distance }: Pick<VerdictMatrix, 'firstRefusing' | 'distance'>,
  admitted: Uint8Array,
  nearest: number | undefined,
): number[] {
  const groupOf = (host: number): number => (host === nearest ? 0 : admitted[host] === 1 ? 1 : 2)
  const of = (host: number): number => distance[host] as number
  return [...firstRefusing.keys()]
    .filter((host) => firstRefusing[host] !== NOT_PRESENT && firstRefusing[host] !== PASSES_ALL)
    .sort((a, b) => groupOf(a) - groupOf(b) || of(a) - of(b) || a - b)
}
