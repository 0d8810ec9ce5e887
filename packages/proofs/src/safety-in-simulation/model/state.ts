import type { ModelChange } from './entry.ts'

export interface ModelClaim {
  id: string
  account: string
  /** Within which its instance has one live claim; null: within `within`, the account that it was first made by. */
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
  /** The amounts that are not in the report's figures. */
  extra: Record<string, number> | null
  /** Whether its GPUs are among these amounts. */
  besideGpus: boolean
  createdAt: number
  /** Since when its host is to list its instance: it was confirmed then, or the other end of its move was gone. */
  askedAt: number
  /** The time since when its host no longer lists its instance, after it did. */
  unlistedAt: number | null
  endedAt: number | null
  /** Whether it ended while its host listed the instance, and the host has listed it ever since. */
  lingers: boolean
}

/** The overrides by class. */
export type ModelOverrides = Record<string, { ratio?: SetValue; reserved?: SetValue }>

/** The values in effect if documents in Nova's form have none. */
export interface ModelFleetAllocation {
  version: number
  release: number | null
  classes: Record<string, { ratio?: number; reserved?: number }>
}
export interface ModelHost {
  name: string
  /** GPUs by index, and those of them that the report shows in use. */
  gpus: number[]
  gpusUsed: number[]
  /** Ratios and reserved amounts that an operator set, class by class. */
  allocation: ModelOverrides
  /** An operator set that its used amounts come from claims. */
  fromClaims: boolean
  present: string[]
  /** The machine's identity, as reported. */
  machine: string | null
  /** Whether its last report had no list of instances. */
  listsNothing: boolean
  incarnation: string
  pastIncarnations: string[]
  sequence: number
  /** Time of its last report. */
  reportedAt: number
  status: string
  liveness: string
  /** Revision of the last edit. */
  edited: number
  /** The last report; null before the first, and for a host that left. */
  full: ModelChange | null
  /** No longer in the fleet: forgotten, readmitted with its next report, or merged into a host that was renamed. */
  gone: 'forgotten' | 'readmitted' | 'merged' | null
  /** The earlier names, which other hosts may not use. */
  former: string[]
}
export interface ModelGroup {
  uuid: string
  policy: string
  max: number | null
  /** Groups that it is kept apart from, by its members' claims. */
  apart: readonly string[]
  version: number
  edited: number
}
export interface ModelKey {
  account: string
  key: string
  claims: string[]
  /** Null while one of its claims lives. */
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

/** A value that an operator set of a class of a host, and when. */
export interface SetValue {
  value: number
  at: number
}
