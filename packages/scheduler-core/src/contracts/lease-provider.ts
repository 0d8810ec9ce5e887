import type { HostName } from '../values/host-name.ts'

/**
 * A sign of life: how many milliseconds ago a host was last heard, by the provider's own clock; 0 or more. Only the latest one of a host
 * counts.
 */
export interface Lease extends HostName {
  readonly heardMsAgo: number
}

/** The leases of hosts, open while a service runs. */
export interface Leases {
  /** Receives signs of life that arrived at this replica: reports and heartbeats. Absent if hosts send them to another system. */
  heard?(hosts: readonly HostName[]): void
  /** Resolves when the signs of life are visible to other replicas. */
  flush?(): PromiseLike<void> | void
  /** The latest sign of life of every known host, whichever replica received it. */
  list(): PromiseLike<readonly Lease[]> | readonly Lease[]
  close?(): PromiseLike<void> | void
}

/**
 * A source of signs of life outside of the database, for example a lock service or a board controller. It reports when hosts were last
 * heard, and the service decides on their liveness (docs/liveness.md). One replica at a time evaluates the signs. No host becomes DOWN
 * because a provider does not answer.
 */
export interface LeaseProvider {
  /** The name in GANTT_LIVENESS: 1 to 63 lower-case letters, digits and dashes. */
  readonly name: string
  /** One sentence for users: what counts as a sign of life of a host. */
  readonly description: string
  /** Called once before calls are served, if GANTT_LIVENESS names the provider. */
  open(): PromiseLike<Leases> | Leases
}
