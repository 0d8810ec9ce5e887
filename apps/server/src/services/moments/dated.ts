import type { Fleet } from '@gantt/scheduler-core'

/**
 * A record, with the past fleet `of` from which it was read. Further fields of the record are read from the same fleet. If `of` is absent,
 * the record was read from the present fleet.
 */
export type Dated<Thing> = Thing & { readonly of?: Fleet }

/** Adds to a record the past fleet from which it was read. The record is copied, because past fleets share records. */
export const datedIn = <Thing extends object>(thing: Thing, fleet: Fleet, present: Fleet): Dated<Thing> =>
  fleet === present ? thing : { of: fleet, ...thing }
