import type { Code, DecisionRecord, FieldChange, HostName, HostStepKind, SelectedDestination } from '@gantt/scheduler-core'

/** Where a decision stands: what its replay needs in addition to the record. */
export interface DecisionPlace {
  /** Revision on which it was decided. */
  readonly basis: number
  /** The entry that carries it and the change's position there; null when nothing was appended. */
  readonly entryId: string | null
  readonly position: number | null
}

/** How many hosts each filter refused for which code, for a request that found no host. */
export interface RefusalReason {
  readonly filter: string
  readonly code: Code
  readonly hosts: number
  readonly text: string
}

/** Why no host took an instance, as it is kept and counted (scheduler-core/src/cause). */
export interface KeptCause {
  /** Null: there was no host at all. */
  readonly code: Code | null
  readonly text: string
  /** Hosts that the request itself admitted; null: not known. */
  readonly admitted: number | null
  /** The host that came nearest to taking the instance; null: there is none that the request admits or names, or it is not known. */
  readonly nearest: HostName | null
}

/** By what a decision is searched: hosts that were chosen, and instances. */
export interface Searched {
  readonly hosts: readonly string[]
  readonly instanceUuids: readonly string[]
}

/** Hashes of a decision as they are kept, each 64 hexadecimal digits; null where none is. */
export interface KeptReceipt {
  /** Of everything that decided, taken when the decision was kept. */
  readonly inputs: string | null
  /** Of what was decided, taken then too. */
  readonly decided: string | null
  /** Of who was answered what, when, with which claims, and by what it is searched, taken then; null for older ones. */
  readonly row: string | null
  /** Of every filter's word on every host, taken at the first replay. */
  readonly matrix: string | null
  /** When that was, store time, milliseconds since 1970. */
  readonly matrixAt: number | null
}

/** A decision as it is kept for those who ask later. */
export interface StoredDecision {
  readonly id: string
  readonly outcome: 'PLACED' | 'PARTIAL' | 'NO_VALID_HOST'
  /** Store time, milliseconds since 1970. */
  readonly at: number
  readonly account: string
  /** Digest of the request's canonical document. */
  readonly requestSpecId: string
  readonly record: DecisionRecord
  readonly place: DecisionPlace
  readonly answer: readonly SelectedDestination[]
  readonly claimIds: readonly string[]
  readonly reasons: readonly RefusalReason[]
  /** Absent: no refusal, or one that was kept before feature level 10. */
  readonly cause?: KeptCause
  /** How long the replica that made it took to decide, whole microseconds; absent or null: not measured, as by older releases. */
  readonly tookUs?: number | null
  /** Present where it was read from the tables. */
  readonly receipt?: KeptReceipt
  /** As in the tables; absent: as the record has it. */
  readonly searched?: Searched
}

/**
 * Why a decision found no host; undefined where none was kept. Refusals from before feature level 10 have their reasons alone: then it is
 * what most hosts were refused for by the filter that left none. The tables find its code by db/decision-query.ts.
 */
export function causeOfRefusal({ cause, reasons }: Pick<StoredDecision, 'cause' | 'reasons'>): KeptCause | undefined {
  if (cause !== undefined) return cause
  const last = reasons.at(-1)
  const main = reasons.find(({ filter }) => filter === last?.filter)
  return main && { code: main.code, text: main.text, admitted: null, nearest: null }
}

/** A decision in the tables of which only the columns can be read: its record is damaged, or of a newer release. */
export interface UnreadableDecision extends Pick<StoredDecision, 'id' | 'at' | 'account'> {
  /** Null where that is what cannot be read. */
  readonly outcome: StoredDecision['outcome'] | null
  /** Why, without the decision's id. */
  readonly unreadable: string
}

/** Rows of the projections that one applied entry changes. A later row of the same thing replaces an earlier one. */
export interface Rows {
  readonly revision: number
  readonly entryId: string
  /** The log's time once the entry was applied, milliseconds since 1970. */
  readonly at: number
  readonly decisions: readonly StoredDecision[]
  readonly lostTries: readonly LostTryRow[]
  readonly claims: readonly ClaimRow[]
  readonly nodes: readonly NodeRow[]
  readonly hostChanges: readonly HostChangeRow[]
  readonly aggregates: readonly AggregateRow[]
  readonly groups: readonly GroupRow[]
}

/** A time that a request was decided and did not count: its proposal is in the log, and void. */
export interface LostTryRow {
  /** The decision and which try it was: `uuid/1`. */
  readonly id: string
  readonly decision_id: string
  /** How often the request had been decided, that time included. */
  readonly attempt: number
  /** The entry that carried it. */
  readonly revision: number
  /** What it was decided on. */
  readonly basis: number
  /** Store time, milliseconds since 1970. */
  readonly at_ms: number
  /** Why the proposal did not count. */
  readonly code: Code
  /** Names of the hosts that it had chosen. */
  readonly hosts: readonly string[]
  readonly took_us: number | null
}

/** What the entry did to a host, without what claims do. */
export interface HostChangeRow {
  /** The entry and the step's place among what it did: `revision/0`. */
  readonly id: string
  readonly revision: number
  readonly place: number
  readonly host: string
  readonly node: string
  readonly kind: HostStepKind
  /** Store time, milliseconds since 1970. */
  readonly at_ms: number
  readonly reason: string
  readonly aggregate: string | null
  readonly aggregate_name: string | null
  readonly changes: readonly FieldChange[]
  readonly untold: number
}

export interface ClaimRow {
  readonly id: string
  readonly instance_uuid: string | null
  readonly host: string
  readonly node: string
  readonly state: string
  readonly account: string
  readonly decision_id: string
  readonly fence: number
  readonly document: unknown
  readonly revision: number
  readonly created_at_ms: number
  readonly expires_at_ms: number | null
}

export interface NodeRow {
  readonly id: string
  /** Whether its row may be there under another id. */
  readonly isRenamed: boolean
  readonly ordinal: number
  readonly host: string
  readonly node: string
  readonly status: string
  readonly availability_zone: string
  readonly document: unknown
  readonly revision: number
}

export interface AggregateRow {
  readonly id: string
  readonly name: string
  readonly availability_zone: string | null
  readonly metadata: unknown
  readonly hosts: readonly string[]
  readonly version: number
  readonly revision: number
  readonly deleted_at_ms: number | null
}

export interface GroupRow {
  readonly id: string
  readonly policy: string
  readonly max_server_per_host: number | null
  readonly revision: number
}
