import { type FitOptions, type FitResult, fitGuest } from './fit-guest.ts'
import type { GuestTopology, HostTopology } from './topology.ts'

/** Guests of fewer cells are fitted sooner than hosts are compared. */
const CELLS_WORTH_COMPARING = 3

/**
 * `fitGuest` for the many hosts of one request: hosts that are alike to the last number are fitted once, so that a guest
 * that takes a long search costs no more than there are sorts of hosts. The answers are the same.
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

/** All that the answer depends on beside the guest. Ratios are written out: JSON has no word for those that are no number. */
function keyOf({ cells }: HostTopology, { limits, pci, packing, search }: FitOptions): string {
  const ratios = limits && `${limits.cpuAllocationRatio} ${limits.ramAllocationRatio}`
  return JSON.stringify([cells, ratios, limits?.networkMetadata, pci, packing, search])
}

/** The reason is worked out when it is first asked for. */
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
