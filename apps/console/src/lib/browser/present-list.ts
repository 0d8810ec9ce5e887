import { useShortcuts } from './keys.ts'

/** The lists from which the operator opened pages, by the kind of their items. The keys `[` and `]` go from item to item of such a list. */
const lists = new Map<string, { readonly length: number; at(index: number): string }>()

/** Stores a list without copying it: `at` reads the keys of its rows on demand. */
export function rememberList(list: string, length: number, at: (index: number) => string): void {
  lists.set(list, { length, at })
}

/**
 * The key of the next or previous item in the list from which a page was opened. Undefined beyond the ends of the list, and if the page was
 * not opened from a list.
 */
export function neighbourOf(list: string, key: string, step: 1 | -1): string | undefined {
  const { length, at } = lists.get(list) ?? { length: 0, at: String }
  for (let i = 0; i < length; i++) if (at(i) === key) return i + step >= 0 && i + step < length ? at(i + step) : undefined
  return undefined
}

/** The keys `[` and `]` open the previous and the next item of the list from which the page was opened. */
export function useNeighbourKeys(list: string, one: string, key: string, open: (key: string) => void): void {
  const go = (step: 1 | -1): void => {
    const next = neighbourOf(list, key, step)
    if (next !== undefined) open(next)
  }
  useShortcuts(neighbourKeys(one, go))
}

/** The shortcuts for the keys `[` and `]`. `one` is the noun for an item of the list. */
export const neighbourKeys = (one: string, go: (step: 1 | -1) => void) => [
  { keys: '[', label: `Previous ${one} of the list`, run: () => go(-1) },
  { keys: ']', label: `Next ${one} of the list`, run: () => go(1) },
]
