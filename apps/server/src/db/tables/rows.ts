import type { Code, DecisionRecord, FieldChange, HostName, HostRecord, HostStepKind, SelectedDestination } from '@gantt/scheduler-core'

/** The data that a replay of a decision needs in addition to its record. */
export interface DecisionPlace {
  /** The revision on which the decision was made. */
  readonly basis: number
  /** The id of the entry that contains the decision, and the index of its change in the entry. Null if nothing was appended. */
  readonly entryId: string | null
  readonly position: number | null
}

/** How many hosts one filter refused with one code, for a request of which an instance was not placed. */
export interface RefusalReason {
  readonly filter: string
  readonly code: Code
  readonly hosts: number
  readonly text: string
}

/** Why no host can hold an instance, in the form in which it is stored. */
export interface KeptCause {
  /** Null if the fleet had no hosts. */
  readonly code: Code | null
  readonly text: string
  /** How many hosts the request admitted; null if unknown. */
  readonly admitted: number | null
  /** The host that is nearest to fitting. Null if the request neither admits nor names a host, or if the host is not known. */
  readonly nearest: HostName | null
}

/** The columns by which a decision is searched: selected hosts, and instances. */
export interface Searched {
  readonly hosts: readonly string[]
  readonly instanceUuids: readonly string[]
}

/** The stored hashes of a decision, each 64 hexadecimal digits; null if none is stored. */
export interface KeptReceipt {
  /** The hash of all inputs of the decision, computed when the decision was stored. */
  readonly inputs: string | null
  /** The hash of the result, computed when the decision was stored. */
  readonly decided: string | null
  /** The hash of account, answer, time, claims and search columns, computed when the decision was stored. Null for older decisions. */
  readonly row: string | null
  /** The hash of every filter's verdict on every host, computed when the decision was first replayed. */
  readonly matrix: string | null
  /** The store time of the first replay, in milliseconds since 1970. */
  readonly matrixAt: number | null
}

/** A decision as it is stored for later queries. */
export interface StoredDecision {
  readonly id: string
  readonly outcome: 'PLACED' | 'PARTIAL' | 'NO_VALID_HOST'
  /** The time by the store's clock, in milliseconds since 1970. */
  readonly at: number
  readonly account: string
  /** The digest of the request's canonical document. */
  readonly requestSpecId: string
  readonly record: DecisionRecord
  readonly place: DecisionPlace
  readonly answer: readonly SelectedDestination[]
  readonly claimIds: readonly string[]
  readonly reasons: readonly RefusalReason[]
  /** The cause of the refusal. Absent if the decision was not a refusal, or was stored before feature level 10. */
  readonly cause?: KeptCause
  /** The duration of the decision on the deciding replica in whole microseconds. Absent or null if not measured, as by older releases. */
  readonly tookUs?: number | null
  /** The stored hashes. Present only if the decision was read from the tables. */
  readonly receipt?: KeptReceipt
  /** The search columns that the tables contain. If absent, they are computed from the record. */
  readonly searched?: Searched
}

/**
 * The cause of a refusal; undefined if none was recorded. Refusals stored before feature level 10 have only reasons. Their cause is the
 * most frequent reason of the filter that refused the last hosts. (db/tables/decision-query.ts has the same rule in SQL.)
 */
export function causeOfRefusal({ cause, reasons }: Pick<StoredDecision, 'cause' | 'reasons'>): KeptCause | undefined {
  if (cause !== undefined) return cause
  const last = reasons.at(-1)
  const main = reasons.find(({ filter }) => filter === last?.filter)
  return main && { code: main.code, text: main.text, admitted: null, nearest: null }
}

/** A decision of which only the columns can be read, because its record is damaged or from a newer release. */
export interface UnreadableDecision extends Pick<StoredDecision, 'id' | 'at' | 'account'> {
  /** The outcome; null if it cannot be read. */
  readonly outcome: StoredDecision['outcome'] | null
  /** A message that says why the record cannot be read. It does not contain the decision's id. */
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

/**
 * A lost attempt to decide a request: another change came first, and the attempt's proposal conflicted with it. The proposal is in the log,
 * without effect.
 */
export interface LostTryRow {
  /** The id of the decision and the index of the attempt: `uuid/1`. */
  readonly id: string
  readonly decision_id: string
  /** Which attempt of the request this was, counted from 1. */
  readonly attempt: number
  /** The revision of the entry with the proposal. */
  readonly revision: number
  /** The revision of the state on which the attempt was decided. */
  readonly basis: number
  /** The time by the store's clock, in milliseconds since 1970. */
  readonly at_ms: number
  /** The code of the rule by which the proposal had no effect. */
  readonly code: Code
  /** The names of the selected hosts. */
  readonly hosts: readonly string[]
  readonly took_us: number | null
}

/** A change that an entry makes to a host, except changes of claims. */
export interface HostChangeRow {
  /** The revision of the entry and the index of the change in it: `revision/0`. */
  readonly id: string
  readonly revision: number
  readonly place: number
  readonly host: string
  readonly node: string
  readonly kind: HostStepKind
  /** The time by the store's clock, in milliseconds since 1970. */
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
  /** True if a row for the host may exist under another id. */
  readonly isRenamed: boolean
  readonly ordinal: number
  readonly host: string
  readonly node: string
  readonly status: string
  readonly availability_zone: string
  /**
   * The fields from which the stored document is created. It is created only when it is written, because an entry may change every host of
   * a fleet.
   */
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
