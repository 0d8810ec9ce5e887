import type { GuestTopology, HostTopology } from '../topology.ts'
import { type FitOptions, type FitResult, fitGuest } from './fit-guest.ts'

/** For guests with fewer cells than this, results are not cached, because fitting is cheaper than the comparison of hosts. */
const CELLS_WORTH_COMPARING = 3

/**
 * Returns `fitGuest` for one guest, with a cache. Hosts with equal values share one search, because a search can take long. The cache does
 * not change results.
 */
export function createFitter(guest: GuestTopology): (host: HostTopology, options: FitOptions) => FitResult {
  if (guest.cells.length < CELLS_WORTH_COMPARING) return (host, options) => fitGuest(host, guest, options)
  const known = new Map<string, FitResult>()
  return (host, options) => {
    const key = keyOf(host, options)
    let result = known.get(key)
    if (result === undefined) {
      result = withOneReason(fitGuest(host, guest, options))
      known.set(key, result)
    }
    return result
  }
}

/** The cache key: all inputs of `fitGuest` except the guest. Ratios are converted to text, because JSON has no infinity and no NaN. */
function keyOf({ cells }: HostTopology, { limits, pci, packing, search }: FitOptions): string {
  const ratios = limits && `${limits.cpuAllocationRatio} ${limits.ramAllocationRatio}`
  return JSON.stringify([cells, ratios, limits?.networkMetadata, pci, packing, search])
}

/** Caches the result's reason of a refusal after its first computation. */
function withOneReason(result: FitResult): FitResult {
  if (result.ok) return result
  let why: ReturnType<typeof result.why> | undefined
  return {
    ...result,
    why: () => {
      why ??= result.why()
      return why
    },
  }
}
