/**
 * When a map is copied, its differences from the base are merged into a new base first if they are more than an eighth of the base. This
 * limits the cost of later copies, which copy all differences.
 */
const FOLD = 8

/** At most this many keys are listed as moved. With the next one, the differences are merged into a new base. */
const MOST_MOVED = 32

/**
 * A map that is cheap to copy. Copies share a base that is never written, and each copy has its own Map with the differences from the base.
 * Before the first copy, the base is empty. An iteration is in the order in which keys were added, as in a Map. The map can be written
 * during an iteration. The iteration then yields present values, can leave out new keys, and can yield a key again that was deleted and set
 * again meanwhile.
 */
export class SharedMap<Value extends object | number | string> {
  #base: ReadonlyMap<string, Value> = new Map()
  /** The differences from the base. The value is undefined if a key of the base was deleted. */
  #own = new Map<string, Value | undefined>()
  /** Keys of the base that were deleted and set again. Their order is the one in `#own`. This set is replaced and never written. */
  #moved: ReadonlySet<string> = new Set()
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
      if (this.#own.has(key)) this.#moveToEnd(key)
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
    // A copy that is made during the iteration can replace both maps, so the present maps are stored here.
    const [base, own, moved] = [this.#base, this.#own, this.#moved]
    for (const key of base.keys()) {
      const value = moved.has(key) ? undefined : this.get(key)
      if (value !== undefined) yield [key, value]
    }
    for (const key of own.keys()) {
      const value = base.has(key) && !moved.has(key) ? undefined : this.get(key)
      if (value !== undefined) yield [key, value]
    }
  }

  *keys(): Generator<string, undefined> {
    for (const [key] of this) yield key
  }

  *values(): Generator<Value, undefined> {
    for (const [, value] of this) yield value
  }

  /** Makes a copy. Later writes to the copy do not change this map, and later writes to this map do not change the copy. */
  copy(): SharedMap<Value> {
    if (this.#own.size * FOLD > this.#base.size) this.#fold()
    const copy = new SharedMap<Value>()
    copy.#base = this.#base
    copy.#own = new Map(this.#own)
    copy.#moved = this.#moved
    copy.#size = this.#size
    return copy
  }

  /** Moves a key of the base that was deleted, and is set again, to the end of the order. */
  #moveToEnd(key: string): void {
    // the note that the key was deleted must still be there when the maps are merged
    if (!this.#moved.has(key) && this.#moved.size === MOST_MOVED) {
      this.#fold()
      return
    }
    this.#own.delete(key)
    if (!this.#moved.has(key)) this.#moved = new Set(this.#moved).add(key)
  }

  #fold(): void {
    this.#base = this.#base.size === 0 ? (this.#own as Map<string, Value>) : new Map(this)
    this.#own = new Map()
    this.#moved = new Set()
    this.#size = this.#base.size
  }
}
