import type { Fleet } from '@gantt/scheduler-core'

/**
 * A record of a fleet. `of` is the past fleet to which the record belongs, from which further fields are read. Absent: the present fleet.
 */
export type Dated<Thing> = Thing & { readonly of?: Fleet }

/** Marks a record with its fleet, which can be a past one. Past fleets share records, so each question gets a copy. */
export const datedIn = <Thing extends object>(thing: Thing, fleet: Fleet, present: Fleet): Dated<Thing> =>
  fleet === present ? thing : { ...thing, of: fleet }
