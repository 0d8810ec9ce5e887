import type { HostName } from '@gantt/scheduler-core'

/** The sources of signs of life that are part of the release. A plug-in can provide further sources. */
export const livenessSources = ['static', 'reports'] as const

/** The known signs of life of hosts, by the store's time in milliseconds since 1970. */
export interface Heard {
  /** The name of the source that received the signs. */
  readonly source: string
  readonly now: number
  /** Signs before this time may have been missed, so earlier silence is ignored. */
  readonly listeningSince: number
  /** Undefined if this source never received a sign of life of the host. */
  lastOf(host: HostName): number | undefined
}

/**
 * A source of the signs of life of hosts. Any number of replicas receive signs, and one replica at a time evaluates them. The source itself
 * decides nothing. Results of the evaluation become changes in the log.
 */
export interface LivenessSource {
  readonly name: string
  /** Records signs of life without delaying the caller. They are stored later in batches. */
  heard(hosts: Iterable<HostName>): void
  /** Resolves when other replicas can read the signs received so far, or rejects with the reason why they cannot. */
  flush(): Promise<void>
  /**
   * Passes the known signs to `conclude`. `isMine`: no other replica evaluates them at the same time, so this replica may write the result.
   */
  look(conclude: (heard: Heard, isMine: boolean) => Promise<void>): Promise<void>
  close(): Promise<void>
}
