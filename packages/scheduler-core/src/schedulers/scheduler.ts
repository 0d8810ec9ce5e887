import type { InstanceRecord, SelectedDestination } from '../decision/decision.ts'
import type { ClaimPart } from '../fleet/change.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import { atOnce, HOSTS_AT_ONCE, type Steps, WHOLE } from '../fleet/steps.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Solution, SolverRecord } from './solver/solution.ts'

export interface SelectOptions {
  /** Seeds every random choice: the same seed, request and fleet give the same answer. */
  readonly seed: string
  readonly alternatesPerInstance: number
  /** True: when one instance finds no host, none is placed. */
  readonly allOrNothing: boolean
  /** Ids of the claims, one for each instance. */
  readonly claimIds: readonly string[]
  /** What a solver answered, for the scheduler `solver`; the others ask for none. */
  readonly solution?: Solution | undefined
}

export interface Selection {
  /** What each placed instance takes, in order; held in the overlay. Empty when nothing is placed. */
  readonly parts: readonly ClaimPart[]
  /** Parallel to `parts`. */
  readonly answer: readonly SelectedDestination[]
  /** How each instance fared that was tried, the one that found no host included. */
  readonly instances: readonly InstanceRecord[]
  /** How many instances found a host, also when all-or-nothing took them back. */
  readonly found: number
  /** How the scheduler `solver` came to it. */
  readonly solver?: SolverRecord
}

/**
 * Decides where the instances of a request go.
 *
 * The law (scheduler.suite.ts): it never chooses a host that a filter refused; the same fleet, request and seed give the
 * same answer; what it chooses is held in the overlay, and nothing else is; every refused host has a reason; it changes
 * nothing but the overlay.
 */
export interface Scheduler {
  readonly name: string
  select(request: RequestSpec, fleet: Fleet, overlay: Overlay, options: SelectOptions): Selection
  /** The same with a pause after each `slice` of hosts, HOSTS_AT_ONCE if not given; nobody may use the fleet in them. */
  selectInSteps(request: RequestSpec, fleet: Fleet, overlay: Overlay, options: SelectOptions, slice?: number): Steps<Selection>
}

/** A scheduler that decides a call at once, and a question in steps, by the same way of placing. */
export const createScheduler = (
  name: string,
  place: (request: RequestSpec, fleet: Fleet, overlay: Overlay, options: SelectOptions, slice: number) => Steps<Selection>,
): Scheduler => ({
  name,
  select: (...asked) => atOnce(place(...asked, WHOLE)),
  selectInSteps: (request, fleet, overlay, options, slice = HOSTS_AT_ONCE) => place(request, fleet, overlay, options, slice),
})
