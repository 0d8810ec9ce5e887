/**
 * How much of a class can be allocated on a host, in addition to its total: the allocation ratio and the reserved
 * amount. Operators, aggregates, reports and the import of a nova.conf may set both; the value in effect is determined
 * here, and nowhere else.
 */
/** Who set a value, the store time at which it was set, and the author's reason. */

import type { AllocationAmounts } from './change.ts'

export interface SetBy {
  readonly by: string
  readonly at: number
  readonly reason: string
}

/** A value that an operator set. */
export interface SetValue extends SetBy {
  readonly value: number
}

/** The values that operators set for one class of one host. */
export interface AllocationOverride {
  readonly ratio?: SetValue
  readonly reserved?: SetValue
}

/** The overrides by resource class. */
export type AllocationOverrides = Readonly<Record<string, AllocationOverride>>

/** Values for all hosts whose document in Nova's form states none itself. */
export interface FleetAllocation extends SetBy {
  /** How many times the values were set; 0 if never. */
  readonly version: number
  /** The release of Nova whose defaults count last; null: none is named. */
  readonly release: number | null
  readonly classes: Readonly<Record<string, AllocationAmounts>>
}
export const NO_ALLOCATION: FleetAllocation = { version: 0, release: null, classes: {}, by: '', at: 0, reason: '' }

/** The least ratio that a host's aggregates give a class, and the aggregate that gives it. */
export interface AggregateRatio {
  readonly value: number
  readonly uuid: string
}

/** The ratios by resource class. */
export type AggregateRatios = Readonly<Record<string, AggregateRatio>>
export const NO_RATIOS: AggregateRatios = {}
