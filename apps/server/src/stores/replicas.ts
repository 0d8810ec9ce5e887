import type { Liveness } from '@gantt/scheduler-core'

/** A part of a replica's state at one place of the log: its number, and its digest. */
export interface PartDigest {
  readonly revision: number
  /** The first digits of the id of the entry at that revision, and its stamp: a tail that was lost may be written again. */
  readonly entry: string
  readonly part: number
  readonly digest: string
}

/** Digests as a release takes them; those of another format cannot be compared. */
export interface TakenDigests {
  readonly format: number
  readonly taken: readonly PartDigest[]
  /** Of the whole state, at the last place that stood long enough. */
  readonly whole: { readonly revision: number; readonly digest: string } | null
}

/** What a replica did in the last minute, or since its start where that is shorter, and how it stands. */
export interface Vitals {
  /** Of its decisions, those that are not in the log included. */
  readonly decisionsPerSecond: number
  /** Proposals whose fate became known, and how many of them came to nothing: the log refused them, or they were decided again. */
  readonly proposals: number
  readonly conflicts: number
  /** What the process holds of the machine's memory (RSS). */
  readonly memoryBytes: number
  /** How many hosts it sees in each state. */
  readonly hosts: Readonly<Record<Liveness, number>>
}

/** What a replica says of itself from time to time. */
export interface Sign {
  readonly id: string
  readonly url: string | null
  readonly version: string
  /** The highest that it reads. */
  readonly featureLevel: number
  readonly mode: string
  readonly reason: string | null
  readonly revision: number
  readonly violations: number
  /** Store time, milliseconds since 1970. */
  readonly checkedAt: number | null
  readonly digests: TakenDigests
  /** Null until it follows the log, and of a release that does not report them. */
  readonly vitals: Vitals | null
}

/** A sign as it is kept; all times are the store's. */
export interface ReplicaRow extends Sign {
  /** What it had not applied of the log: changes, and milliseconds since the first of them. */
  readonly lagChanges: number
  readonly lagMs: number
  readonly startedAt: number
  readonly seenAt: number
  readonly stoppedAt: number | null
}

/** All replicas that gave a sign in the last day, at a time of the store. */
export interface ReplicaRows {
  readonly now: number
  readonly rows: readonly ReplicaRow[]
}

/**
 * What replicas say of themselves, for each other. The law, which replicas.suite.ts holds every engine to: a sign that was
 * kept is in every list that is asked for afterwards, by whichever replica.
 */
export interface ReplicaStore {
  /** Keeps a replica's sign, and how far the log is beyond it. */
  keep(sign: Sign): Promise<void>
  /** In the order of their start. */
  list(): Promise<ReplicaRows>
  /** The replica ended in order. */
  stop(id: string): Promise<void>
  /** Forgets replicas that have been silent for a day. */
  forget(): Promise<void>
}

/** After so long a silent replica is forgotten, milliseconds. */
export const FORGOTTEN_AFTER_MS = 86_400_000

/** Digests as they were kept. Another release may have written something else: that is no digest that can be compared. */
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

/** Vitals as they were kept; null where a release reported none, or something else. */
export function readVitals(value: unknown): Vitals | null {
  const { decisionsPerSecond, proposals, conflicts, memoryBytes, hosts } = (value ?? {}) as Partial<Vitals>
  const { UP, SUSPECT, DOWN } = (hosts ?? {}) as Partial<Vitals['hosts']>
  if (!isFigure(decisionsPerSecond) || !isFigure(proposals) || !isFigure(conflicts) || !isFigure(memoryBytes)) return null
  if (!isFigure(UP) || !isFigure(SUSPECT) || !isFigure(DOWN)) return null
  return { decisionsPerSecond, proposals, conflicts, memoryBytes, hosts: { UP, SUSPECT, DOWN } }
}

const isFigure = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0

function isPartDigest(value: unknown): value is PartDigest {
  if (value === null || typeof value !== 'object') return false
  const { revision, entry, part, digest } = value as Record<string, unknown>
  return typeof revision === 'number' && typeof entry === 'string' && typeof part === 'number' && typeof digest === 'string'
}
