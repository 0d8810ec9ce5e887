import type { StatsField } from '../../report/stats-fields.ts'
import type { HostState } from '../objects/host-state.ts'
import type { CheckContext } from './nova-filter.ts'

/** The rules of a service that claims what it places. A filter that fails on a host refuses that host, where Nova would end the request. */
export interface ServiceRules {
  /** The context of the filters, in addition to request and host. */
  readonly context: Omit<CheckContext, 'now'>
  /** The checks of Placement, which run once a request, before Nova's filters, and on forced hosts too. */
  readonly before: readonly HostRule[]
  /** Run after Nova's filters, and on forced hosts too: without the room no claim holds. */
  readonly nets: readonly HostRule[]
  /** Run last: a host that only these refuse may be admitted for a later instance, and is checked again. */
  readonly askedAgain: readonly HostRule[]
  /** Whether a host reports all of these fields; absent if every host does. */
  isReported?(host: HostState, fields: readonly StatsField[]): boolean
  /** Whether the moving instance may keep a part of what it holds on a host, of the units that a filter checks; absent: none moves. */
  keepsOwn?(filter: string, host: HostState): boolean
  /** Takes the room of a pick, before the next round. */
  take(host: HostState, index: number): void
}
export interface HostRule {
  readonly name: string
  passes(host: HostState): boolean
}
