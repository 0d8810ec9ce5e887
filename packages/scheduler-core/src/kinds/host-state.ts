import type { HostRecord } from '../fleet/hosts.ts'

/** What a kind keeps about each host. It lives as long as the host's record, so it belongs to one fleet. */
export interface HostState<State> {
  of(record: HostRecord): State
  set(record: HostRecord, state: State): void
}

/** `initial` is what a host has before its first report is taken over. */
export function createHostState<State>(initial: State): HostState<State> {
  const states = new WeakMap<HostRecord, State>()
  return {
    of: (record) => states.get(record) ?? initial,
    set: (record, state) => void states.set(record, state),
  }
}
