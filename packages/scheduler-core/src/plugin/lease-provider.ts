import type { HostName } from '../fleet/host-name.ts'

/** A sign of life: how long ago a host was heard, milliseconds, 0 or more, by the provider's own clock. Only the last of a host counts. */
export interface Lease extends HostName {
  readonly heardMsAgo: number
}

/** The leases of hosts, as long as a service runs. */
export interface Leases {
  /** Takes signs of life that came to this replica: reports and heartbeats. Left out where hosts sign elsewhere. */
  heard?(hosts: readonly HostName[]): void
  /** Ends once what was heard is in the answers that other replicas get. */
  flush?(): PromiseLike<void> | void
  /** The last sign of life of every host that it knows of, whoever heard it. */
  list(): PromiseLike<readonly Lease[]> | readonly Lease[]
  close?(): PromiseLike<void> | void
}

/**
 * Where signs of life are kept, other than in the database: a lock service, a board controller. It says when hosts were heard; what follows
 * is the service's (docs/liveness.md): one replica at a time concludes, and nobody is DOWN for what a provider fails to say.
 */
export interface LeaseProvider {
  /** As GANTT_LIVENESS names it: 1 to 63 lower-case letters, digits and dashes. */
  readonly name: string
  /** One sentence for people: when a host lives. */
  readonly description: string
  /** Called once by a service that is set to it, before it takes calls. */
  open(): PromiseLike<Leases> | Leases
}
