import type { HostRecord, OwnHostRecord } from '../fleet/hosts.ts'

/** What a kind keeps about each host. It lives as long as the host's record, and is shared as that is: who writes it takes it of `hosts.own`. */
export interface HostState<State> {
  of(record: HostRecord): State
  set(record: OwnHostRecord, state: State): void
}

let states = 0

/**
 * `initial` is what a host has before its first report is taken over. Kept in the record itself: in one map of all records of all fleets, a
 * single host would sometimes wait until all others are in a larger one.
 */
export function createHostState<State>(initial: State): HostState<State> {
  const place = states++
  return {
    of: ({ ofKinds }) => (ofKinds[place] as State | undefined) ?? initial,
    set({ ofKinds }, state) {
      ofKinds[place] = state
    },
  }
}
