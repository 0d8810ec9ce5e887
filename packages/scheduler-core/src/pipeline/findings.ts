/** A value in place of a step's position: the host has left the fleet, and no filter was called for it. */

import type { ReasonCount } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { TieOrder } from './weighing/pick.ts'
import type { Weighed } from './weighing/run-weighers.ts'

export const NOT_THERE = 254
export const PASSES_ALL = 255
export interface ExaminedStep {
  readonly filter: string
  readonly asked: boolean
  /** The profile does not list this filter. It is called only for hosts that pass the profile's own filters (CompiledFilter.isNet). */
  readonly isNet: boolean
  readonly entered: number
  readonly passed: number
  /** The number of hosts that only this filter refuses. Meaningless if filters were not called after a first refusal. */
  readonly soleRejections: number
  readonly reasons: readonly ReasonCount[]
}

/** The result of a request for every host of a fleet at one time. It stays valid after the fleet has changed. */
export interface Findings {
  /** The number of hosts in the fleet. */
  readonly hostCount: number
  /**
   * True if no filter was called for a host that an earlier filter had refused. Then `refusedBy` contains only the first refusal, and sole
   * rejections are unknown.
   */
  readonly isShortCircuited: boolean
  readonly steps: readonly ExaminedStep[]
  /**
   * By host index: the index in `steps` of the first filter that refuses the host. PASSES_ALL if no filter refuses the host, and NOT_THERE
   * if the host has left the fleet.
   */
  readonly firstRefusing: Uint8Array
  /** By host index: 1 if the request admits the host, regardless of its free capacity (cause/admission.ts). */
  readonly admitted: Uint8Array
  readonly bytesPerHost: number
  /** `bytesPerHost` bytes for each host. Bit s is set if step s refuses the host, regardless of earlier steps. */
  readonly refusedBy: Uint8Array
  readonly weighed: Weighed
  /** The sources of hosts' own multipliers. One map for each weigher, in the order of `weighed.weighers`. */
  readonly multiplierSources: readonly ReadonlyMap<HostIndex, string>[]
  /** Indexes in `weighed.hosts`, best first. */
  readonly ranked: readonly number[]
  /** The order of hosts with equal totals. */
  readonly tieOrder: TieOrder
  /**
   * For each weigher with the multiplier 0: the normalised scores that it would give with a different multiplier. Some of Nova's weighers
   * give no scores if the multiplier is 0.
   */
  readonly awake: readonly (Float64Array | undefined)[]
}
