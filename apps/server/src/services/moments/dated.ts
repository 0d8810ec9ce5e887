import type { Fleet } from '@gantt/scheduler-core'

/** A record of a fleet. `of` is the past fleet to which it belongs, for fields that are read later; absent for the present fleet. */
export type Dated<Thing> = Thing & { readonly of?: Fleet }

/** Marks a record with its fleet, which may be a past one. Past fleets share records, so that each question gets its own copy. */
export const datedIn = <Thing extends object>(thing: Thing, fleet: Fleet, present: Fleet): Dated<Thing> =>
  fleet === present ? thing : { ...thing, of: fleet }
