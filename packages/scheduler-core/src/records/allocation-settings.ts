// The settings by which operators, aggregates and imports of a nova.conf determine how much of a class can be allocated on a host.
import type { AllocationAmounts } from './change.ts'

/** Who set a value, the store time at which it was set, and the author's reason. */
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

/** Values for all hosts with a document in Nova's form that does not contain them. */
export interface FleetAllocation extends SetBy {
  /** The number of times that the values were set. 0 if never. */
  readonly version: number
  /** The release of Nova with the defaults that apply if nothing else does. Null if no release is set. */
  readonly release: number | null
  readonly classes: Readonly<Record<string, AllocationAmounts>>
}
export const NO_ALLOCATION: FleetAllocation = { version: 0, release: null, classes: {}, by: '', at: 0, reason: '' }

/** The lowest ratio that a host's aggregates set for a class, and the aggregate that sets it. */
export interface AggregateRatio {
  readonly value: number
  readonly uuid: string
}

/** The ratios of aggregates by resource class. */
export type AggregateRatios = Readonly<Record<string, AggregateRatio>>
export const NO_RATIOS: AggregateRatios = {}
