import type { CompiledFilter } from '../../contracts/compiled-profile.ts'
import type { Filter, FilterOptions } from '../../contracts/filter.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import { readsOf } from '../../report/stats-fields.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { canonicalJson } from '../../values/canonical-json.ts'
import { memoByObject } from '../../values/memo.ts'
import { fieldsIn } from '../namespaces/reading.ts'
import { Recent } from '../recent.ts'

/** A bit for each host: bit `host % 32` of the word `host / 32`. */
export type HostBits = Uint32Array

/** The verdicts of one filter for one kind of request. They stay valid for hosts that do not change. */
export interface CachedVerdicts {
  /** The hosts whose verdict is in `passed` and `failed`. */
  readonly known: HostBits
  /** The hosts that pass. Only the bits of known hosts have a meaning. */
  readonly passed: HostBits
  /** The hosts for which the filter threw, or returned neither true nor false. Only the bits of known hosts have a meaning. */
  readonly failed: HostBits
}

interface Entry extends CachedVerdicts {
  readonly bytes: number
  /** The count of changes in the host table's feed that the entry has followed. */
  followed: number
}

/** The cached verdicts of a fleet use at most about this many bytes. If there are more, the least recently used are dropped. */
const MAX_BYTES = 33_554_432
/**
 * The name under which the verdicts of a filter for a request are cached. Undefined if the verdicts depend on more than the host's own
 * state, as for an instance that moves, or for a filter that reads documents of other services.
 */
export function cacheNameOf({ filter, options }: CompiledFilter, request: RequestSpec, fleet: Fleet): string | undefined {
  if (filter.cacheKey === undefined || fleet.hosts.mover !== null) return undefined
  if (fieldsIn(readsOf(filter.reads, options)).size > 0) return undefined
  const key = filter.cacheKey(request, options, fleet)
  return key === undefined ? undefined : `${numberOf(filter)} ${textOf(options)}\u0000${key}`
}

let filters = 0
/** A number for each filter, because a filter of Nova can have the same name as one of this service. */
const numberOf = memoByObject((_filter: Filter) => filters++)

const textOf = memoByObject((options: FilterOptions) => canonicalJson(options))

export const wordsFor = (hosts: number): number => Math.ceil(hosts / 32)

const caches = new WeakMap<Fleet, Recent<Entry>>()

/**
 * The cached verdicts for a key at the feature level of the fleet. Hosts that changed since the last call for the key are not known. The
 * caller adds verdicts. The result is valid until the fleet changes.
 */
export function cachedVerdicts(fleet: Fleet, name: string): CachedVerdicts {
  const { count, changes } = fleet.hosts
  const key = `${fleet.featureLevel}\u0000${name}`
  const cache = caches.get(fleet) ?? new Recent<Entry>(MAX_BYTES)
  caches.set(fleet, cache)
  const found = cache.get(key)
  const entry = found === undefined || found.known.length < wordsFor(count) ? larger(found, fleet.hosts) : found
  const { known } = entry
  const isFollowed = changes.eachAfter(entry.followed, (host) => {
    const word = host >>> 5
    if (word < known.length) known[word] = (known[word] as number) & ~(1 << (host & 31))
  })
  if (!isFollowed) known.fill(0)
  entry.followed = changes.count
  if (entry !== found) cache.set(key, entry)
  return entry
}

/** An entry with bits for every host and for hosts that join later, and with the verdicts of `from`. */
function larger(from: Entry | undefined, { count, changes }: HostTable): Entry {
  const words = wordsFor(Math.ceil(count * 1.25))
  const [known, passed, failed] = [new Uint32Array(words), new Uint32Array(words), new Uint32Array(words)]
  const bytes = 3 * known.byteLength
  if (from === undefined) return { known, passed, failed, bytes, followed: changes.count }
  known.set(from.known)
  passed.set(from.passed)
  failed.set(from.failed)
  return { known, passed, failed, bytes, followed: from.followed }
}
