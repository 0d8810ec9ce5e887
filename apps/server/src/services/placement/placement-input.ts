import type { Intent, RequestSpec } from '@gantt/scheduler-core'
import type { WrittenRequest } from '@gantt/scheduler-core/nova'
import type { Gather } from '../../replica/propose/placement.ts'
import type { Issue } from '../calls/outcome.ts'
import type { ClaimRef } from '../claim/claims.ts'

/** How a call claims resources. NONE: hosts are chosen, but nothing is claimed. */
export type ClaimMode = 'NONE' | 'RESERVE' | 'CONFIRM'

export interface PlacementInput {
  readonly spec: SpecDocument
  readonly intent: Intent
  /** The claim that is moved or rebuilt; null if the intent does not concern an existing claim. */
  readonly moveOf: ClaimRef | null
  readonly idempotencyKey: string
  readonly mode: ClaimMode
  readonly ttlMs: number | null
  /** True if a reservation also ends when its host counts the instance; absent: false. */
  readonly untilCounted?: boolean
  /** The path of the TTL in the caller's input; absent: `claim.ttl`. */
  readonly ttlAt?: readonly string[]
  readonly alternatesPerInstance: number
  readonly profile: string | null
  readonly allOrNothing: boolean
  readonly minRevision: number | null
  readonly deadlineMs: number | null
  /**
   * True if the call claims an alternate of an earlier decision. If the instance already has a live claim, that claim moves to the
   * alternate.
   */
  readonly takesAlternate?: boolean
  /** True if the instance runs on the requested destination without a claim. The new claim is then MATERIALISED at once. */
  readonly isListed?: boolean
  /**
   * The request whose digest is bound to the idempotency key, if it is not the decided request. A move that is repeated at a replica of
   * another release must have the same digest, although the releases can make different requests from the record of a decision.
   */
  readonly keyed?: RequestSpec | undefined
  /** Returns the solver's answer for this call, if the call is one of several moves that are solved together. */
  readonly gather?: Gather | undefined
}

/** A request as a caller wrote it, with the problems of its form. */
export interface SpecDocument {
  /** The request, if it differs from an accepted one only in its instances. It needs no parsing and no check of the request alone. */
  readonly accepted?: RequestSpec
  /** The key by which an accepted request is kept for later calls; absent if it is not kept. */
  readonly key?: string | undefined
  readonly document?: unknown
  readonly issues: readonly Issue[]
  /** The path of the request in the caller's input. */
  readonly path: readonly string[]
  /** The path of the instances in the caller's input, if the request does not contain them. */
  readonly instancesAt?: readonly string[] | undefined
  /** Paths of fields that this release does not know and that have no effect. Empty for Gantt's own form, which refuses such fields. */
  readonly ignored?: readonly string[]
  /**
   * The stored form of the Nova document from which the request was made. Null or absent if the request was not made from a Nova document.
   */
  readonly nova?: WrittenRequest | null
}
