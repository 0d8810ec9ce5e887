/**
 * The differences are merged into the base when their number exceeds this fraction (an eighth) of the base. Until then, the number of
 * differences determines the cost of a copy.
 */
const FOLD = 8

/**
 * A map that is cheap to copy. It iterates in the order in which keys were first set. All copies share one base that is never written
 * again, and each copy has its own Map of differences from the base. Before the first copy, there is only the Map. The map can be written
 * during an iteration: present values are yielded, and new keys may be left out.
 */
export class SharedMap<Value extends object | number | string> {
  #base: ReadonlyMap<string, Value> = new Map()
  /** The differences from the base. The value is undefined if a key of the base was deleted. */
  #own = new Map<string, Value | undefined>()
  #size = 0

  get size(): number {
    return this.#base.size === 0 ? this.#own.size : this.#size
  }

  get(key: string): Value | undefined {
    const own = this.#own.get(key)
    if (own !== undefined || this.#base.size === 0) return own
    return this.#own.has(key) ? undefined : this.#base.get(key)
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  set(key: string, value: Value): this {
    if (this.#base.size > 0 && !this.has(key)) {
      // The key was in the base and deleted. It is now added at the end, not at its former position.
      if (this.#own.has(key)) this.#fold()
      this.#size++
    }
    this.#own.set(key, value)
    return this
  }

  delete(key: string): boolean {
    if (this.#base.size === 0) return this.#own.delete(key)
    if (!this.has(key)) return false
    if (this.#base.has(key)) this.#own.set(key, undefined)
    else this.#own.delete(key)
    this.#size--
    return true
  }

  *[Symbol.iterator](): Generator<[string, Value], undefined> {
    // Both maps are read before either of them is merged.
    const [base, own] = [this.#base, this.#own]
    for (const key of base.keys()) {
      const value = this.get(key)
      if (value !== undefined) yield [key, value]
    }
    for (const key of own.keys()) {
      const value = base.has(key) ? undefined : this.get(key)
      if (value !== undefined) yield [key, value]
    }
  }

  *keys(): Generator<string, undefined> {
    for (const [key] of this) yield key
  }

  *values(): Generator<Value, undefined> {
    for (const [, value] of this) yield value
  }

  /** A map with the same entries. Later writes to one do not change the other. */
  copy(): SharedMap<Value> {
    if (this.#own.size * FOLD > this.#base.size) this.#fold()
    const copy = new SharedMap<Value>()
    copy.#base = this.#base
    copy.#own = new Map(this.#own)
    copy.#size = this.#size
    return copy
  }

  #fold(): void {
    this.#base = this.#base.size === 0 ? (this.#own as Map<string, Value>) : new Map(this)
    this.#own = new Map()
    this.#size = this.#base.size
  }
}
