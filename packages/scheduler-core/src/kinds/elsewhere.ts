import type { HostTable } from '../hosts/hosts.ts'
import type { Reason } from '../text/reason.ts'
import { DEVICES_ELSEWHERE } from '../values/levels.ts'

/** A number of free devices, and the cell of the host that they are near. Null if no cell is known. */
export interface FreeDevices {
  readonly numaNode: number | null
  readonly count: number
}

/** The locations of suitable devices that are not near the guest's cells, as text of a reason. Empty at older feature levels. */
export function elsewhereOn({ featureLevel }: Pick<HostTable, 'featureLevel'>, devices: readonly FreeDevices[]): Pick<Reason, 'source'> {
  const counts = new Map<number | null, number>()
  for (const { numaNode, count } of devices) if (count > 0) counts.set(numaNode, (counts.get(numaNode) ?? 0) + count)
  if (featureLevel < DEVICES_ELSEWHERE || counts.size === 0) return {}
  const known = [...counts].sort(([a], [b]) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY))
  return { source: known.map(([cell, count]) => `${count} at ${cell === null ? 'no known cell' : `cell ${cell}`}`).join(', ') }
}
