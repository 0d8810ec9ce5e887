import type { Reason, ReasonCount } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { TieOrder } from './weighing/pick.ts'
import type { Weighed } from './weighing/run-weighers.ts'

/** The value in `Findings.firstRefusing` for a host that has left the fleet. No filter is called for such a host. */
export const NOT_PRESENT = 254
/** The value in `Findings.firstRefusing` for a host that no filter refuses. */
export const PASSES_ALL = 255
export interface ExaminedStep {
  readonly filter: string
  readonly asked: boolean
  /**
   * True if the profile does not list the filter. The filter then runs only on hosts that pass the profile's own filters
   * (CompiledFilter.isNet).
   */
  readonly isNet: boolean
  readonly entered: number
  readonly passed: number
  /** The count of hosts that only this filter refuses. Meaningless if `isShortCircuited` is true. */
  readonly soleRejections: number
  readonly reasons: readonly ReasonCount[]
}

/**
 * The verdicts and scores that a request gets for every host of a fleet at one position of the log. Later changes of the fleet do not
 * affect this object.
 */
export interface Findings {
  /** The count of hosts in the fleet. */
  readonly hostCount: number
  /**
   * True if each host was filtered only up to its first refusal. `refusedBy` then contains only the first refusal, and `soleRejections` is
   * meaningless.
   */
  readonly isShortCircuited: boolean
  readonly steps: readonly ExaminedStep[]
  /**
   * For each host index, the index in `steps` of the first filter that refuses the host. PASSES_ALL if no filter refuses the host, and
   * NOT_PRESENT if the host has left the fleet.
   */
  readonly firstRefusing: Uint8Array
  /** For each host index, 1 if the request admits the host, regardless of the host's free capacity (cause/admission.ts). */
  readonly admitted: Uint8Array
  readonly bytesPerHost: number
  /**
   * `bytesPerHost` bytes for each host. Bit s is set if step s refuses the host, even if an earlier step refuses the host too. Nets and
   * filters outside of this process do not refuse hosts that an earlier step refuses.
   */
  readonly refusedBy: Uint8Array
  readonly weighed: Weighed
  /** Where a host's own multiplier comes from, such as an aggregate. One map for each weigher, in the order of `weighed.weighers`. */
  readonly multiplierSources: readonly ReadonlyMap<HostIndex, string>[]
  /**
   * Why a host has no score of its own, because it does not report what a weigher reads. The host then has the lowest score of the other
   * hosts. One map for each weigher, in the order of `weighed.weighers`.
   */
  readonly unscored: readonly ReadonlyMap<HostIndex, Reason>[]
  /** The hosts as indexes in `weighed.hosts`, best first. */
  readonly ranked: readonly number[]
  /** The order of hosts with equal totals. */
  readonly tieOrder: TieOrder
  /**
   * For each weigher with the multiplier 0, the normalised scores that it would give with another multiplier. With the multiplier 0, some
   * of Nova's weighers give no scores. Undefined for other weighers.
   */
  readonly awake: readonly (Float64Array | undefined)[]
}
