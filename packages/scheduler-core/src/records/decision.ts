import type { Intent } from '../request/intent.ts'
import type { PublishedSpec } from '../request/versions.ts'
import type { OutsideAnswer } from './answer.ts'
import type { PluginRef } from './plugin-ref.ts'
import type { SolverRecord } from './solution.ts'

/** A host chosen for an instance, or an alternate, in the form that the caller gets. */
export interface Destination {
  readonly host: string
  readonly node: string
  /** The total score. */
  readonly weight: number
  /** The maximum that the host could hold of each resource class, for the host's own check (Nova's limits). */
  readonly limits: Readonly<Record<string, number>>
}

export interface SelectedDestination {
  readonly instance: string | null
  readonly selected: Destination
  /** Alternates, best first; nothing is claimed on them. */
  readonly alternates: readonly Destination[]
}

/** Hosts left after a filter. Filters of which the request needs nothing are left out: the profile lists them. */
export interface FilterCount {
  readonly filter: string
  readonly entered: number
  readonly passed: number
  /** Hosts that were refused because the filter failed on them; absent = 0. */
  readonly errors?: number
}

/** One of the best hosts: the raw number per weigher in the profile's order, and the total. */
export interface RankedHost {
  readonly host: string
  readonly node: string
  readonly raw: readonly number[]
  readonly total: number
}

/** The result for one instance of a request. */
export interface InstanceRecord {
  readonly candidates: number
  readonly filters: readonly FilterCount[]
  /** The best ten, best first. */
  readonly best: readonly RankedHost[]
  /** The number of hosts that shared the best total. */
  readonly tied: number
}

/**
 * What a replay of a decision needs to be equal bit for bit: the state is the log up to the basis, then the proposals before it in its
 * entry; the rest is here. Written once, into the entry of the decision, or outside of the log when nothing was claimed.
 */
export interface DecisionRecord {
  readonly id: string
  /** In the oldest version that can express all of it. */
  readonly request: PublishedSpec
  /** name@number. */
  readonly profile: string
  readonly seed: string
  /** How many times the request was decided, including this time. */
  readonly attempt: number
  readonly alternatesPerInstance: number
  readonly allOrNothing: boolean
  /** The purpose of the request; absent: CREATE. */
  readonly intent?: Intent
  /** Id of the claim that is moved or rebuilt: the decision was made as if that claim did not exist. */
  readonly source?: string
  /** Id of the claim that the same entry ends before: the destination of an earlier attempt to move the same claim. */
  readonly ends?: string
  /** Its destination lists the instance, which has no claim: what it asks counts as free there. */
  readonly isListed?: true
  readonly instances: readonly InstanceRecord[]
  /** What a solver answered, which is an input, and how it was used; only with the scheduler `solver`, for several instances. */
  readonly solver?: SolverRecord
  /** What filters and weighers outside of the process answered before the decision, which is an input; absent: none was asked. */
  readonly outside?: readonly OutsideAnswer[]
  /** Why the scheduler of a plug-in gave no usable answer, which is an input: every host was refused for it; absent: it did not fail. */
  readonly failure?: string
  /** Release of the core that decided. */
  readonly core: string
  /** The plug-ins whose parts the profile names, as the deciding service had them; absent: none. */
  readonly plugins?: readonly PluginRef[]
}
