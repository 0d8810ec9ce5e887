import { useShortcuts } from './keys.ts'

/** The lists from which an operator opened pages, by the kind of their items, for the previous and the next item. */
const lists = new Map<string, { readonly length: number; at(index: number): string }>()

/** Stores a list without copying it: `at` reads the keys of its rows on demand. */
export function rememberList(list: string, length: number, at: (index: number) => string): void {
  lists.set(list, { length, at })
}

/** The key at a distance in the list that a page was opened from; undefined at its ends and without a list. */
export function neighbourOf(list: string, key: string, step: 1 | -1): string | undefined {
  const { length, at } = lists.get(list) ?? { length: 0, at: String }
  for (let i = 0; i < length; i++) if (at(i) === key) return i + step >= 0 && i + step < length ? at(i + step) : undefined
  return undefined
}

/** `[` and `]` step through the list from which the page was opened. */
export function useNeighbourKeys(list: string, one: string, key: string, open: (key: string) => void): void {
  const go = (step: 1 | -1): void => {
    const next = neighbourOf(list, key, step)
    if (next !== undefined) open(next)
  }
  useShortcuts(neighbourKeys(one, go))
}

/** The keys `[` and `]` of every page. */
export const neighbourKeys = (one: string, go: (step: 1 | -1) => void) => [
  { keys: '[', label: `Previous ${one} of the list`, run: () => go(-1) },
  { keys: ']', label: `Next ${one} of the list`, run: () => go(1) },
]
