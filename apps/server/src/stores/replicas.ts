import type { Liveness, PluginRef } from '@gantt/scheduler-core'

/** The digest of one part of a replica's state at one position of the log, with the part's number. */
export interface PartDigest {
  readonly revision: number
  /**
   * The first digits of the id of the entry at that revision, and the entry's time. After the store lost entries, another entry may have
   * the same revision.
   */
  readonly entry: string
  readonly part: number
  readonly digest: string
}

/** Digests in the format of a release. Digests in different formats cannot be compared. */
export interface TakenDigests {
  readonly format: number
  readonly taken: readonly PartDigest[]
  /** The digest of the whole state, at the last revision that all replicas could compare. */
  readonly whole: { readonly revision: number; readonly digest: string } | null
}

/** The activity of a replica in the last minute, or since its start if that is shorter, and its state. */
export interface Vitals {
  /** How many decisions are made per second, including those that are not in the log. */
  readonly decisionsPerSecond: number
  /**
   * How many proposals have a known outcome. `conflicts` is how many of them conflicted with another change or were refused by the store.
   */
  readonly proposals: number
  readonly conflicts: number
  /** The resident memory of the process (RSS). */
  readonly memoryBytes: number
  /** How many hosts have each liveness, as this replica has it. */
  readonly hosts: Readonly<Record<Liveness, number>>
  /** The plug-ins that the replica has loaded. Null if the release does not report them. */
  readonly plugins: readonly PluginRef[] | null
}

/** The sign of life that a replica sends periodically, with its status. */
export interface Sign {
  readonly id: string
  readonly url: string | null
  readonly version: string
  /** The highest feature level that the replica supports. */
  readonly featureLevel: number
  readonly mode: string
  readonly reason: string | null
  readonly revision: number
  readonly violations: number
  /** When the auditor last completed a round: store time, milliseconds since 1970. */
  readonly checkedAt: number | null
  readonly digests: TakenDigests
  /** Null before the replica follows the log, and for releases that do not report vitals. */
  readonly vitals: Vitals | null
}

/** A stored sign of life. All times are the store's. */
export interface ReplicaRow extends Sign {
  /** How far the replica lags behind the log: how many changes it lacks, and the milliseconds since the first of these changes. */
  readonly lagChanges: number
  readonly lagMs: number
  readonly startedAt: number
  readonly seenAt: number
  readonly stoppedAt: number | null
}

/** All replicas with a sign of life in the day before `now`, the store's time. */
export interface ReplicaRows {
  readonly now: number
  readonly rows: readonly ReplicaRow[]
}

/**
 * The signs of life of all replicas. The law, which replicas.suite.ts checks for every engine: a stored sign is in every later list, on
 * every replica.
 */
export interface ReplicaStore {
  /** Stores a replica's sign of life, and its lag behind the log. */
  keep(sign: Sign): Promise<void>
  /** The signs of life, in the order in which the replicas started. */
  list(): Promise<ReplicaRows>
  /** Records that the replica was shut down in an orderly way. */
  stop(id: string): Promise<void>
  /** Deletes replicas that have been silent for a day. */
  forget(): Promise<void>
}

/** A replica that is silent for this many milliseconds is deleted. */
export const FORGOTTEN_AFTER_MS = 86_400_000

/** Parses stored digests. If another release wrote another form, the result has no digests. */
export function readDigests(value: unknown): TakenDigests {
  const { format, taken, whole } = (value ?? {}) as Record<string, unknown>
  if (typeof format !== 'number' || !Array.isArray(taken)) return { format: 0, taken: [], whole: null }
  const { revision, digest } = (whole ?? {}) as Record<string, unknown>
  return {
    format,
    taken: taken.filter(isPartDigest),
    whole: typeof revision === 'number' && typeof digest === 'string' ? { revision, digest } : null,
  }
}

/** Parses stored vitals. Null if a release reported none, or another form. */
export function readVitals(value: unknown): Vitals | null {
  const { decisionsPerSecond, proposals, conflicts, memoryBytes, hosts, plugins } = (value ?? {}) as Partial<Vitals>
  const { UP, SUSPECT, DOWN } = (hosts ?? {}) as Partial<Vitals['hosts']>
  if (!isFigure(decisionsPerSecond) || !isFigure(proposals) || !isFigure(conflicts) || !isFigure(memoryBytes)) return null
  if (!isFigure(UP) || !isFigure(SUSPECT) || !isFigure(DOWN)) return null
  const known = Array.isArray(plugins) && plugins.every(isPluginRef) ? plugins.map(({ name, version }) => ({ name, version })) : null
  return { decisionsPerSecond, proposals, conflicts, memoryBytes, hosts: { UP, SUSPECT, DOWN }, plugins: known }
}

function isPluginRef(value: unknown): value is PluginRef {
  const { name, version } = (value ?? {}) as Record<string, unknown>
  return typeof name === 'string' && typeof version === 'string'
}

const isFigure = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0

function isPartDigest(value: unknown): value is PartDigest {
  if (value === null || typeof value !== 'object') return false
  const { revision, entry, part, digest } = value as Record<string, unknown>
  return typeof revision === 'number' && typeof entry === 'string' && typeof part === 'number' && typeof digest === 'string'
}
