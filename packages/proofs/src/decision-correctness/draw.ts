import { createRandom } from '@gantt/scheduler-core'

/** A reproducible source of random choices for a case. */
export interface Draw {
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number
  of<T>(choices: readonly T[]): T
  /** True in this percentage of cases. */
  chance(percent: number): boolean
  /** Returns this many different items in random order. */
  some<T>(choices: readonly T[], count: number): T[]
  list<T>(count: number, make: (i: number) => T): T[]
}

/** The focus of a case, such as GPUs. In a case about GPUs, more hosts have GPUs, and more requests and weighers use them. */
export type Theme = (typeof themes)[number]
export const themes = ['plain', 'plain', 'gpu', 'numa', 'group'] as const

export function createDraw(seed: string): Draw {
  const random = createRandom(seed)
  const draw: Draw = {
    between: (least, most) => least + random.below(most - least + 1),
    of: (choices) => choices[random.below(choices.length)] as (typeof choices)[number],
    chance: (percent) => random.below(100) < percent,
    some(choices, count) {
      const left = [...choices]
      return draw.list(Math.min(count, left.length), () => left.splice(random.below(left.length), 1)[0] as (typeof choices)[number])
    },
    list: (count, make) => Array.from({ length: count }, (_, i) => make(i)),
  }
  return draw
}
