import type { Admits } from '../../contracts/filter.ts'
import type { PreparedFilter } from '../../text/prepared-filter.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'

/** The same steps without kept verdicts, so that each filter is called for every remaining host. */
export const withoutKept = (steps: readonly FilterStep[]): readonly FilterStep[] => steps.map((step) => ({ ...step, cacheName: undefined }))

/**
 * A filter prepared for one request. `prepared` is undefined if the filter does not apply to the request. If `failed` is true, preparing
 * the filter threw `error`.
 */
export interface FilterStep {
  readonly name: string
  readonly prepared: PreparedFilter | undefined
  readonly failed: boolean
  readonly error?: unknown
  /** Completes a reason that the filter gives (namespaces/reader-in-use.ts). Absent: reasons are complete. */
  readonly complete?: (reason: Reason) => Reason
  /** See `CompiledFilter.isNet`. */
  readonly isNet: boolean
  readonly isOutside: boolean
  /** See `Filter.readsHostOnly`. */
  readonly readsHostOnly: boolean
  /** See `Filter.readsOtherHosts`. True for a plug-in's filter that declares neither `readsHostOnly` nor `readsOtherHosts`. */
  readonly readsOtherHosts: boolean
  /** The key under which the verdicts of this step are cached. Undefined if they are not. */
  readonly cacheName: string | undefined
  /** See `Filter.admits`. */
  readonly admits: Admits | undefined
  /** See `CandidatesFilter`. Set only for the first step, which selects the candidates. */
  readonly named?: readonly HostIndex[]
}
