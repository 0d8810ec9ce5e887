/** A cache of the most recently used values by key, limited in bytes. */
export interface ByteCache<Value> {
  get(key: string): Value | undefined
  /**
   * Caches a value of this many bytes, and drops the least recently used values above the limit. A value that exceeds the limit alone is
   * not cached.
   */
  set(key: string, value: Value, bytes: number): void
  /** How many bytes are cached, including keys. */
  readonly bytes: number
  readonly size: number
}

/** The maximum size of a text in V8: two bytes for each character, and a header. */
const bytesOfText = (text: string): number => 2 * text.length + 64

/** A cache limited by bytes alone, because callers choose entries of any size. */
export function createByteCache<Value>(maxBytes: number): ByteCache<Value> {
  const entries = new Map<string, { readonly value: Value; readonly bytes: number }>()
  let total = 0
  const drop = (key: string): void => {
    total -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      // a Map is in the order of insertion, so a used value is inserted again at its end
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set(key, value, ofValue) {
      drop(key)
      const bytes = bytesOfText(key) + ofValue
      if (bytes > maxBytes) return
      entries.set(key, { value, bytes })
      total += bytes
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) return
        drop(oldest)
      }
    },
    get bytes() {
      return total
    },
    get size() {
      return entries.size
    },
  }
}
