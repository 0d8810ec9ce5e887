import type { Intent } from '../request/intent.ts'
import type { PublishedSpec } from '../request/versions.ts'
import type { OutsideAnswer } from './answer.ts'
import type { PluginRef } from './plugin-ref.ts'
import type { SolverRecord } from './solution.ts'

/** The chosen host of an instance, or an alternate, as it is written in the answer to the caller. */
export interface Destination {
  readonly host: string
  readonly node: string
  /** The total score. */
  readonly weight: number
  /**
   * The maximum amount of each resource class on the host. The host can check these amounts again, as nova-compute does with Nova's limits.
   */
  readonly limits: Readonly<Record<string, number>>
}

export interface SelectedDestination {
  readonly instance: string | null
  readonly selected: Destination
  /** The next best hosts, best first. No resources are claimed on them. */
  readonly alternates: readonly Destination[]
}

/** How many hosts entered a filter, and how many passed it. Filters that do not apply to the request are left out of records. */
export interface FilterCount {
  readonly filter: string
  readonly entered: number
  readonly passed: number
  /** The count of hosts that were refused because the filter failed. Absent means 0. */
  readonly errors?: number
}

/** One of the best hosts. It has its raw score from each weigher, in the order of the profile, and its total score. */
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
  /** The count of hosts that had the best total. */
  readonly tied: number
}

/**
 * The record of a decision. A replay of the record gives exactly the same result. The replay uses the fleet at the log position on which
 * the entry is based, and treats the earlier proposals of the same entry as accepted. All other inputs are in the record. The record is
 * written into the entry of the decision. If nothing was claimed, the record is stored outside of the log.
 */
export interface DecisionRecord {
  readonly id: string
  /** The request, in the oldest published version that has all fields of the request. */
  readonly request: PublishedSpec
  /** The profile as name@number. */
  readonly profile: string
  readonly seed: string
  /** How many times the request was decided, including this decision. */
  readonly attempt: number
  readonly alternatesPerInstance: number
  readonly allOrNothing: boolean
  /** The purpose of the request. Absent for CREATE. */
  readonly intent?: Intent
  /**
   * The id of the claim that is moved or rebuilt. The decision treats the claim's resources as free on the claim's host. They stay reserved
   * only for a move that needs cells, CPUs or devices on this host which do not belong to the claim.
   */
  readonly source?: string
  /** For a further attempt to move an instance: the id of the destination claim that the entry releases. */
  readonly ends?: string
  /**
   * True if the decision is for an instance without a claim that the destination host lists. The requested resources are then treated as
   * free on this host.
   */
  readonly isListed?: true
  readonly instances: readonly InstanceRecord[]
  /**
   * The answer of a solver, which is an input of the decision, and how it was used. Present only if the scheduler is `solver`, and the
   * request has several instances or is one of several moves that were solved together.
   */
  readonly solver?: SolverRecord
  /** The answers of filters and weighers outside of the process, which are inputs of the decision. Absent if there were no such answers. */
  readonly outside?: readonly OutsideAnswer[]
  /**
   * The reason for which the scheduler of a plug-in gave no usable answer. This failure is an input of the decision: every host was refused
   * because of it. Absent if the scheduler did not fail.
   */
  readonly failure?: string
  /** The version of the decision rules (`CORE_VERSION`) that made the decision. */
  readonly core: string
  /**
   * The plug-ins whose filters, weighers or scheduler the profile names, with the versions that the deciding service had. Absent if the
   * profile names no plug-in's filters, weighers or scheduler.
   */
  readonly plugins?: readonly PluginRef[]
}
