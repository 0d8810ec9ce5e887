import type { Admits } from '../../contracts/filter.ts'
import type { PreparedFilter } from '../../text/prepared-filter.ts'
import type { HostIndex } from '../../values/host-index.ts'

/**
 * A filter prepared for one request; `prepared` is undefined if the request needs nothing of the filter; `failed`
 * means that preparing it threw `error`.
 */
export interface FilterStep {
  readonly name: string
  readonly prepared: PreparedFilter | undefined
  readonly failed: boolean
  readonly error?: unknown
  /** See CompiledFilter. */
  readonly isNet: boolean
  readonly isOutside: boolean
  /** See Filter. */
  readonly readsHostOnly: boolean
  /** See Filter; for a plug-in's filter that leaves it open it is true. */
  readonly readsOtherHosts: boolean
  /** See Filter. */
  readonly admits: Admits | undefined
  /** Set only for the step for candidates: see CandidatesFilter. */
  readonly named?: readonly HostIndex[]
}
