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
  expiresAt: number | null
  /** The other ends of an open move. */
  source: string | null
  target: string | null
  /** What it holds beside the report's figures. */
  extra: Record<string, number> | null
  /** Since when its host is to list its instance: it was confirmed then, or the other end of its move was gone. */
  askedAt: number
  /** Since when its host lists its instance no more, after it did. */
  unlistedAt: number | null
  endedAt: number | null
  /** It ended while its host listed the instance, and the host has listed it ever since. */
  lingers: boolean
}

/** By class. */
export type ModelOverrides = Record<string, { ratio?: SetValue; reserved?: SetValue }>

/** What counts where documents in Nova's form say nothing. */
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
  /** An operator said that its used amounts come from claims. */
  fromClaims: boolean
  present: string[]
  /** The machine that it is, as it says. */
  machine: string | null
  /** Its last report had no list of instances. */
  listsNothing: boolean
  incarnation: string
  pastIncarnations: string[]
  sequence: number
  status: string
  liveness: string
  /** Revision of the last edit. */
  edited: number
  /** Its last report; null before the first, and of one that left. */
  full: ModelChange | null
  /** Not there any more: forgotten, let in again with its next report, or part of another host since that was renamed. */
  gone: 'forgotten' | 'readmitted' | 'merged' | null
  /** What it was called before, and may not be used by others. */
  former: string[]
}
export interface ModelGroup {
  uuid: string
  policy: string
  max: number | null
  /** Groups that it shares no host with, as its members said. */
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
