/** Items with the times at which they end, as a binary heap. The item that ends first is at the top. */
export class Departures<Item> {
  readonly #heap: { readonly at: number; readonly item: Item }[] = []

  get size(): number {
    return this.#heap.length
  }

  /** The time of the next departure. Undefined if there is none. */
  get next(): number | undefined {
    return this.#heap[0]?.at
  }

  add(at: number, item: Item): void {
    const heap = this.#heap
    let position = heap.length
    heap.push({ at, item })
    while (position > 0) {
      const parent = (position - 1) >> 1
      if (this.#at(parent) <= at) break
      this.#swap(position, parent)
      position = parent
    }
  }

  /** Removes and returns the item with the earliest time. Undefined if nothing is left. */
  take(): Item | undefined {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (first === undefined || last === undefined) return undefined
    if (heap.length === 0) return first.item
    heap[0] = last
    let position = 0
    for (;;) {
      let least = position
      for (const child of [2 * position + 1, 2 * position + 2]) if (child < heap.length && this.#at(child) < this.#at(least)) least = child
      if (least === position) return first.item
      this.#swap(position, least)
      position = least
    }
  }

  #at(position: number): number {
    return this.#heap[position]?.at ?? Number.POSITIVE_INFINITY
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap
    const kept = heap[a] as (typeof heap)[number]
    heap[a] = heap[b] as (typeof heap)[number]
    heap[b] = kept
  }
}
