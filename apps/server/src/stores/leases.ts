import type { HostName } from '@gantt/scheduler-core'

/** When a host was last heard, by the store's time, milliseconds since 1970; undefined: never. */
export type LastOf = (host: HostName) => number | undefined

/** One look at the hosts' signs of life. */
export interface Look {
  /** No other replica looks at the same time, so that this one may write what follows. A courtesy: the log judges what follows. */
  readonly isMine: boolean
  /** The store's time. */
  readonly now: number
  /** Since when somebody has looked without a break. */
  readonly listeningSince: number
  /** All that was renewed by any replica before this look. */
  leases(): Promise<LastOf>
}

/**
 * Signs of life of hosts, for all replicas: renewed in batches from memory, apart from the log. The law, which
 * leases.suite.ts holds every engine to:
 * - What was renewed is in every look that begins afterwards, of whichever replica.
 * - A lease that is lost may only make hosts look as if nobody had listened.
 */
export interface LeaseStore {
  /** These hosts were heard now. Each is named once. */
  renew(hosts: readonly HostName[]): Promise<void>
  /**
   * Looks, and ends once `conclude` has. When nobody had looked for longer than `breakMs`, nobody listened meanwhile. What goes
   * wrong in a look is thrown again, and leaves it as if nobody had looked.
   */
  look(breakMs: number, conclude: (look: Look) => Promise<void>): Promise<void>
  close(): Promise<void>
}
