import type { HostRecord, OwnHostRecord } from '../fleet/hosts.ts'

/** What a kind keeps about each host. It lives as long as the host's record, and is shared as that is: who writes it takes it of `hosts.own`. */
export interface HostState<State> {
  of(record: HostRecord): State
  set(record: OwnHostRecord, state: State): void
}

/** `initial` is what a host has before its first report is taken over. */
export function createHostState<State>(initial: State): HostState<State> {
  const states = new WeakMap<HostRecord, State>()
  return {
    of: (record) => states.get(record) ?? initial,
    set: (record, state) => void states.set(record, state),
  }
}
