/** What was used last, by text, in at most so many bytes. */
export interface ByteCache<Value> {
  get(key: string): Value | undefined
  /** Keeps a value of about so many bytes, and lets go of those that were not used for longest; one that is too large alone is not kept. */
  set(key: string, value: Value, bytes: number): void
  /** Bytes of all that is kept, keys included. */
  readonly bytes: number
  readonly size: number
}

/** A text as V8 keeps it at most: two bytes a character, and what keeps them together. */
const bytesOfText = (text: string): number => 2 * text.length + 64

/** A cache that is bounded by bytes alone: entries that callers choose may have any size. */
export function createByteCache<Value>(mostBytes: number): ByteCache<Value> {
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
      // the order of a Map is that of insertion: what is used goes to its end
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set(key, value, ofValue) {
      drop(key)
      const bytes = bytesOfText(key) + ofValue
      if (bytes > mostBytes) return
      entries.set(key, { value, bytes })
      total += bytes
      for (const oldest of entries.keys()) {
        if (total <= mostBytes) return
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
