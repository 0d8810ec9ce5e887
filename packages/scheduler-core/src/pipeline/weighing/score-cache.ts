import type { Fleet } from '../../fleet/fleet.ts'
import { Recent } from '../recent.ts'

/**
 * The raw scores that one weigher gives the hosts for one kind of request. A score is valid only while the host has the version in
 * `version`.
 */
export interface CachedScores {
  raw: Float64Array
  /** For each host, the version at which its score was computed. -1 means that no score was computed. */
  version: Float64Array
  readonly bytes: number
}

/** The cached scores of a fleet use at most about this many bytes. If there are more, the least recently used are dropped. */
const MAX_BYTES = 268_435_456

const caches = new WeakMap<Fleet, Recent<CachedScores>>()

/**
 * The cached scores for a key at the feature level of the fleet, large enough for every host. Scores of a lower level are not used, because
 * the rules of weighers depend on the level.
 */
export function cachedScores(fleet: Fleet, name: string): CachedScores {
  const key = `${fleet.featureLevel}\u0000${name}`
  const size = fleet.hosts.count
  const cache = caches.get(fleet) ?? new Recent<CachedScores>(MAX_BYTES)
  caches.set(fleet, cache)
  const known = cache.get(key)
  if (known !== undefined && known.raw.length >= size) return known
  const scores = grow(known, size)
  cache.set(key, scores)
  return scores
}

function grow(scores: CachedScores | undefined, size: number): CachedScores {
  const length = Math.ceil(size * 1.5)
  const larger = { raw: new Float64Array(length), version: new Float64Array(length).fill(-1), bytes: 16 * length }
  if (scores !== undefined) {
    larger.raw.set(scores.raw)
    larger.version.set(scores.version)
  }
  return larger
}
