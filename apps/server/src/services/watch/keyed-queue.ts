/**
 * Values in the order in which they were added, one for each key. The time to take the first value does not depend on the length: a new
 * iterator of a Map would first skip all entries that were deleted before, so one iterator is kept.
 */
export class KeyedQueue<Key, Value> {
  readonly #values = new Map<Key, Value>()
  #order = this.#values.entries()

  get size(): number {
    return this.#values.size
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key)
  }

  /** Adds a value at the end. An earlier value of the key is removed. */
  put(key: Key, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
  }

  /** Removes the first value and returns it with its key. Undefined if there is none. */
  take(): readonly [Key, Value] | undefined {
    let next = this.#order.next()
    if (next.done) {
      // an iterator that has ended does not continue with entries that were added afterwards
      this.#order = this.#values.entries()
      next = this.#order.next()
    }
    if (next.done) return undefined
    this.#values.delete(next.value[0])
    return next.value
  }

  clear(): void {
    this.#values.clear()
  }
}
