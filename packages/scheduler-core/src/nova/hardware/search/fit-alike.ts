import type { GuestTopology, HostTopology } from '../topology.ts'
import { type FitOptions, type FitResult, fitGuest } from './fit-guest.ts'

/** For guests with fewer cells than this, fitting is cheaper than comparing hosts. */
const CELLS_WORTH_COMPARING = 3

/**
 * `fitGuest` for the many hosts of one request. Hosts whose values are all equal are fitted only once, so that a guest with a long search
 * costs one search per group of equal hosts. The results are the same as those of `fitGuest`.
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

/** All inputs of the result except the guest, as text. Ratios are written as text, because JSON cannot express infinity and NaN. */
function keyOf({ cells }: HostTopology, { limits, pci, packing, search }: FitOptions): string {
  const ratios = limits && `${limits.cpuAllocationRatio} ${limits.ramAllocationRatio}`
  return JSON.stringify([cells, ratios, limits?.networkMetadata, pci, packing, search])
}

/** The result with a reason that is computed when it is first read, and then cached. */
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
