import type { StatsField } from '../../report/stats-fields.ts'
import type { HostState } from '../objects/host-state.ts'
import type { CheckContext } from './nova-filter.ts'

/**
 * The rules of a service that claims resources for placed instances. If a filter fails on a host, this host is refused, whereas Nova would
 * end the request.
 */
export interface ServiceRules {
  /** The context of the filters, in addition to request and host. */
  readonly context: Omit<CheckContext, 'now'>
  /** The checks of Placement. They run once per request, before Nova's filters, and also on forced hosts. */
  readonly before: readonly HostRule[]
  /** The checks of free resources. They run after Nova's filters, and also on forced hosts, because a claim needs free resources. */
  readonly nets: readonly HostRule[]
  /** Filters that run last. A host that only these filters refuse is checked again for later instances, because they may pass it then. */
  readonly askedAgain: readonly HostRule[]
  /** Whether a host reports all of these fields; absent if every host does. */
  isReported?(host: HostState, fields: readonly StatsField[]): boolean
  /**
   * Whether the moving instance can keep units that it already holds on a host, for the kinds of units that a filter checks. Absent if no
   * instance moves.
   */
  keepsOwn?(filter: string, host: HostState): boolean
  /** Takes the resources of a picked host's instance, before the next round. */
  take(host: HostState, index: number): void
}
export interface HostRule {
  readonly name: string
  passes(host: HostState): boolean
}
