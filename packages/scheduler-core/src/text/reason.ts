import type { Code } from './codes.ts'

/** Why a host was refused: a code and the numbers or words behind it. Text is rendered from it, never parsed. */
export interface Reason {
  readonly code: Code
  /** The thing that is short or wrong: a resource class, a cell, an aggregate key. */
  readonly subject?: string
  readonly need?: number | string
  readonly have?: number | string
  readonly unit?: string
  /** The source, as a part of the sentence: an operator's reason, an option, a hint. The sources of the numbers are in the facts. */
  readonly source?: string
  /** The reserved amount and its source, as part of the sentence; present where it causes the shortage. */
  readonly reserved?: string
  /** The number of instances that need the amount together; absent for one instance. */
  readonly instances?: number
  /** Whether these instances are in addition to others that found a host. */
  readonly areMore?: true
  /** Whether the moving instance holds some of the resource on this host, and keeps it until the move ends. */
  readonly isHeldTwice?: true
}

/** Hosts that are counted for one reason of one filter. */
export interface ReasonCount {
  readonly filter: string
  readonly code: Code
  readonly hosts: number
  /** An example of these hosts: among admitted hosts the one nearest to passing, among others the first. */
  readonly example: Reason
}
