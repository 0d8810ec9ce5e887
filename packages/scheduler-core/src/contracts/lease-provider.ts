import type { HostName } from '../values/host-name.ts'

/**
 * A sign of life: how many milliseconds ago a host was heard, 0 or more, by the provider's own clock. Only the latest one of a host counts.
 */
export interface Lease extends HostName {
  readonly heardMsAgo: number
}

/** The leases of hosts, as long as a service runs. */
export interface Leases {
  /** Receives signs of life that arrived at this replica: reports and heartbeats. Absent if hosts send them elsewhere. */
  heard?(hosts: readonly HostName[]): void
  /** Resolves once the signs of life are visible to other replicas. */
  flush?(): PromiseLike<void> | void
  /** The latest sign of life of every known host, whichever replica received it. */
  list(): PromiseLike<readonly Lease[]> | readonly Lease[]
  close?(): PromiseLike<void> | void
}

/**
 * A source of signs of life outside of the database: for example a lock service or a board controller. It reports when
 * hosts were last heard; the service decides what follows (docs/liveness.md): one replica at a time evaluates the
 * signs, and no host becomes DOWN because a provider gives no answer.
 */
export interface LeaseProvider {
  /** The name in GANTT_LIVENESS: 1 to 63 lower-case letters, digits and dashes. */
  readonly name: string
  /** One sentence for people: what counts as a sign of life of a host. */
  readonly description: string
  /** Called once, before calls are served, by a service that is configured to use it. */
  open(): PromiseLike<Leases> | Leases
}
