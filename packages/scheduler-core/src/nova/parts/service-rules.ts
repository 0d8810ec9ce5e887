import type { Read } from '../../report/stats-fields.ts'
import type { HostState } from '../objects/host-state.ts'
import type { CheckContext } from './nova-filter.ts'

/**
 * The rules that this service adds to Nova's algorithm, because it claims the resources of placed instances. With these rules, a filter
 * that throws an error on a host refuses this host. Nova would end the request.
 */
export interface ServiceRules {
  /** What the filters need to know in addition to request, host and time. */
  readonly context: Omit<CheckContext, 'now'>
  /** The filters that replace Placement. They run once per request, before Nova's filters, and also on forced hosts. */
  readonly before: readonly HostRule[]
  /** The filters for free resources. They run after Nova's filters, and also on forced hosts, because a claim needs free resources. */
  readonly nets: readonly HostRule[]
  /** Filters that run last. A host that only these filters refuse is checked again for later instances, because it can pass then. */
  readonly askedAgain: readonly HostRule[]
  /** Returns true if a host omits none of these fields from its report. Absent if no host omits a field. */
  isReported?(host: HostState, fields: readonly Read[]): boolean
  /** Returns true if at least one aggregate has the metadata key of a multiplier. Absent if any aggregate can have it. */
  isMultiplierSet?(key: string): boolean
  /**
   * Returns true if the instance that moves or is resized already uses enough units on the host (NUMA cells or PCI devices) of the kind
   * that the filter checks. Absent if the request is for a new instance.
   */
  keepsOwn?(filter: string, host: HostState): boolean
  /** Called after a host was chosen for an instance. Reserves the instance's resources before the next round. */
  take(host: HostState, index: number): void
}
export interface HostRule {
  readonly name: string
  passes(host: HostState): boolean
}
