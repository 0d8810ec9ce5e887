import type { HostTable } from '../fleet/hosts.ts'
import { DEVICES_ELSEWHERE } from '../fleet/levels.ts'
import type { Reason } from '../reason.ts'

/** Free devices, and the cell of the host that they are near to; null: none that is known. */
export interface FreeDevices {
  readonly numaNode: number | null
  readonly count: number
}

/** Of devices that would do and are not near to a guest's cells, where they are: what a reason says of it. */
export function elsewhereOn({ featureLevel }: Pick<HostTable, 'featureLevel'>, devices: readonly FreeDevices[]): Pick<Reason, 'source'> {
  const counts = new Map<number | null, number>()
  for (const { numaNode, count } of devices) if (count > 0) counts.set(numaNode, (counts.get(numaNode) ?? 0) + count)
  if (featureLevel < DEVICES_ELSEWHERE || counts.size === 0) return {}
  const known = [...counts].sort(([a], [b]) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY))
  return { source: known.map(([cell, count]) => `${count} at ${cell === null ? 'no known cell' : `cell ${cell}`}`).join(', ') }
}
