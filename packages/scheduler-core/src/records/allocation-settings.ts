// Allocation ratios and reserved amounts that operators, aggregates and imports of a nova.conf set for hosts.

/** Who set a value, the store time (the database's clock) at which it was set, and why. */
export interface SetBy {
  readonly by: string
  readonly at: number
  readonly reason: string
}

/** A value that an operator set. */
export interface SetValue extends SetBy {
  readonly value: number
}

/** The values that operators set for one resource class on one host. */
export interface AllocationOverride {
  readonly ratio?: SetValue
  readonly reserved?: SetValue
}

/** The values that operators set for a host, by resource class. */
export type AllocationOverrides = Readonly<Record<string, AllocationOverride>>

/** The allocation ratio and the reserved amount of a resource class. An absent value is not set by the operator. */
export interface AllocationAmounts {
  readonly ratio?: number
  readonly reserved?: number
}

/** The default values of a resource class. */
export interface FleetAmounts extends AllocationAmounts {
  /**
   * How much of `reserved` is part of the used amounts that hosts report in Nova's form. Absent: all of it. Nova rounds a reserved amount of
   * disk that is not a whole number of GiB up in Placement, and down in the used disk of a host.
   */
  readonly reservedInUse?: number
}

/** Default allocation ratios and reserved amounts for hosts that report in Nova's form without these values. */
export interface FleetAllocation extends SetBy {
  /** How many times the values were set. */
  readonly version: number
  /** The release of Nova whose defaults apply if nothing else sets a value. Null if no release is set. */
  readonly release: number | null
  readonly classes: Readonly<Record<string, FleetAmounts>>
}
export const NO_ALLOCATION: FleetAllocation = { version: 0, release: null, classes: {}, by: '', at: 0, reason: '' }

/** The lowest allocation ratio that a host's aggregates set for a resource class, and the aggregate that sets it. */
export interface AggregateRatio {
  readonly value: number
  readonly uuid: string
}

/** The lowest allocation ratios that a host's aggregates set, by resource class. */
export type AggregateRatios = Readonly<Record<string, AggregateRatio>>
export const NO_RATIOS: AggregateRatios = {}
