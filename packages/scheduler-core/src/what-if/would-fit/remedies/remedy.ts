import type { Fleet } from '../../../fleet/fleet.ts'
import type { Profile } from '../../../records/profile.ts'
import type { RequestSpec } from '../../../request/request-spec.ts'
import type { Code } from '../../../text/codes.ts'
import type { Reason } from '../../../text/reason.ts'
import type { HostIndex } from '../../../values/host-index.ts'
import type { FleetEdits } from '../../edits.ts'

/** What would have to change: REQUEST: the request. FLEET: the fleet. POLICY: the profile. */
export const changeKinds = ['REQUEST', 'FLEET', 'POLICY'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** One change, as text for readers and as data. Exactly one of the last three fields is set. */
export interface ProposedChange {
  readonly kind: ChangeKind
  /** The target of the change: a field of the request, a host, a claim, an aggregate, a ratio, a filter. */
  readonly subject: string
  /** The present value; null if there is none. */
  readonly from: string | null
  readonly to: string
  /** The effort of the change, from 1 (little) to 10; the table is in docs/what-if.md. */
  readonly effort: number
  /**
   * True if the change overrides a decision of an operator, or a state such as DOWN. Such a change is shown only if neither a different
   * request nor waiting suffices.
   */
  readonly lastResort?: boolean
  request?(request: RequestSpec): RequestSpec
  readonly edits?: Partial<FleetEdits>
  filters?(filters: Profile['filters']): Profile['filters']
  /** True if the change is only to wait, so that no one has to act. */
  readonly waits?: boolean
  /**
   * The parts of the change, if only some of them may suffice, and a function that creates the change with only these. Parts are claims
   * that expire, earliest first, or requirements of the request, by their paths. The last part is left out first.
   */
  readonly parts?: Parts
  /** The reduced amounts by subject. Present if several changes may reduce the same amount. */
  readonly lowers?: Readonly<Record<string, number>>
  /** A text for the effect of the change. Changes with different subjects and the same text are equivalent. */
  readonly alike?: string
  /** The paths of the requirements that the change drops from the request, including everything below these paths. */
  readonly gives?: readonly string[]
  /**
   * A number that the change sets. The nearest sufficient number lies between the present number and this one. If instances share hosts,
   * this number may be larger than the amount that one host has for one instance.
   */
  readonly number?: ChangedNumber
}

export interface ChangedNumber {
  readonly from: number
  readonly to: number
  /** The step between possible values; 1 if absent. */
  readonly step?: number
  /** The possible numbers, if hosts restrict them: the smallest number and the step of each kind of host. */
  readonly among?: readonly NumberRange[] | undefined
  /** The same change with a different number. The number is a multiple of `step`, if `step` is given. */
  at(to: number, step?: number): ProposedChange
  /**
   * The same change for a different request. Its present number may differ, because an earlier change was left out. Undefined if the
   * different request contains nothing to change.
   */
  of?(request: RequestSpec): ProposedChange | undefined
}

/** The numbers that are whole steps above the smallest one. */
export interface NumberRange {
  readonly step: number
  readonly least: number
}

export interface Parts {
  readonly names: readonly string[]
  of(names: readonly string[]): ProposedChange
}

/** A host that a filter refuses, and the filter's reason. */
export interface Refusal {
  readonly fleet: Fleet
  readonly request: RequestSpec
  readonly profile: Profile
  readonly host: HostIndex
  readonly filter: string
  readonly reason: Reason
}

/**
 * Proposes changes that remove refusals with some codes. The rules (remedies.test.ts): it is called only for reasons with one of its codes;
 * each proposed change alone removes the reason, so that the filter no longer states the first fact with the same words or amounts. A
 * change may drop a single one of several requirements: the filter then evaluates one requirement fewer, and nothing else differs. Without
 * such a change it proposes nothing. It reads only the refusal and changes nothing, and two changes with one subject are the same change.
 * It does not check whether the request is placed: the search tries every change before it is shown.
 */
export interface Remedy {
  readonly name: string
  readonly codes: readonly Code[]
  propose(refusal: Refusal): readonly ProposedChange[]
  /**
   * The data of a host, in addition to the reason and its facts, that determines which changes of the request are proposed: hosts with
   * equal data get the same proposals except for numbers.
   */
  looksAt?(refusal: Refusal): string
}
