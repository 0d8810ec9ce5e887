import type { HostName } from '@gantt/scheduler-core'

/** The store time of a host's last sign of life, milliseconds since 1970; undefined if there was none. */
export type LastOf = (host: HostName) => number | undefined

/** One read of the hosts' signs of life. */
export interface Look {
  /** Whether this replica alone evaluates the leases now and should write the result. Not a safety rule: the log judges each change. */
  readonly isMine: boolean
  /** The store's time. */
  readonly now: number
  /** Since when the signs have been read without a gap. */
  readonly listeningSince: number
  /** All leases that any replica renewed before this read. */
  leases(): Promise<LastOf>
}

/**
 * Signs of life of hosts, for all replicas: renewed in batches from memory, apart from the log. The law, which
 * leases.suite.ts holds every engine to:
 * - A renewed lease is in every read that begins afterwards, on every replica.
 * - If leases are lost, the reads show a gap in `listeningSince`, as if no replica had been running.
 */
export interface LeaseStore {
  /** Records a sign of life of each host now. Each host is listed once. */
  renew(hosts: readonly HostName[]): Promise<void>
  /**
   * Reads the leases, and resolves when `conclude` has. If no replica has read for longer than `breakMs`, `listeningSince`
   * begins anew. Errors of a read are rethrown; such a read counts as not done.
   */
  look(breakMs: number, conclude: (look: Look) => Promise<void>): Promise<void>
  close(): Promise<void>
}
