import type { Fleet } from '../../fleet/fleet.ts'
import type { RequestClass } from './request-class.ts'
import type { ScoreTable } from './score-table.ts'

/** The classes of a fleet use at most about this many bytes. If there are more, the least recently used are dropped. */
const MAX_CLASS_BYTES = 100_663_296
/** The tables of a fleet use at most about this many bytes. */
const MAX_TABLE_BYTES = 33_554_432
/** At most this many keys of requests that have no class are remembered. */
const MAX_SEEN = 4_096
/** An estimate of the bytes of an entry in addition to its arrays, such as its key. */
const ENTRY_BYTES = 2_048

/** What is kept between the decisions on one fleet. */
export interface ClassCache {
  readonly classes: Recent<RequestClass>
  readonly tables: Recent<ScoreTable>
  /** The keys of requests that were decided once. A class is only built for a key that occurs again. */
  readonly seen: Recent<{ readonly bytes: number }>
}

const caches = new WeakMap<Fleet, ClassCache>()

/** The cache of a fleet. A copy of a fleet starts with an empty cache. */
export function classCacheOf(fleet: Fleet): ClassCache {
  const known = caches.get(fleet)
  if (known !== undefined) return known
  const cache = {
    classes: new Recent<RequestClass>(MAX_CLASS_BYTES),
    tables: new Recent<ScoreTable>(MAX_TABLE_BYTES),
    seen: new Recent<{ readonly bytes: number }>(MAX_SEEN * ENTRY_BYTES),
  }
  caches.set(fleet, cache)
  return cache
}

/** Discards everything that earlier decisions on a fleet left for searches. */
export const forgetSearches = (fleet: Fleet): void => void caches.delete(fleet)

/** Values by key, of which the least recently used are dropped if they need more than `most` bytes. The last value is always kept. */
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

  /** Stores a value with the bytes that it needs now. */
  set(key: string, value: Value): void {
    this.delete(key)
    const bytes = value.bytes + ENTRY_BYTES
    this.#values.set(key, { value, bytes })
    this.#bytes += bytes
    while (this.#bytes > this.#most && this.#values.size > 1) this.delete(this.#values.keys().next().value as string)
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
