import type { Code, DecisionRecord, FieldChange, HostName, HostRecord, HostStepKind, SelectedDestination } from '@gantt/scheduler-core'

/** The inputs for a decision's replay that are not in its record. */
export interface DecisionPlace {
  /** Revision on which it was decided. */
  readonly basis: number
  /** The entry with the decision, and the change's index in it; null if nothing was appended. */
  readonly entryId: string | null
  readonly position: number | null
}

/** The number of hosts that each filter refused, by code, for a request that was not placed. */
export interface RefusalReason {
  readonly filter: string
  readonly code: Code
  readonly hosts: number
  readonly text: string
}

/** Why no host can hold an instance, in the form that is stored and counted (scheduler-core/src/cause). */
export interface KeptCause {
  /** Null if the fleet had no hosts. */
  readonly code: Code | null
  readonly text: string
  /** The number of hosts that the request admitted; null if unknown. */
  readonly admitted: number | null
  /** The host with the smallest distance; null if the request admits and names no host, or if it is unknown. */
  readonly nearest: HostName | null
}

/** The search columns of a decision: chosen hosts, and instances. */
export interface Searched {
  readonly hosts: readonly string[]
  readonly instanceUuids: readonly string[]
}

/** The stored hashes of a decision, each 64 hexadecimal digits; null if none is stored. */
export interface KeptReceipt {
  /** The hash of all inputs of the decision, computed when the decision was stored. */
  readonly inputs: string | null
  /** The hash of the result, computed at the same time. */
  readonly decided: string | null
  /** The hash of account, answer, time, claims and search columns, computed at the same time. Null for older decisions. */
  readonly row: string | null
  /** The hash of every filter's verdict on every host, computed at the first replay. */
  readonly matrix: string | null
  /** The store time of the first replay, in milliseconds since 1970. */
  readonly matrixAt: number | null
}

/** A decision as it is stored for later queries. */
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
  /** Absent if the decision was not a refusal, or was stored before feature level 10. */
  readonly cause?: KeptCause
  /** The duration of the decision on the deciding replica in whole microseconds. Absent or null if not measured, as by older releases. */
  readonly tookUs?: number | null
  /** Present if it was read from the tables. */
  readonly receipt?: KeptReceipt
  /** The value in the tables. Absent: the value follows from the record. */
  readonly searched?: Searched
}

/**
 * Why a decision was refused; undefined if that was not recorded. Refusals from before feature level 10 have only reasons. Their cause is
 * the most frequent reason of the filter that left no host. db/tables/decision-query.ts computes the same code in the tables.
 */
export function causeOfRefusal({ cause, reasons }: Pick<StoredDecision, 'cause' | 'reasons'>): KeptCause | undefined {
  if (cause !== undefined) return cause
  const last = reasons.at(-1)
  const main = reasons.find(({ filter }) => filter === last?.filter)
  return main && { code: main.code, text: main.text, admitted: null, nearest: null }
}

/** A decision with only its columns readable, because its record is damaged or from a newer release. */
export interface UnreadableDecision extends Pick<StoredDecision, 'id' | 'at' | 'account'> {
  /** Null if the outcome itself cannot be read. */
  readonly outcome: StoredDecision['outcome'] | null
  /** Why the record cannot be read, without the decision's id. */
  readonly unreadable: string
}

/** The rows of the projections that one applied entry changes. A later row with the same id replaces an earlier one. */
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

/** A void attempt to decide a request. Its proposal is in the log. */
export interface LostTryRow {
  /** The decision and the number of the attempt: `uuid/1`. */
  readonly id: string
  readonly decision_id: string
  /** The number of decisions of the request, including this one. */
  readonly attempt: number
  /** The entry with its proposal. */
  readonly revision: number
  /** The revision on which it was decided. */
  readonly basis: number
  /** Store time, milliseconds since 1970. */
  readonly at_ms: number
  /** Why the proposal did not count. */
  readonly code: Code
  /** The names of the chosen hosts. */
  readonly hosts: readonly string[]
  readonly took_us: number | null
}

/** A change of a host by the entry, other than of its claims. */
export interface HostChangeRow {
  /** The entry and the index of the step in it: `revision/0`. */
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
  /** Whether a row for the host may exist under another id. */
  readonly isRenamed: boolean
  readonly ordinal: number
  readonly host: string
  readonly node: string
  readonly status: string
  readonly availability_zone: string
  /** The parts of the stored document, which is created when it is written, because an entry may change every host of a fleet. */
  readonly reported: Pick<HostRecord, 'stats' | 'statusReason' | 'namespaces'>
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
