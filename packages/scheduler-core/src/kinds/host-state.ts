import type { HostRecord, OwnHostRecord } from '../hosts/hosts.ts'

/**
 * Data that a kind stores for each host. It belongs to the host's record and is shared together with it. Code that writes it must get the
 * record from `hosts.own`.
 */
export interface HostState<State> {
  of(record: HostRecord): State
  set(record: OwnHostRecord, state: State): void
}

let states = 0

/**
 * Creates a kind's data for each host. `initial` is the value of a host before its first report. The data is stored in the host's record,
 * because a single map of all hosts would have to be rebuilt when it grows.
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
