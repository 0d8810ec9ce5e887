/** An estimate of the bytes of an entry in addition to its value and its key. It also limits how many small values are kept. */
const ENTRY_BYTES = 2_048

/** Values by key, of which the least recently used are dropped if all need more than `most` bytes, keys included. The last value is always kept. */
export class Recent<Value extends { readonly bytes: number }> {
  readonly #most: number
  /** A Map has insertion order. A used key is inserted again, so the least recently used key is the first. */
  readonly #values = new Map<string, { readonly value: Value; readonly bytes: number }>()
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#values.size
  }

  get(key: string): Value | undefined {
    const entry = this.#values.get(key)
    if (entry === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, entry)
    return entry.value
  }

  /** Stores a value with the bytes that it needs now. Returns the values that were dropped for it. */
  set(key: string, value: Value): readonly Value[] {
    this.delete(key)
    const bytes = value.bytes + 2 * key.length + ENTRY_BYTES
    this.#values.set(key, { value, bytes })
    this.#bytes += bytes
    const dropped: Value[] = []
    for (const [oldest, entry] of this.#values) {
      if (this.#bytes <= this.#most || this.#values.size === 1) break
      this.delete(oldest)
      dropped.push(entry.value)
    }
    return dropped
  }

  /** Removes the values for which `isGone` returns true. */
  deleteIf(isGone: (value: Value) => boolean): void {
    for (const [key, { value }] of this.#values) if (isGone(value)) this.delete(key)
  }

  /** Removes a value and returns it. */
  take(key: string): Value | undefined {
    const value = this.#values.get(key)?.value
    this.delete(key)
    return value
  }

  delete(key: string): void {
    const entry = this.#values.get(key)
    if (entry === undefined) return
    this.#values.delete(key)
    this.#bytes -= entry.bytes
  }
}
