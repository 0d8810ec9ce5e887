import { useShortcuts } from './keys.ts'

/** The lists that an operator came from, by what they list: for the previous and the next on the page of one. */
const lists = new Map<string, { readonly length: number; at(index: number): string }>()

/** Remembers a list without copying it: `at` reads the keys of its rows when they are asked for. */
export function rememberList(list: string, length: number, at: (index: number) => string): void {
  lists.set(list, { length, at })
}

/** The key so many places after one in the list it came from; undefined at its ends and where there is no list. */
export function neighbourOf(list: string, key: string, step: 1 | -1): string | undefined {
  const { length, at } = lists.get(list) ?? { length: 0, at: String }
  for (let i = 0; i < length; i++) if (at(i) === key) return i + step >= 0 && i + step < length ? at(i + step) : undefined
  return undefined
}

/** `[` and `]` go through the list that one came from. */
export function useNeighbourKeys(list: string, one: string, key: string, open: (key: string) => void): void {
  const go = (step: 1 | -1): void => {
    const next = neighbourOf(list, key, step)
    if (next !== undefined) open(next)
  }
  useShortcuts(neighbourKeys(one, go))
}

/** What `[` and `]` are everywhere. */
export const neighbourKeys = (one: string, go: (step: 1 | -1) => void) => [
  { keys: '[', label: `Previous ${one} of the list`, run: () => go(-1) },
  { keys: ']', label: `Next ${one} of the list`, run: () => go(1) },
]
