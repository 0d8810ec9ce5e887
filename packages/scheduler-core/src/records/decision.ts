import type { Intent } from '../request/intent.ts'
import type { PublishedSpec } from '../request/versions.ts'
import type { OutsideAnswer } from './answer.ts'
import type { PluginRef } from './plugin-ref.ts'
import type { SolverRecord } from './solution.ts'

/** A host that was chosen for an instance, or an alternate, in the form that the caller gets. */
export interface Destination {
  readonly host: string
  readonly node: string
  /** The total score. */
  readonly weight: number
  /** The maximum amount of each resource class on the host, for the host's own check (Nova's limits). */
  readonly limits: Readonly<Record<string, number>>
}

export interface SelectedDestination {
  readonly instance: string | null
  readonly selected: Destination
  /** Alternates, best first. Nothing is claimed on them. */
  readonly alternates: readonly Destination[]
}

/** The number of hosts left after a filter. Filters that do not apply to the request are omitted, because the profile lists all filters. */
export interface FilterCount {
  readonly filter: string
  readonly entered: number
  readonly passed: number
  /** The number of hosts that were refused because the filter failed on them. Absent means 0. */
  readonly errors?: number
}

/** One of the best hosts: its raw score from each weigher, in the order of the profile, and its total score. */
export interface RankedHost {
  readonly host: string
  readonly node: string
  readonly raw: readonly number[]
  readonly total: number
}

/** The recorded result for one instance of a request. */
export interface InstanceRecord {
  readonly candidates: number
  readonly filters: readonly FilterCount[]
  /** The ten best hosts, best first. */
  readonly best: readonly RankedHost[]
  /** The number of hosts that shared the best total. */
  readonly tied: number
}

/**
 * The record of a decision. With it, a replay gives exactly the same result. The state for the replay is the log up to the basis and the
 * earlier proposals of the same entry. All other inputs are in the record. It is written once, into the entry of the decision, or outside
 * of the log if nothing was claimed.
 */
export interface DecisionRecord {
  readonly id: string
  /** The request in the oldest published version that can express all of it. */
  readonly request: PublishedSpec
  /** The profile as name@number. */
  readonly profile: string
  readonly seed: string
  /** How many times the request has been decided, including this decision. */
  readonly attempt: number
  readonly alternatesPerInstance: number
  readonly allOrNothing: boolean
  /** The purpose of the request. Absent for CREATE. */
  readonly intent?: Intent
  /** The id of the claim that is moved or rebuilt. The decision was made as if this claim did not exist. */
  readonly source?: string
  /** The id of a claim that the same entry ends first: the destination of an earlier attempt to move the same claim. */
  readonly ends?: string
  /** True if the destination host lists the instance, which has no claim. The requested resources count as free on this host. */
  readonly isListed?: true
  readonly instances: readonly InstanceRecord[]
  /** The answer of a solver, which is an input, and how it was used. Present only with the scheduler `solver`, for several instances. */
  readonly solver?: SolverRecord
  /** The answers of filters and weighers outside of the process, which are inputs. Absent if there were none. */
  readonly outside?: readonly OutsideAnswer[]
  /**
   * The reason for which the scheduler of a plug-in gave no usable answer. It is an input of the decision: every host was refused for this
   * reason. Absent if the scheduler did not fail.
   */
  readonly failure?: string
  /** Release of the core that decided. */
  readonly core: string
  /** The plug-ins with parts that the profile names, in the versions of the service that decided. Absent if there are none. */
  readonly plugins?: readonly PluginRef[]
}
