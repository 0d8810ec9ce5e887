/**
 * How much of a class counts on a host beside its total: how many times over it is given away, and how much is kept back. Both may be said by
 * operators, aggregates, reports and the import of a nova.conf; what counts is worked out here, and nowhere else.
 */
/** Who said a value, when in store time, and why in their words. */

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

/** What operators set of one class of one host. */
export interface AllocationOverride {
  readonly ratio?: SetValue
  readonly reserved?: SetValue
}

/** By resource class. */
export type AllocationOverrides = Readonly<Record<string, AllocationOverride>>

/** What holds for all hosts whose document in Nova's form says nothing itself. */
export interface FleetAllocation extends SetBy {
  /** How often it was set; 0: never. */
  readonly version: number
  /** Nova's release, whose defaults count last; null: none is named. */
  readonly release: number | null
  readonly classes: Readonly<Record<string, AllocationAmounts>>
}
export const NO_ALLOCATION: FleetAllocation = { version: 0, release: null, classes: {}, by: '', at: 0, reason: '' }

/** The least ratio that a host's aggregates give a class, and which of them does. */
export interface AggregateRatio {
  readonly value: number
  readonly uuid: string
}

/** By resource class. */
export type AggregateRatios = Readonly<Record<string, AggregateRatio>>
export const NO_RATIOS: AggregateRatios = {}
