import type { Shortfall } from './shortfall.ts'
import type { HostCell, HostTopology, NetworkMetadata } from './topology.ts'

/**
 * Returns the shortfall if the chosen host cells do not reach all networks that a guest needs. Undefined if they do. A network that no cell
 * of the host reports is ignored, because it is unknown which cells are near it.
 */
export function networksShort(host: HostTopology, chosen: readonly HostCell[], wanted: NetworkMetadata | undefined): Shortfall | undefined {
  if (wanted === undefined) return undefined
  const missed = wanted.physnets.filter((physnet) => !chosen.some(leadsTo(physnet)) && host.cells.some(leadsTo(physnet)))
  if (missed.length > 0)
    return { code: 'numa.networks', subject: `cells ${namesOf(chosen)}`, need: missed.join(', '), have: physnetsOf(chosen) }
  if (wanted.tunneled && !chosen.some(isTunneled) && host.cells.some(isTunneled)) {
    return { code: 'numa.networks', subject: `cells ${namesOf(chosen)}`, need: 'tunneled networks', have: physnetsOf(chosen) }
  }
  return undefined
}

function leadsTo(physnet: string): (cell: HostCell) => boolean {
  return (cell) => cell.networkMetadata?.physnets.includes(physnet) === true
}

function isTunneled(cell: HostCell): boolean {
  return cell.networkMetadata?.tunneled === true
}

function namesOf(cells: readonly HostCell[]): string {
  return cells.map((cell) => cell.id).join(', ')
}

function physnetsOf(cells: readonly HostCell[]): string {
  return [...new Set(cells.flatMap((cell) => cell.networkMetadata?.physnets ?? []))].join(', ') || 'no physical network'
}
