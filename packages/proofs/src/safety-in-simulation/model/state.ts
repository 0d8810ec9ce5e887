import type { ModelChange } from './entry.ts'

export interface ModelClaim {
  id: string
  account: string
  /** The project within which its instance has one live claim; null: the account in `within`, which made it first. */
  project: string | null
  within: string
  key: string
  instance: string | null
  host: string
  amounts: Record<string, number>
  /** GPUs that the claim names. */
  gpus: number[]
  group: string | null
  fence: number
  state: string
  /** Whether its caller has confirmed it. */
  isConfirmed: boolean
  expiresAt: number | null
  /** The other ends of an open move. */
  source: string | null
  target: string | null
  /** The amounts that the report does not count. */
  extra: Record<string, number> | null
  /** Whether its GPUs are not counted by the report either. */
  extraGpus: boolean
  createdAt: number
  /** The time since when its host should list its instance: it was confirmed then, or its move ended. */
  askedAt: number
  /** The time since when its host no longer lists its instance; null if it does, or never did. */
  unlistedAt: number | null
  endedAt: number | null
  /** Whether it ended while its host listed the instance, and the host has listed it ever since. */
  lingers: boolean
}

/** The values that operators set, by class. */
export type ModelOverrides = Record<string, { ratio?: SetValue; reserved?: SetValue }>

/** The values that apply to documents in Nova's form without their own. */
export interface ModelFleetAllocation {
  version: number
  release: number | null
  classes: Record<string, { ratio?: number; reserved?: number }>
}
export interface ModelHost {
  name: string
  /** The GPUs by index, and the indexes that the report shows as used. */
  gpus: number[]
  gpusUsed: number[]
  /** Ratios and reserved amounts that an operator set, by class. */
  allocation: ModelOverrides
  /** Whether an operator set that its used amounts come from claims. */
  fromClaims: boolean
  present: string[]
  /** The machine's identity, as reported. */
  machine: string | null
  /** Whether its last report had no list of instances. */
  listsNothing: boolean
  incarnation: string
  pastIncarnations: string[]
  sequence: number
  /** The time of its last report. */
  reportedAt: number
  status: string
  liveness: string
  /** The revision of the last edit. */
  edited: number
  /** The last report; null before the first, and for a host that left. */
  full: ModelChange | null
  /** Whether it has left the fleet: it was forgotten and may be readmitted by its next report, or was merged into a renamed host. */
  gone: 'forgotten' | 'readmitted' | 'merged' | null
  /** The earlier names, which other hosts may not use. */
  former: string[]
}
export interface ModelGroup {
  uuid: string
  policy: string
  max: number | null
  /** Groups that it is kept apart from because of its members' claims. */
  apart: readonly string[]
  version: number
  edited: number
}
export interface ModelKey {
  account: string
  key: string
  claims: string[]
  /** Null while one of its claims is live. */
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

/** A value that an operator set for a class of a host, and the time. */
export interface SetValue {
  value: number
  at: number
}
