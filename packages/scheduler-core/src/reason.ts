import type { Code } from './codes.ts'

/** Why a host was refused: a code and the numbers or words behind it. Text is rendered from it, never parsed. */
export interface Reason {
  readonly code: Code
  /** What is short or wrong: a resource class, a cell, an aggregate key. */
  readonly subject?: string
  readonly need?: number | string
  readonly have?: number | string
  readonly unit?: string
  /** Who says so, in words for the sentence: an operator's reason, an option, a hint. Where each number comes from is in the facts. */
  readonly source?: string
  /** How much of it the host keeps back, and who says so, in words for the sentence: where that is why there is so little. */
  readonly reserved?: string
  /** The amount is what so many instances need together; absent: it is of one instance. */
  readonly instances?: number
  /** They are more than others that have a place. */
  readonly areMore?: true
  /** The instance that moves holds some of it on this host itself, and keeps it until the move ends. */
  readonly isHeldTwice?: true
}

/** Hosts that are counted for one reason of one filter. */
export interface ReasonCount {
  readonly filter: string
  readonly code: Code
  readonly hosts: number
  /** Of one of them: of those that the request admits the nearest to passing it, of others the first. */
  readonly example: Reason
}
