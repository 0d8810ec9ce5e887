/**
 * An amount of devices or networks that the host cells chosen for a guest must have together. A choice of cells that does not meet all
 * demands cannot fit. A choice that meets all demands can still fail to fit, because two device requests can need the same devices.
 */
export interface Demand {
  readonly need: number
  /** The amount that each cell of the host contributes. The cells are in the order in which they are tried. */
  readonly gains: readonly number[]
  /** The indexes of the cells, largest gains first. */
  readonly best: readonly number[]
}

/**
 * True if each demand can be met by the `chosen` cells and the best `more` further cells. `used` is 1 for each cell that cannot be chosen
 * any more.
 */
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
