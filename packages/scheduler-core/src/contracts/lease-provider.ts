import type { HostName } from '../values/host-name.ts'

/**
 * A heartbeat of a host: how many milliseconds ago the provider last heard from the host, by the provider's own clock; 0 or more. Only the
 * latest heartbeat of a host is used.
 */
export interface Lease extends HostName {
  readonly heardMsAgo: number
}

/** The leases of hosts, open while a service runs. */
export interface Leases {
  /** Receives the names of hosts whose reports or heartbeats arrived at this replica. Absent if hosts send heartbeats to another system. */
  heard?(hosts: readonly HostName[]): void
  /** Resolves when the heartbeats are visible to other replicas. */
  flush?(): PromiseLike<void> | void
  /** The latest heartbeat of every known host, regardless of the replica that received it. */
  list(): PromiseLike<readonly Lease[]> | readonly Lease[]
  close?(): PromiseLike<void> | void
}

/**
 * A source of heartbeats outside of the database, for example a lock service or a board controller. It reports when it last heard from
 * hosts, and the service decides on their liveness (docs/liveness.md). One replica at a time evaluates the heartbeats. No host becomes DOWN
 * because a provider does not answer.
 */
export interface LeaseProvider {
  /** The name in GANTT_LIVENESS: 1 to 63 lower-case letters, digits and dashes. */
  readonly name: string
  /** One sentence for users: what counts as a heartbeat of a host. */
  readonly description: string
  /** Called once before calls are served, if GANTT_LIVENESS names the provider. */
  open(): PromiseLike<Leases> | Leases
}
