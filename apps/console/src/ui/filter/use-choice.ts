import { useMemo, useRef, useState } from 'react'

export type Key = string | number

/**
 * The selected rows of a list. A row stays selected even if it leaves the list. An item has the data that the row had when it was selected.
 */
export interface Choice<Item> {
  readonly items: ReadonlyMap<Key, Item>
  /** True if the row at this index is selected. Undefined if the row cannot be selected. */
  isChosen(index: number): boolean | undefined
  /**
   * Selects a row, or deselects a selected row. With `isRange`, all rows from the last selected row to this row are selected. Keys that are
   * not in the list are ignored.
   */
  toggle(key: Key, isRange: boolean): void
  /** Selects exactly these rows. With `isAdded`, rows that are already selected stay selected. */
  choose(items: Iterable<Item>, isAdded?: boolean): void
  clear(): void
}

interface ChoiceOptions<Item> {
  readonly count: number
  /** The row at this index of the list. Undefined if the row cannot be selected. */
  at(index: number): Item | undefined
  keyOf(item: Item): Key
  /** At most this many rows can be selected. Further rows are not selected. */
  readonly most?: number
}

/** Stores the selection of rows in a list that can change. `at` and `keyOf` must be the same functions as long as the list is the same. */
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

/** The index of a key in a list. -1 if the key is not in the list. */
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
