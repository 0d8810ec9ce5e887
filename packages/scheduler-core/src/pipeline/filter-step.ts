import type { Admits } from '../filters/filter.ts'
import type { HostIndex } from '../host-index.ts'
import type { PreparedFilter } from '../prepared-filter.ts'

/** A filter made ready for one request; `prepared` undefined = nothing asked; `failed` = it threw while preparing, with `error`. */
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
  /** See Filter; of a plug-in's filter that says neither it is true. */
  readonly readsOtherHosts: boolean
  /** See Filter. */
  readonly admits: Admits | undefined
  /** Of the candidates step alone: see CandidatesFilter. */
  readonly named?: readonly HostIndex[]
}
