import type { Random } from '@gantt/scheduler-core'

export const oneOf = <Item>(random: Random, items: readonly Item[]): Item => items[random.below(items.length)] as Item

/** True with a probability of this percentage. */
export const chance = (random: Random, percent: number): boolean => random.below(100) < percent

/** A random length up to `most`. Every order of magnitude has the same probability. */
export const anyLength = (random: Random, most: number): number => Math.floor(2 ** ((random.below(1_000) / 1_000) * Math.log2(most)))

const CHARACTERS = ['x', 'ä', 'Σ', ')', '[', '{', '"', '\\', '*', '0-9,', '.', ' ', '\u202e', '𝕏'] as const

/** A text of one repeated piece. As JSON, it has at most this many bytes. */
export function longText(random: Random, mostBytes: number): string {
  const piece = oneOf(random, CHARACTERS)
  return piece.repeat(Math.max(1, Math.floor(anyLength(random, mostBytes) / Buffer.byteLength(JSON.stringify(piece).slice(1, -1)))))
}
