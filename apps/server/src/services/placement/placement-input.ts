import type { Intent } from '@gantt/scheduler-core'
import type { WrittenRequest } from '@gantt/scheduler-core/nova'
import type { Gather } from '../../replica/propose/placement.ts'
import type { Issue } from '../calls/outcome.ts'
import type { ClaimRef } from '../claim/claims.ts'

export interface PlacementInput {
  readonly spec: SpecDocument
  readonly intent: Intent
  /** The claim that the intent concerns, if it concerns one. */
  readonly moveOf: ClaimRef | null
  readonly idempotencyKey: string
  readonly mode: 'NONE' | 'RESERVE' | 'CONFIRM'
  readonly ttlMs: number | null
  readonly alternatesPerInstance: number
  readonly profile: string | null
  readonly allOrNothing: boolean
  readonly minRevision: number | null
  readonly deadlineMs: number | null
  /** Whether it takes an alternate that an earlier decision named: a live claim of the instance then moves there. */
  readonly takesAlternate?: boolean
  /** Whether its instance runs on its requested destination without a claim: it gets one that is materialised at once. */
  readonly isListed?: boolean
  /** The source of answers, if the call is one of several that are solved together. */
  readonly gather?: Gather | undefined
}

/** A request as a caller gave it, with the problems of its form. */
export interface SpecDocument {
  readonly document?: unknown
  readonly issues: readonly Issue[]
  /** The path in the caller's input. */
  readonly path: readonly string[]
  /** The path of the instances in the caller's input, if they are outside of the request. */
  readonly instancesAt?: readonly string[] | undefined
  /**
   * Paths in it of fields that this release does not know and that have no effect: none in Gantt's own form, which
   * refuses such fields.
   */
  readonly ignored?: readonly string[]
  /** The stored document of Nova's from which it was made; null or absent if there is none. */
  readonly nova?: WrittenRequest | null
}
