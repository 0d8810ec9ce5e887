import type { HostRecord, OwnHostRecord } from '../hosts/hosts.ts'

/**
 * Data that a resource kind stores for each host, in the host's record. Copies of a fleet share records, so code that writes the data must
 * get the record from `hosts.own`.
 */
export interface HostState<State> {
  of(record: HostRecord): State
  set(record: OwnHostRecord, state: State): void
}

let states = 0

/**
 * Creates the accessors for the data that a resource kind stores for each host. `initial` is the value before the first `set`. The data is
 * stored in the records of the hosts, because a single large map for all hosts would be rebuilt when it grows, which takes long.
 */
export function createHostState<State>(initial: State): HostState<State> {
  const index = states++
  return {
    of: ({ ofKinds }) => (ofKinds[index] as State | undefined) ?? initial,
    set({ ofKinds }, state) {
      // most hosts have only initial values, which need no memory
      if (state !== initial || ofKinds[index] !== undefined) ofKinds[index] = state
    },
  }
}
