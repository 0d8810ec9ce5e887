import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import type { ClaimPart } from '../records/change.ts'
import type { InstanceRecord, SelectedDestination } from '../records/decision.ts'
import type { Profile } from '../records/profile.ts'
import type { Solution, SolverRecord } from '../records/solution.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { atOnce, HOSTS_AT_ONCE, type Steps, WHOLE } from '../values/steps.ts'

export interface SelectOptions {
  /** The seed of all random choices. The same seed, request and fleet give the same result. */
  readonly seed: string
  readonly alternatesPerInstance: number
  /** If true, no instance is placed unless all instances find a host. */
  readonly allOrNothing: boolean
  /** The ids for the new claims, one for each instance. */
  readonly claimIds: readonly string[]
  /** The solver's answer. Present only for the scheduler `solver`. */
  readonly solution?: Solution | undefined
  /** True if the instances are explained afterwards. `Selection.judged` is set only then, because it keeps lists of hosts in memory. */
  readonly isExplained?: boolean | undefined
  /** True if every filter is to be called for every host, without kept verdicts and without an index. The result is the same, bit for bit. */
  readonly isExhaustive?: boolean | undefined
}

export interface Selection {
  /**
   * The host of each placed instance and the resources that the instance gets there. The overlay reserves these resources. Empty if no
   * instance is placed.
   */
  readonly parts: readonly ClaimPart[]
  /** The answer for each placed instance, in the order of `parts`. */
  readonly answer: readonly SelectedDestination[]
  /** The record of each instance that was tried, including the instance that found no host. */
  readonly instances: readonly InstanceRecord[]
  /** The count of instances that could be placed, even if they were not placed because of `allOrNothing`. */
  readonly found: number
  /** How the scheduler `solver` reached the result. Absent for other schedulers. */
  readonly solver?: SolverRecord
  /**
   * The profile by which the instances are explained (pipeline/rounds.ts). Absent if each instance was decided only by the fleet, in which
   * the earlier instances hold their resources.
   */
  readonly judged?: Profile
}

/**
 * Decides on which hosts the instances of a request are placed. scheduler.suite.ts tests these laws: A scheduler never chooses a host that
 * a filter refused. The same fleet, request and seed give the same result. Afterwards the overlay reserves exactly the resources of the
 * placed instances. Every refused host has a reason. A scheduler changes only the overlay.
 */
export interface Scheduler {
  readonly name: string
  select(request: RequestSpec, fleet: Fleet, overlay: Overlay, options: SelectOptions): Selection
  /**
   * `select` as a generator that yields each time it has examined `slice` hosts (default: HOSTS_AT_ONCE). No other code may use the fleet
   * until the generator ends.
   */
  selectInSteps(request: RequestSpec, fleet: Fleet, overlay: Overlay, options: SelectOptions, slice?: number): Steps<Selection>
}

/** Creates a scheduler from one generator function. `select` runs the generator to its end, and `selectInSteps` runs it in steps. */
export const createScheduler = (
  name: string,
  place: (request: RequestSpec, fleet: Fleet, overlay: Overlay, options: SelectOptions, slice: number) => Steps<Selection>,
): Scheduler => ({
  name,
  select: (...asked) => atOnce(place(...asked, WHOLE)),
  selectInSteps: (request, fleet, overlay, options, slice = HOSTS_AT_ONCE) => place(request, fleet, overlay, options, slice),
})
