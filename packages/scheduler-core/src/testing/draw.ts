import { createRandom } from '../values/random.ts'

/** Random choices that a seed determines. */
export interface Draw {
  /** A whole number from 0 to `count` - 1. */
  below(count: number): number
  of<T>(choices: readonly T[]): T
  /** True in this percentage of cases. */
  chance(percent: number): boolean
}

export function createDraw(seed: string): Draw {
  const random = createRandom(seed)
  return {
    below: (count) => random.below(count),
    of: (choices) => choices[random.below(Math.max(1, choices.length))] as (typeof choices)[number],
    chance: (percent) => random.below(100) < percent,
  }
}
