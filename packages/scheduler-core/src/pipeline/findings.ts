/** In the place of a step: the host is gone, and nobody was asked about it. */

import type { HostIndex } from '../host-index.ts'
import type { ReasonCount } from '../reason.ts'
import type { TieOrder } from './pick.ts'
import type { Weighed } from './run-weighers.ts'

export const NOT_THERE = 254
export const PASSES_ALL = 255
export interface ExaminedStep {
  readonly filter: string
  readonly asked: boolean
  /** Not of the profile: asked only of hosts that the profile's own filters let through (CompiledFilter.isNet). */
  readonly isNet: boolean
  readonly entered: number
  readonly passed: number
  /** Hosts that this filter alone refuses: without it they would have passed everything. Means nothing short-circuited. */
  readonly soleRejections: number
  readonly reasons: readonly ReasonCount[]
}

/** Everything that a request meets on a fleet at one moment, host by host; it holds when the fleet has moved on. */
export interface Findings {
  /** Hosts that are there. */
  readonly hostCount: number
  /** No filter was asked of a host that one before it had refused: `refusedBy` has the first refusal only, and sole rejections are not known. */
  readonly isShortCircuited: boolean
  readonly steps: readonly ExaminedStep[]
  /** Position in `steps` of the first filter that refuses each host, by index; PASSES_ALL, or NOT_THERE where the host is gone. */
  readonly firstRefusing: Uint8Array
  /** By index: 1 where the request is about the host, whatever is free there (cause/admission.ts). */
  readonly admitted: Uint8Array
  readonly bytesPerHost: number
  /** `bytesPerHost` bytes for each host: bit s is set where step s refuses it, whatever those before it said. */
  readonly refusedBy: Uint8Array
  readonly weighed: Weighed
  /** Who gave a host the multiplier that is its own; by weigher, as in `weighed.weighers`. */
  readonly multiplierSources: readonly ReadonlyMap<HostIndex, string>[]
  /** Positions in `weighed.hosts`, best first. */
  readonly ranked: readonly number[]
  /** The order of hosts with equal totals. */
  readonly tieOrder: TieOrder
  /** By weigher, where its multiplier is 0: the scaled numbers as they are with any other. Some of Nova's weighers look away at 0. */
  readonly awake: readonly (Float64Array | undefined)[]
}
