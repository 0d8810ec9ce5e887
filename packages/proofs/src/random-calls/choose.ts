import type { Random } from '@gantt/scheduler-core'

export const oneOf = <Item>(random: Random, items: readonly Item[]): Item => items[random.below(items.length)] as Item

/** True with a probability of this percentage. */
export const chance = (random: Random, percent: number): boolean => random.below(100) < percent

/** A random length up to `most`. Every order of magnitude has the same probability. */
export const anyLength = (random: Random, most: number): number => Math.floor(2 ** ((random.below(1_000) / 1_000) * Math.log2(most)))

const CHARACTERS = ['x', 'ä', 'Σ', ')', '[', '{', '"', '\\', '*', '0-9,', '.', ' ', '\u202e', '𝕏'] as const

/** A text that repeats one short text. As JSON, it has at most this many bytes. */
export function longText(random: Random, mostBytes: number): string {
  const repeated = oneOf(random, CHARACTERS)
  return repeated.repeat(Math.max(1, Math.floor(anyLength(random, mostBytes) / Buffer.byteLength(JSON.stringify(repeated).slice(1, -1)))))
}
