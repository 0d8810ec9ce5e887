import type { StatsField } from '../fleet/stats-fields.ts'
import type { HostState } from './host-state.ts'
import type { CheckContext } from './nova-filter.ts'

/** A service that claims what it places. A filter that fails on a host refuses that host, where Nova would end the request. */
export interface ServiceRules {
  /** What the filters are told beside request and host. */
  readonly context: Omit<CheckContext, 'now'>
  /** What Placement decides, once a request and on forced hosts too: asked before Nova's filters. */
  readonly before: readonly HostRule[]
  /** Asked after Nova's filters, and on forced hosts too: without the room no claim holds. */
  readonly nets: readonly HostRule[]
  /** Asked last: a host that only these refuse may be let in for a later instance, and is asked about again. */
  readonly askedAgain: readonly HostRule[]
  /** Whether a host reports all of these fields; absent: every host does. */
  isTold?(host: HostState, fields: readonly StatsField[]): boolean
  /** Whether the instance that moves may keep a part of what it holds on a host of the units that a filter looks at; absent: none moves. */
  keepsOwn?(filter: string, host: HostState): boolean
  /** Takes the room of a pick, before the next round looks. */
  take(host: HostState, index: number): void
}
export interface HostRule {
  readonly name: string
  passes(host: HostState): boolean
}
