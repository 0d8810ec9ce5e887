import type { Fleet } from '../../fleet/fleet.ts'

/** Raw numbers of one weigher for one kind of request. Each is valid at the host version in `version`. */
export interface CachedScores {
  raw: Float64Array
  /** The version of the host at which `raw` was computed; -1 means never. */
  version: Float64Array
}

/** The largest number of scores that are cached per fleet. Beyond it, the least recently used kinds of request are dropped. */
const MAX_NUMBERS = 16_000_000
const MAX_KEYS = 4_096

const caches = new WeakMap<Fleet, Map<string, CachedScores>>()

/** The cached scores for a key, large enough for every host of the fleet. */
export function cachedScores(fleet: Fleet, key: string): CachedScores {
  const size = fleet.hosts.count
  const cache = caches.get(fleet) ?? new Map<string, CachedScores>()
  caches.set(fleet, cache)
  let scores = cache.get(key)
  // A Map keeps insertion order: re-inserting on use keeps the least recently used first.
  if (scores !== undefined) cache.delete(key)
  if (scores === undefined || scores.raw.length < size) scores = grow(scores, size)
  cache.set(key, scores)
  while (cache.size > 1 && (cache.size > MAX_KEYS || cache.size * size > MAX_NUMBERS)) cache.delete(cache.keys().next().value as string)
  return scores
}

function grow(scores: CachedScores | undefined, size: number): CachedScores {
  const larger = { raw: new Float64Array(Math.ceil(size * 1.5)), version: new Float64Array(Math.ceil(size * 1.5)).fill(-1) }
  if (scores !== undefined) {
    larger.raw.set(scores.raw)
    larger.version.set(scores.version)
  }
  return larger
}
