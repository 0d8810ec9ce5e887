import type { Code } from './codes.ts'

/** Why a host was refused: a code with the compared values. `reasonText` writes a reason as a sentence. */
export interface Reason {
  readonly code: Code
  /** The resource or property that is short or wrong, such as a resource class, a cell or a metadata key. */
  readonly subject?: string
  readonly need?: number | string
  readonly have?: number | string
  readonly unit?: string
  /**
   * A part of the sentence: where the refusal comes from (an operator's reason, an option, a hint), or what the host has besides `have`, such
   * as devices elsewhere.
   */
  readonly source?: string
  /** The reserved amount and where it is set, as a part of the sentence. Present if it causes the shortage. */
  readonly reserved?: string
  /** How many instances together need the amount. Absent for one instance. */
  readonly instances?: number
  /** True if a host was found for other instances of the request. */
  readonly areMore?: true
  /** True if a part of the resource on this host is already reserved for the moving instance and stays reserved until the move ends. */
  readonly isHeldTwice?: true
}

/** Counts the hosts that a filter refused with the same code. */
export interface ReasonCount {
  readonly filter: string
  readonly code: Code
  readonly hosts: number
  /**
   * The reason of one of these hosts. In a cause, it is the admitted host with the smallest distance from passing. Otherwise, and if the
   * request admits none of the hosts, it is the first host.
   */
  readonly example: Reason
}
