import type { Intent } from '@gantt/scheduler-core'
import type { WrittenRequest } from '@gantt/scheduler-core/nova'
import type { Gather } from '../replica/placement.ts'
import type { ClaimRef } from './claims.ts'
import type { Issue } from './outcome.ts'

export interface PlacementInput {
  readonly spec: SpecDocument
  readonly intent: Intent
  /** The claim that the intent is about, where it is about one. */
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
  /** Whom to ask about it, where it is one of several calls that are solved together. */
  readonly gather?: Gather | undefined
}

/** A request as a caller gave it, with what was wrong with its form already. */
export interface SpecDocument {
  readonly document?: unknown
  readonly issues: readonly Issue[]
  /** Where the caller gave it. */
  readonly path: readonly string[]
  /** Where the caller named the instances, if beside the request. */
  readonly instancesAt?: readonly string[] | undefined
  /** Paths in it of fields that this release does not know, which have no effect: none in our own form, which has no such fields. */
  readonly ignored?: readonly string[]
  /** The document of Nova's that it was made of, as it is kept; null or absent: none. */
  readonly nova?: WrittenRequest | null
}
