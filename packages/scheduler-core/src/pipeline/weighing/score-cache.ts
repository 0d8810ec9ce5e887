import type { Fleet } from '../../fleet/fleet.ts'

/**
 * The raw scores that one weigher gives the hosts for one kind of request. A score is valid only while the host has the version in
 * `version`.
 */
export interface CachedScores {
  raw: Float64Array
  /** For each host, the version at which its score was computed. -1 means that no score was computed. */
  version: Float64Array
}

/** At most this many scores are cached per fleet. If there are more, the least recently used keys are dropped. */
const MAX_NUMBERS = 16_000_000
const MAX_KEYS = 4_096

const caches = new WeakMap<Fleet, Map<string, CachedScores>>()

/**
 * The cached scores for a key at the feature level of the fleet, large enough for every host. Scores of a lower level are not used, because
 * the rules of weighers depend on the level.
 */
export function cachedScores(fleet: Fleet, name: string): CachedScores {
  const key = `${fleet.featureLevel}\u0000${name}`
  const size = fleet.hosts.count
  const cache = caches.get(fleet) ?? new Map<string, CachedScores>()
  caches.set(fleet, cache)
  let scores = cache.get(key)
  // A Map has insertion order. A used key is inserted again, so the least recently used key is the first.
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
