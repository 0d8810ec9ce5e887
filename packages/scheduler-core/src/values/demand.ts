/**
 * An amount that the chosen cells of a host must have together. It represents a device request, a network, or all networks. Meeting all
 * demands is necessary but not sufficient, because pools have an order, and one device request may use up the devices that another one
 * needs.
 */
export interface Demand {
  readonly need: number
  /** The amount that each cell of the host adds, in the order in which cells are tried. */
  readonly gains: readonly number[]
  /** The cells, largest gains first. */
  readonly best: readonly number[]
}

/** Whether the chosen cells, together with `more` unused cells, can meet all demands. */
export function canMeet(demands: readonly Demand[], chosen: readonly number[], used: Uint8Array, more: number): boolean {
  return demands.every(({ need, gains, best }) => {
    let sum = 0
    for (const host of chosen) sum += gains[host] as number
    for (let i = 0, left = more; i < best.length && left > 0 && sum < need; i += 1) {
      if (used[best[i] as number] === 1) continue
      sum += gains[best[i] as number] as number
      left -= 1
    }
    return sum >= need
  })
}
