import type { HostTable } from '../hosts/hosts.ts'
import type { Reason } from '../text/reason.ts'
import { DEVICES_ELSEWHERE } from '../values/levels.ts'

/** A count of free devices, and the id of the NUMA cell that they are near. The id is null if the cell is unknown. */
export interface FreeDevices {
  readonly numaNode: number | null
  readonly count: number
}

/**
 * Text for a reason: where the host has suitable free devices that are not near the guest's NUMA cells. Below feature level
 * DEVICES_ELSEWHERE, no text.
 */
export function elsewhereOn({ featureLevel }: Pick<HostTable, 'featureLevel'>, devices: readonly FreeDevices[]): Pick<Reason, 'source'> {
  const counts = new Map<number | null, number>()
  for (const { numaNode, count } of devices) if (count > 0) counts.set(numaNode, (counts.get(numaNode) ?? 0) + count)
  if (featureLevel < DEVICES_ELSEWHERE || counts.size === 0) return {}
  const known = [...counts].sort(([a], [b]) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY))
  return { source: known.map(([cell, count]) => `${count} at ${cell === null ? 'no known cell' : `cell ${cell}`}`).join(', ') }
}
