/** Used instead of a step: the host is gone, and no filter was called for it. */

import type { ReasonCount } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { TieOrder } from './weighing/pick.ts'
import type { Weighed } from './weighing/run-weighers.ts'

export const NOT_THERE = 254
export const PASSES_ALL = 255
export interface ExaminedStep {
  readonly filter: string
  readonly asked: boolean
  /** Not listed by the profile: called only for hosts that the profile's own filters let through (CompiledFilter.isNet). */
  readonly isNet: boolean
  readonly entered: number
  readonly passed: number
  /**
   * Hosts that only this filter refuses: without it they would have passed everything. Meaningless where filters were not called after a
   * first refusal.
   */
  readonly soleRejections: number
  readonly reasons: readonly ReasonCount[]
}

/** The result of a request on a fleet at one time, host by host; it remains valid after the fleet has changed. */
export interface Findings {
  /** The number of hosts in the fleet. */
  readonly hostCount: number
  /**
   * True if no filter was called for a host that an earlier one had refused: `refusedBy` then contains only the first
   * refusal, and sole rejections are unknown.
   */
  readonly isShortCircuited: boolean
  readonly steps: readonly ExaminedStep[]
  /** Position in `steps` of the first filter that refuses each host, by index; PASSES_ALL, or NOT_THERE where the host is gone. */
  readonly firstRefusing: Uint8Array
  /** By index: 1 where the request admits the host, whatever is free there (cause/admission.ts). */
  readonly admitted: Uint8Array
  readonly bytesPerHost: number
  /** `bytesPerHost` bytes for each host: bit s is set if step s refuses the host, regardless of the steps before it. */
  readonly refusedBy: Uint8Array
  readonly weighed: Weighed
  /** The source of a host's own multiplier; by weigher, in the order of `weighed.weighers`. */
  readonly multiplierSources: readonly ReadonlyMap<HostIndex, string>[]
  /** Positions in `weighed.hosts`, best first. */
  readonly ranked: readonly number[]
  /** The order of hosts with equal totals. */
  readonly tieOrder: TieOrder
  /**
   * By weigher, where its multiplier is 0: the scaled numbers as they would be with another multiplier. Some of Nova's weighers give no
   * numbers at 0.
   */
  readonly awake: readonly (Float64Array | undefined)[]
}
