import type { CompiledProfile } from '../../contracts/compiled-profile.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Grants } from '../../records/change.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { CURRENT_SPEC_VERSION, specSchemas } from '../../request/versions.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { memoByObject } from '../../values/memo.ts'
import type { FilterStep } from '../filtering/filter-step.ts'
import { isAsked } from '../filtering/run-filters.ts'
import { Recent } from '../recent.ts'
import type { WeighStep } from '../weighing/run-weighers.ts'
import type { IndexedSearch } from './best-hosts.ts'

/** What is prepared once for all instances with the same demands. It has no state that belongs to a single request. */
export interface PreparedKind {
  readonly filters: readonly FilterStep[]
  readonly weighers: readonly WeighStep[]
  /** Undefined if every host must be examined. */
  readonly indexed: IndexedSearch | undefined
  readonly grantsOn: (host: HostIndex) => Grants
  readonly limitsOf: (host: HostIndex) => Record<string, number>
}

/** The kept kinds of a fleet use at most about this many bytes. If there are more, the least recently used are dropped. */
const MAX_BYTES = 16_777_216
/** An estimate of the bytes of a prepared kind without the fields of its request, which its key contains too. */
const KIND_BYTES = 16_384

/**
 * What was prepared for kinds of requests, for later requests of the same kind. Everything is discarded as soon as more than claims
 * changed, because filters and weighers can hold data of the fleet that only claims leave as they are.
 */
export class KeptKinds {
  readonly #fleet: Fleet
  #kinds = new Recent<PreparedKind & { readonly bytes: number }>(MAX_BYTES)
  #changes: number
  #replacements: number

  constructor(fleet: Fleet) {
    this.#fleet = fleet
    this.#changes = fleet.changesBeyondClaims
    this.#replacements = fleet.hosts.columnReplacements
  }

  get size(): number {
    return this.#kinds.size
  }

  get(key: string): PreparedKind | undefined {
    this.#forgetIfChanged()
    return this.#kinds.get(key)
  }

  set(key: string, kind: PreparedKind): void {
    this.#forgetIfChanged()
    this.#kinds.set(key, { ...kind, bytes: KIND_BYTES + 2 * key.length })
  }

  #forgetIfChanged(): void {
    const { changesBeyondClaims, hosts } = this.#fleet
    if (changesBeyondClaims === this.#changes && hosts.columnReplacements === this.#replacements) return
    this.#changes = changesBeyondClaims
    this.#replacements = hosts.columnReplacements
    if (this.#kinds.size > 0) this.#kinds = new Recent(MAX_BYTES)
  }
}

/**
 * A text that is equal for requests that are prepared in the same way: they differ only in the UUIDs of their instances. The order of the
 * fields counts, because answers list amounts in this order. Undefined for kinds that are not kept: of members of groups, of topology
 * spreads, of instances that move, and of profiles with parts of plug-ins or outside of this process.
 */
export function kindKeyOf(
  compiled: CompiledProfile,
  request: RequestSpec,
  { hosts }: Fleet,
  count: number,
  slice: number,
): string | undefined {
  if (request.instanceGroup !== null || request.topologySpread.length > 0 || hosts.mover !== null) return undefined
  if (compiled.plugins.length > 0 || compiled.asks.length > 0) return undefined
  const last = lastKeys.get(request.flavor)
  if (last?.compiled === compiled && last.count === count && last.slice === slice && isSameKind(last.request, request)) return last.key
  const { instanceUuids: _, ...read } = request
  const key = `${numberOf(compiled)} ${count} ${slice} ${JSON.stringify(read)}`
  lastKeys.set(request.flavor, { compiled, count, slice, request, key })
  return key
}

interface LastKey {
  readonly compiled: CompiledProfile
  readonly count: number
  readonly slice: number
  readonly request: RequestSpec
  readonly key: string
}

/** The last key for each flavor. Requests that were accepted as repetitions share their values (`forInstances`), so the key is found here. */
const lastKeys = new WeakMap<RequestSpec['flavor'], LastKey>()

/** True if two requests have the same values in all fields but the UUIDs of their instances. */
function isSameKind(one: RequestSpec, other: RequestSpec): boolean {
  for (const field of fields) if (one[field] !== other[field]) return false
  return true
}

const fields = (Object.keys(specSchemas[CURRENT_SPEC_VERSION].in.shape) as (keyof RequestSpec)[]).filter(
  (field) => field !== 'instanceUuids',
)

let profiles = 0
const numberOf = memoByObject((_compiled: CompiledProfile) => profiles++)

/** True if what was prepared stays valid while only claims change. See `Filter.cacheKey` and `Weigher.prepare`. */
export const canBeKept = ({ filters, weighers, indexed }: PreparedKind): boolean =>
  indexed !== undefined &&
  filters.every((step) => !isAsked(step) || step.cacheName !== undefined) &&
  weighers.every(({ isPlain }) => isPlain)
