import type { Code } from '../../codes.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { HostIndex } from '../../host-index.ts'
import type { Profile } from '../../profiles/profile.ts'
import type { Reason } from '../../reason.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { FleetEdits } from '../edits.ts'

/** What would have to be other: what is asked, what is there, or how it is decided. */
export const changeKinds = ['REQUEST', 'FLEET', 'POLICY'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** One change, as people read it, and as it is made: exactly one of the last three says how. */
export interface ProposedChange {
  readonly kind: ChangeKind
  /** What changes: a field of the request, a host, a claim, an aggregate, a ratio, a filter. */
  readonly subject: string
  /** Null where there is nothing before. */
  readonly from: string | null
  readonly to: string
  /** How much is to be done or given up for it, from 1 (little) to 10; the table is in docs/what-if.md. */
  readonly effort: number
  /**
   * It overrides what somebody has decided, or a state that nobody chose: it is told only where neither another request nor waiting will do.
   */
  readonly lastResort?: boolean
  request?(request: RequestSpec): RequestSpec
  readonly edits?: Partial<FleetEdits>
  filters?(filters: Profile['filters']): Profile['filters']
  /** It is done by waiting: nobody has to do anything. */
  readonly waits?: boolean
  /**
   * What it is made of, where fewer may be enough, and the change that is made of some of it: claims that end by themselves, the first to end
   * first; or wishes of the request, by their paths. The last of them is the first that is left out.
   */
  readonly parts?: Parts
  /** Wishes of the request that it gives up, by their paths; with each goes what lies below it. */
  readonly gives?: readonly string[]
  /** A number that it changes: between both lies what may be enough. Where instances share hosts, more may do than one host has for one of them. */
  readonly number?: ChangedNumber
}

export interface ChangedNumber {
  readonly from: number
  readonly to: number
  /** How far apart the numbers are that it may be changed to; absent: 1. */
  readonly step?: number
  /** The same change to another number, so many steps away. */
  at(to: number): ProposedChange
  /**
   * The same change of what another request asks, where that may be another number: a change before it may have been left out, for which this
   * one was made. Undefined where that request asks nothing that it could change so.
   */
  of?(request: RequestSpec): ProposedChange | undefined
}

export interface Parts {
  readonly names: readonly string[]
  of(names: readonly string[]): ProposedChange
}

/** A host that a filter refuses, and what the filter says. */
export interface Refusal {
  readonly fleet: Fleet
  readonly request: RequestSpec
  readonly profile: Profile
  readonly host: HostIndex
  readonly filter: string
  readonly reason: Reason
}

/**
 * A way out of some reasons. The law (remedies.test.ts): it is asked only for reasons with one of its codes; each change
 * that it proposes, made alone, answers the reason: the filter lets the host through then, or refuses it for another one; it
 * proposes nothing where it knows no such change; it looks at the refusal only, changes nothing, and two changes of one subject are the same change. Whether
 * the request is placed then is not its affair: whoever shows a change to people has run it.
 */
export interface Remedy {
  readonly name: string
  readonly codes: readonly Code[]
  propose(refusal: Refusal): readonly ProposedChange[]
}
