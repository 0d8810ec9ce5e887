import type { HostName } from '../values/host-name.ts'

/**
 * The latest heartbeat of a host. `heardMsAgo` is how many milliseconds ago the provider received it, by the provider's own clock, 0 or
 * more.
 */
export interface Lease extends HostName {
  readonly heardMsAgo: number
}

/** A connection to the heartbeats of hosts. It is open while a service runs. */
export interface Leases {
  /**
   * Called with the names of hosts whose reports or heartbeats this replica received. Absent if hosts send their heartbeats to another
   * system.
   */
  heard?(hosts: readonly HostName[]): void
  /** Resolves when other replicas can read the heartbeats that `heard` received. */
  flush?(): PromiseLike<void> | void
  /** The latest heartbeat of every known host, received by any replica. */
  list(): PromiseLike<readonly Lease[]> | readonly Lease[]
  close?(): PromiseLike<void> | void
}

/**
 * A source of heartbeats outside of the database, for example a lock service or a board controller. The provider reports when it last
 * received a heartbeat of each host, and the service determines the liveness of hosts (docs/liveness.md). One replica at a time evaluates
 * the heartbeats. If the provider does not answer, no host becomes DOWN.
 */
export interface LeaseProvider {
  /** The name in GANTT_LIVENESS: 1 to 63 lower-case letters, digits and dashes. */
  readonly name: string
  /** One sentence for users: what counts as a heartbeat of a host. */
  readonly description: string
  /** Called once before calls are served, if GANTT_LIVENESS names the provider. */
  open(): PromiseLike<Leases> | Leases
}
