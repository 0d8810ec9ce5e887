import type { HostRecord, OwnHostRecord } from '../hosts/hosts.ts'

/**
 * Data that a kind keeps about each host. It lives as long as the host's record and is shared with it: whoever writes it obtains the record
 * from `hosts.own`.
 */
export interface HostState<State> {
  of(record: HostRecord): State
  set(record: OwnHostRecord, state: State): void
}

let states = 0

/**
 * `initial` is the value of a host before its first report is taken over. The data is kept in the record itself, because one map of all
 * records would sometimes have to be rebuilt as a whole for a single new host.
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
