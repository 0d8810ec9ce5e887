import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import type { ClaimPart } from '../records/change.ts'
import type { InstanceRecord, SelectedDestination } from '../records/decision.ts'
import type { Solution, SolverRecord } from '../records/solution.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { atOnce, HOSTS_AT_ONCE, type Steps, WHOLE } from '../values/steps.ts'

export interface SelectOptions {
  /** The seed of all random choices. The same seed, request and fleet give the same result. */
  readonly seed: string
  readonly alternatesPerInstance: number
  /** If true, no instance is placed unless all instances find a host. */
  readonly allOrNothing: boolean
  /** Ids of the claims, one for each instance. */
  readonly claimIds: readonly string[]
  /** The solver's answer, for the scheduler SOLVER only. */
  readonly solution?: Solution | undefined
}

export interface Selection {
  /** The grants of each placed instance, in order; held in the overlay. Empty if nothing is placed. */
  readonly parts: readonly ClaimPart[]
  /** The answer for each placed instance, in the order of `parts`. */
  readonly answer: readonly SelectedDestination[]
  /** The result of each instance that was tried, including the one that found no host. */
  readonly instances: readonly InstanceRecord[]
  /** The number of instances that could be placed, even if all-or-nothing discarded the result. */
  readonly found: number
  /** How the scheduler SOLVER reached the result. */
  readonly solver?: SolverRecord
}

/**
 * Decides on which hosts the instances of a request are placed. The laws (scheduler.suite.ts): it never chooses a host that a filter
 * refused. The same fleet, request and seed give the same result. The overlay then holds exactly what it chose. Every refused host has a
 * reason. It changes nothing but the overlay.
 */
export interface Scheduler {
  readonly name: string
  select(request: RequestSpec, fleet: Fleet, overlay: Overlay, options: SelectOptions): Selection
  /**
   * `select` as a generator that yields after each `slice` of hosts, by default HOSTS_AT_ONCE. No other code may use the fleet until it
   * ends.
   */
  selectInSteps(request: RequestSpec, fleet: Fleet, overlay: Overlay, options: SelectOptions, slice?: number): Steps<Selection>
}

/** Creates a scheduler from one generator function. It runs to its end for a call, and in steps for a query. */
export const createScheduler = (
  name: string,
  place: (request: RequestSpec, fleet: Fleet, overlay: Overlay, options: SelectOptions, slice: number) => Steps<Selection>,
): Scheduler => ({
  name,
  select: (...asked) => atOnce(place(...asked, WHOLE)),
  selectInSteps: (request, fleet, overlay, options, slice = HOSTS_AT_ONCE) => place(request, fleet, overlay, options, slice),
})
