import { useMemo, useRef, useState } from 'react'

export type Key = string | number

/** Things that were chosen one by one: they stay chosen, as they were then, whatever the list shows later. */
export interface Choice<Item> {
  readonly items: ReadonlyMap<Key, Item>
  /** Whether what is at a position is chosen; undefined: it cannot be. */
  isChosen(index: number): boolean | undefined
  /** Chooses what has a key, or not any more; `isRange`: all from the one chosen last to this one. What is not in the list stays as it is. */
  toggle(key: Key, isRange: boolean): void
  /** These, in the place of those before; `isAdded`: next to them. */
  choose(items: Iterable<Item>, isAdded?: boolean): void
  clear(): void
}

interface ChoiceOptions<Item> {
  readonly count: number
  /** What is at a position of the list; undefined where it cannot be chosen. */
  at(index: number): Item | undefined
  keyOf(item: Item): Key
  /** So many at most; what comes after them is not chosen. */
  readonly most?: number
}

/** A choice among the things of a list, which changes under it. `at` and `keyOf` are the same for as long as the list is. */
export function useChoice<Item>({ count, at, keyOf, most = Number.POSITIVE_INFINITY }: ChoiceOptions<Item>): Choice<Item> {
  const [items, setItems] = useState<ReadonlyMap<Key, Item>>(new Map())
  const last = useRef<Key | undefined>(undefined)
  return useMemo(() => {
    const keyAt = (index: number): Key | undefined => {
      const item = at(index)
      return item === undefined ? undefined : keyOf(item)
    }
    const choose = (chosen: Iterable<Item>, isAdded = false): void =>
      setItems((before) => {
        const after = new Map(isAdded ? before : [])
        for (const item of chosen) {
          if (after.size >= most) break
          after.set(keyOf(item), item)
        }
        return after
      })
    return {
      items,
      choose,
      isChosen(index) {
        const key = keyAt(index)
        return key === undefined ? undefined : items.has(key)
      },
      toggle(key, isRange) {
        const index = indexOf(key, count, keyAt)
        const item = at(index)
        if (item === undefined) return
        const from = isRange && last.current !== undefined ? indexOf(last.current, count, keyAt) : -1
        last.current = key
        if (from >= 0) choose(between(at, from, index), true)
        else if (items.has(key)) setItems((before) => new Map([...before].filter(([one]) => one !== key)))
        else choose([item], true)
      },
      clear() {
        last.current = undefined
        setItems(new Map())
      },
    }
  }, [items, count, at, keyOf, most])
}

/** Where a key is in a list; -1 where it is not. */
export function indexOf(key: Key, count: number, keyAt: (index: number) => Key | undefined): number {
  for (let i = 0; i < count; i++) if (keyAt(i) === key) return i
  return -1
}

function* between<Item>(at: (index: number) => Item | undefined, one: number, other: number): Iterable<Item> {
  for (let i = Math.min(one, other); i <= Math.max(one, other); i++) {
    const item = at(i)
    if (item !== undefined) yield item
  }
}
