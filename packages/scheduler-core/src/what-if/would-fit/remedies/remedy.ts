import type { Fleet } from '../../../fleet/fleet.ts'
import type { Profile } from '../../../records/profile.ts'
import type { RequestSpec } from '../../../request/request-spec.ts'
import type { Code } from '../../../text/codes.ts'
import type { Reason } from '../../../text/reason.ts'
import type { HostIndex } from '../../../values/host-index.ts'
import type { FleetEdits } from '../../edits.ts'

/** What a change is made to. REQUEST: the request. FLEET: the fleet. POLICY: the profile, or ratios and reserved amounts of hosts. */
export const changeKinds = ['REQUEST', 'FLEET', 'POLICY'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** A change, as text for users and as data. Exactly one of the fields `request`, `edits` and `filters` is set. */
export interface ProposedChange {
  readonly kind: ChangeKind
  /** The name of what is changed, as text: a field of the request, a host, a claim, an aggregate, a ratio or a filter. */
  readonly subject: string
  /** True if the subject ends with the name or number of a kind of instances in a gang. */
  readonly namesKind?: boolean
  /** The present value. Null if there is none. */
  readonly from: string | null
  readonly to: string
  /** The effort of the change for users and operators, from 1 (small) to 10 (large). */
  readonly effort: number
  /**
   * True if the change overrides a decision of an operator, softens or leaves a server group, releases a confirmed claim, or brings up a
   * host that is DOWN. Such a change is shown only if neither a harmless change of the request nor waiting suffices.
   */
  readonly lastResort?: boolean
  request?(request: RequestSpec): RequestSpec
  readonly edits?: Partial<FleetEdits>
  filters?(filters: Profile['filters']): Profile['filters']
  /** True if the change is only to wait for the end of claims. */
  readonly waits?: boolean
  /**
   * For a change with several parts, of which a few can suffice: the names of the parts, and a function that creates the change with fewer
   * parts. Parts are the ids of claims to wait for, earliest first, or the paths of requirements that are dropped.
   */
  readonly parts?: Parts
  /** The amounts after the change, by name. Present if changes with different subjects can reduce the same amount. */
  readonly lowers?: Readonly<Record<string, number>>
  /** The effect of the change as text. Two changes with different subjects but the same text have the same effect. */
  readonly alike?: string
  /** The paths of the requirements that the change drops from the request. A path includes all paths below it. */
  readonly gives?: readonly string[]
  /**
   * The number that the change sets. If this number suffices, the search tries numbers between the present number and this number, and uses
   * the sufficient number that is nearest to the present number.
   */
  readonly number?: ChangedNumber
}

export interface ChangedNumber {
  readonly from: number
  readonly to: number
  /**
   * The smallest possible number, if hosts allow any number. If absent, the smallest number of at least `step` that is whole steps from
   * `to`, or `to` if it is smaller than `step`.
   */
  readonly least?: number
  /** The step between possible numbers. 1 if absent. */
  readonly step?: number
  /** The ranges of possible numbers, one for each different unit rule of hosts. Undefined if hosts allow any number. */
  readonly among?: readonly NumberRange[] | undefined
  /** The same change with the number `to`. With `step`, a number that has steps is rounded down to a multiple of `step`. */
  at(to: number, step?: number): ProposedChange
  /**
   * The same change for another request, which has another present number. Needed if a preceding change is left out. Undefined if there is
   * nothing to change in that request.
   */
  of?(request: RequestSpec): ProposedChange | undefined
}

/** A range of numbers: the multiples of `step` from `least` on. */
export interface NumberRange {
  readonly step: number
  readonly least: number
}

export interface Parts {
  readonly names: readonly string[]
  of(names: readonly string[]): ProposedChange
}

/** A gang, and the position of one kind of its instances in `membersOf`. */
export interface GangPlace {
  readonly whole: RequestSpec
  readonly at: number
}

/** The refusal of a host by a filter, with the filter's reason. */
export interface Refusal {
  readonly fleet: Fleet
  /** For an instance of a gang, a request for this kind of instances alone. */
  readonly request: RequestSpec
  /** Present if the refused instance is part of a gang. */
  readonly gang?: GangPlace
  readonly profile: Profile
  readonly host: HostIndex
  readonly filter: string
  readonly reason: Reason
}

/**
 * Proposes changes that remove refusals with one of `codes`. Each proposed change alone must remove the reason: with the change, the filter
 * does not state the first fact of the reason again. If the refusal is about several requirements, a change can also drop one of them. If
 * there is no such change, nothing is proposed. Two changes with the same subject change the same thing. A remedy does not check that the
 * request is placed, because the search tries each change before it is shown.
 */
export interface Remedy {
  readonly name: string
  readonly codes: readonly Code[]
  propose(refusal: Refusal): readonly ProposedChange[]
  /**
   * The data of the host, in addition to the reason and its facts, that determines which changes of the request are proposed, as text.
   * Hosts with equal text get proposals that differ only in their numbers.
   */
  looksAt?(refusal: Refusal): string
}
