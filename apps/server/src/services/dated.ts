import type { Fleet } from '@gantt/scheduler-core'

/** A record of a fleet. `of`: the fleet of the past that it belongs to, for what is asked about it next; not given: the present one. */
export type Dated<Thing> = Thing & { readonly of?: Fleet }

/** A record as one of a fleet that may be past. Fleets of the past share records, so that each question gets its own copy. */
export const datedIn = <Thing extends object>(thing: Thing, fleet: Fleet, present: Fleet): Dated<Thing> =>
  fleet === present ? thing : { ...thing, of: fleet }
