import type { OutsideAnswer } from '../outside/answer.ts'
import type { PluginRef } from '../plugin/plugin-ref.ts'
import type { Intent } from '../request/intent.ts'
import type { PublishedSpec } from '../request/versions.ts'
import type { SolverRecord } from '../schedulers/solver/solution.ts'

/** A host chosen for an instance, or the next best, as the caller is told. */
export interface Destination {
  readonly host: string
  readonly node: string
  /** The total score. */
  readonly weight: number
  /** What the host could hold at most per resource class for the host's own double check (Nova's limits). */
  readonly limits: Readonly<Record<string, number>>
}

export interface SelectedDestination {
  readonly instance: string | null
  readonly selected: Destination
  /** Next best hosts, best first; nothing is claimed on them. */
  readonly alternates: readonly Destination[]
}

/** Hosts left after a filter. Filters of which the request asked nothing are left out: the profile lists them. */
export interface FilterCount {
  readonly filter: string
  readonly entered: number
  readonly passed: number
  /** Hosts that were refused because the filter failed on them; absent = 0. */
  readonly errors?: number
}

/** One of the best hosts: raw number per weigher in the profile's order, and the total. */
export interface RankedHost {
  readonly host: string
  readonly node: string
  readonly raw: readonly number[]
  readonly total: number
}

/** How one instance of a request was placed. */
export interface InstanceRecord {
  readonly candidates: number
  readonly filters: readonly FilterCount[]
  /** The best ten, best first. */
  readonly best: readonly RankedHost[]
  /** How many hosts shared the best total. */
  readonly tied: number
}

/**
 * What makes a decision again, bit for bit: the state is the log up to the basis, then the proposals before it in its
 * entry; the rest is here. Written once, into the entry that it became, or beside the log when nothing was claimed.
 */
export interface DecisionRecord {
  readonly id: string
  /** In the oldest version that says all of it. */
  readonly request: PublishedSpec
  /** name@number. */
  readonly profile: string
  readonly seed: string
  /** How often the request was decided, this time included. */
  readonly attempt: number
  readonly alternatesPerInstance: number
  readonly allOrNothing: boolean
  /** What the request was for; absent: CREATE. */
  readonly intent?: Intent
  /** Id of the claim that a move or a rebuild is of: the decision was made as if it were not there. */
  readonly source?: string
  /** Id of the claim that the same entry ends before: the destination of an earlier attempt to move the same claim. */
  readonly ends?: string
  readonly instances: readonly InstanceRecord[]
  /** What a solver answered, an input, and what became of it; only of the scheduler `solver`, for several instances. */
  readonly solver?: SolverRecord
  /** What parts outside of the process answered before it was decided, an input; absent: none was asked. */
  readonly outside?: readonly OutsideAnswer[]
  /** Why the scheduler of a plug-in gave nothing that could be taken, an input: that refused every host; absent: it did not fail. */
  readonly failure?: string
  /** Release of the core that decided. */
  readonly core: string
  /** The plug-ins whose parts the profile names, as this service had them; absent: none. */
  readonly plugins?: readonly PluginRef[]
}
