import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import type { ClaimPart } from '../records/change.ts'
import type { InstanceRecord, SelectedDestination } from '../records/decision.ts'
import type { Solution, SolverRecord } from '../records/solution.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { atOnce, HOSTS_AT_ONCE, type Steps, WHOLE } from '../values/steps.ts'

export interface SelectOptions {
  /** Seeds every random choice: the same seed, request and fleet give the same result. */
  readonly seed: string
  readonly alternatesPerInstance: number
  /** True: when one instance finds no host, none is placed. */
  readonly allOrNothing: boolean
  /** Ids of the claims, one for each instance. */
  readonly claimIds: readonly string[]
  /** The solver's answer, for the scheduler `solver`; other schedulers need none. */
  readonly solution?: Solution | undefined
}

export interface Selection {
  /** What each placed instance takes, in order; held in the overlay. Empty when nothing is placed. */
  readonly parts: readonly ClaimPart[]
  /** Parallel to `parts`. */
  readonly answer: readonly SelectedDestination[]
  /** The result of each instance that was tried, including the one that found no host. */
  readonly instances: readonly InstanceRecord[]
  /** How many instances could be placed, also if all-or-nothing discarded the result. */
  readonly found: number
  /** How the scheduler `solver` reached the result. */
  readonly solver?: SolverRecord
}

/**
 * Decides where the instances of a request go. The laws (scheduler.suite.ts): it never chooses a host that a filter refused; the same
 * fleet, request and seed give the same result; what it chooses is held in the overlay, and nothing else is; every refused host has a
 * reason; it changes nothing but the overlay.
 */
export interface Scheduler {
  readonly name: string
  select(request: RequestSpec, fleet: Fleet, overlay: Overlay, options: SelectOptions): Selection
  /** The same with a pause after each `slice` of hosts, by default HOSTS_AT_ONCE; nobody may use the fleet meanwhile. */
  selectInSteps(request: RequestSpec, fleet: Fleet, overlay: Overlay, options: SelectOptions, slice?: number): Steps<Selection>
}

/** A scheduler that decides a call without pauses, and a query in steps, by the same function. */
export const createScheduler = (
  name: string,
  place: (request: RequestSpec, fleet: Fleet, overlay: Overlay, options: SelectOptions, slice: number) => Steps<Selection>,
): Scheduler => ({
  name,
  select: (...asked) => atOnce(place(...asked, WHOLE)),
  selectInSteps: (request, fleet, overlay, options, slice = HOSTS_AT_ONCE) => place(request, fleet, overlay, options, slice),
})
