import type { Code } from './codes.ts'

/** Why a host was refused: a code and the numbers or words of the refusal. Text is rendered from it, and never parsed. */
export interface Reason {
  readonly code: Code
  /** The resource or property that is short or wrong: a resource class, a cell, a metadata key. */
  readonly subject?: string
  readonly need?: number | string
  readonly have?: number | string
  readonly unit?: string
  /** The source as a part of the sentence: an operator's reason, an option, a hint. The sources of the numbers are in the facts. */
  readonly source?: string
  /** The reserved amount and its source, as a part of the sentence. Present if it causes the shortage. */
  readonly reserved?: string
  /** The number of instances that need the amount together; absent for one instance. */
  readonly instances?: number
  /** Whether other instances of the request found a host. */
  readonly areMore?: true
  /** Whether the moving instance holds a part of the resource on this host, and keeps it until the move ends. */
  readonly isHeldTwice?: true
}

/** The number of hosts with one reason of one filter. */
export interface ReasonCount {
  readonly filter: string
  readonly code: Code
  readonly hosts: number
  /** The reason of an example host: the admitted host with the smallest distance or, if no host is admitted, the first host. */
  readonly example: Reason
}
