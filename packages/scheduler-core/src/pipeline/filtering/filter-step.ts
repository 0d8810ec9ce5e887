import type { Admits } from '../../contracts/filter.ts'
import type { PreparedFilter } from '../../text/prepared-filter.ts'
import type { HostIndex } from '../../values/host-index.ts'

/**
 * A filter prepared for one request. `prepared` is undefined if the request needs nothing from the filter. `failed` means that preparing it
 * threw `error`.
 */
export interface FilterStep {
  readonly name: string
  readonly prepared: PreparedFilter | undefined
  readonly failed: boolean
  readonly error?: unknown
  /** See `CompiledFilter.isNet`. */
  readonly isNet: boolean
  readonly isOutside: boolean
  /** See `Filter.readsHostOnly`. */
  readonly readsHostOnly: boolean
  /** See `Filter.readsOtherHosts`. True for a plug-in's filter that does not declare it. */
  readonly readsOtherHosts: boolean
  /** See `Filter.admits`. */
  readonly admits: Admits | undefined
  /** Set only for the first step, which selects candidates: see CandidatesFilter. */
  readonly named?: readonly HostIndex[]
}
