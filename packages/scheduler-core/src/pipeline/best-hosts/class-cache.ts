import type { Fleet } from '../../fleet/fleet.ts'
import { Recent } from '../recent.ts'
import { KeptKinds } from './kept-kinds.ts'
import type { RequestClass } from './request-class.ts'
import type { ScoreTable } from './score-table.ts'

/** The classes of a fleet use at most about this many bytes. If there are more, the least recently used are dropped. */
const MAX_CLASS_BYTES = 100_663_296
/** The tables of a fleet use at most about this many bytes. */
const MAX_TABLE_BYTES = 33_554_432
/** The keys of requests that have no class use at most about this many bytes. */
const MAX_SEEN_BYTES = 8_388_608
/** What is kept between the decisions on one fleet. */
export interface ClassCache {
  readonly classes: Recent<RequestClass>
  readonly tables: Recent<ScoreTable>
  /** The keys of requests that were decided once. A class is only built for a key that occurs again. */
  readonly seen: Recent<{ readonly bytes: number }>
  readonly kinds: KeptKinds
}

const caches = new WeakMap<Fleet, ClassCache>()

/** The cache of a fleet. A copy of a fleet starts with an empty cache. */
export function classCacheOf(fleet: Fleet): ClassCache {
  const known = caches.get(fleet)
  if (known !== undefined) return known
  const cache = {
    classes: new Recent<RequestClass>(MAX_CLASS_BYTES),
    tables: new Recent<ScoreTable>(MAX_TABLE_BYTES),
    seen: new Recent<{ readonly bytes: number }>(MAX_SEEN_BYTES),
    kinds: new KeptKinds(fleet),
  }
  caches.set(fleet, cache)
  return cache
}

/** Discards everything that earlier decisions on a fleet left for searches. */
export const forgetSearches = (fleet: Fleet): void => void caches.delete(fleet)
