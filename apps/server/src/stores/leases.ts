import type { HostName } from '@gantt/scheduler-core'

/** The store time of a host's last sign of life, milliseconds since 1970; undefined if there was none. */
export type LastOf = (host: HostName) => number | undefined

/** One read of the hosts' signs of life. */
export interface Look {
  /**
   * True if only this replica evaluates the leases now and should write the result. Safety does not depend on this, because each change is
   * checked again when it is applied.
   */
  readonly isMine: boolean
  /** The store's time, in milliseconds since 1970. */
  readonly now: number
  /** The store's time since which the signs of life have been read without a gap. */
  readonly listeningSince: number
  /** All leases that any replica renewed before this read. */
  leases(): Promise<LastOf>
}

/**
 * Signs of life of hosts, for all replicas. They are renewed in batches from memory, outside of the log. The laws, which leases.suite.ts
 * checks for every engine:
 * - A renewed lease is in every later read, on every replica.
 * - If leases are lost, reads show a gap in `listeningSince`, as if no replica had been running.
 */
export interface LeaseStore {
  /** Records a sign of life of each host now. Each host must be listed once. */
  renew(hosts: readonly HostName[]): Promise<void>
  /**
   * Reads the leases, and resolves when `conclude` has resolved. If no replica has read for longer than `breakMs`, `listeningSince` starts
   * again. Errors are rethrown, and a read that fails does not change `listeningSince`.
   */
  look(breakMs: number, conclude: (look: Look) => Promise<void>): Promise<void>
  close(): Promise<void>
}
