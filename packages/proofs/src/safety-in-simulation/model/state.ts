import type { ModelChange } from './entry.ts'

export interface ModelClaim {
  id: string
  account: string
  /**
   * The project within which the instance has at most one live claim. If null, the instance has at most one live claim within the account
   * `within`, which made the first claim of the instance.
   */
  project: string | null
  within: string
  key: string
  instance: string | null
  host: string
  amounts: Record<string, number>
  /** The indices of the GPUs that the claim names. */
  gpus: number[]
  group: string | null
  fence: number
  state: string
  /** Whether the caller has confirmed the claim. */
  isConfirmed: boolean
  expiresAt: number | null
  /** Whether the reservation also ends when the figures of its host count the instance. */
  untilCounted: boolean
  /**
   * For a live claim that no longer expires: when its reservation with `untilCounted` would have expired. For an ended claim: the time until
   * which it holds `extra`, whatever its host reports.
   */
  heldUntil: number | null
  /** For the destination of a move that is not finished: the id of the claim at the source. */
  source: string | null
  /** For the source of such a move: the id of the claim at the destination. */
  target: string | null
  /** The amounts of the claim that the host's report does not count. */
  extra: Record<string, number> | null
  /** Whether the report does not count the GPUs of the claim. */
  extraGpus: boolean
  createdAt: number
  /** The time from which on the host should list the instance: the confirmation of the claim, or the end of its move. */
  askedAt: number
  /** The time at which the host stopped listing the instance. Null if the host lists the instance, or never listed it. */
  unlistedAt: number | null
  endedAt: number | null
  /** Whether the claim ended while its host listed the instance, and the host has listed it ever since. */
  lingers: boolean
}

/** The values that operators set for a host, by class. */
export type ModelOverrides = Record<string, { ratio?: SetValue; reserved?: SetValue }>

/** The values for documents in Nova's form that have no values of their own. */
export interface ModelFleetAllocation {
  version: number
  release: number | null
  classes: Record<string, { ratio?: number; reserved?: number }>
}
export interface ModelHost {
  name: string
  /** The indices of all GPUs. `gpusUsed` are the indices of those that the report shows as used. */
  gpus: number[]
  gpusUsed: number[]
  /** Ratios and reserved amounts that an operator set, by class. */
  allocation: ModelOverrides
  /** Whether an operator set that the used amounts of the host are computed from its claims, and not read from its reports. */
  fromClaims: boolean
  present: string[]
  /** The identity of the machine, as reported. */
  machine: string | null
  /** Whether the last report had no list of instances. */
  listsNothing: boolean
  incarnation: string
  pastIncarnations: string[]
  sequence: number
  /** The time of the last report. */
  reportedAt: number
  status: string
  liveness: string
  /** The revision of the last edit. */
  edited: number
  /** The last report. Null before the first, and for a host that left. */
  full: ModelChange | null
  /**
   * Whether the host has left the fleet: it was forgotten, it was readmitted and has not reported yet, or it was merged into a renamed
   * host.
   */
  gone: 'forgotten' | 'readmitted' | 'merged' | null
  /** The earlier names of the host, which other hosts may not use. */
  former: string[]
}
export interface ModelGroup {
  uuid: string
  policy: string
  max: number | null
  /** The groups from which the group is kept apart because of its members' claims. */
  apart: readonly string[]
  version: number
  edited: number
}
export interface ModelKey {
  account: string
  key: string
  claims: string[]
  /** The time at which the key is removed. Null while one of its claims is live. */
  forgottenAt: number | null
}
export interface ModelAggregate {
  uuid: string
  name: string
  zone: string | null
  metadata: Record<string, string>
  hosts: string[]
  version: number
}

/** A value that an operator set for a class of a host, and when. */
export interface SetValue {
  value: number
  at: number
}
