import type { HostName } from '@gantt/scheduler-core'

/** The sources of the release; a plug-in may bring others (provided.ts). */
export const livenessSources = ['static', 'reports'] as const

/** The known signs of life of hosts, by the store's time, milliseconds since 1970. */
export interface Heard {
  /** The source that received the sign. */
  readonly source: string
  readonly now: number
  /** No signs were received before this: earlier silence means nothing. */
  readonly listeningSince: number
  /** Undefined: never heard by this source. */
  lastOf(host: HostName): number | undefined
}

/**
 * Where signs of life come from, apart from what hosts report about themselves: any number of replicas hear hosts, and one
 * at a time draws the conclusions. Nothing here decides: what follows becomes a change in the log.
 */
export interface LivenessSource {
  readonly name: string
  /** Takes signs of life. It costs the caller nothing: they are written later, many at a time. */
  heard(hosts: Iterable<HostName>): void
  /** Ends once other replicas can see what was heard so far, or rejects with why they cannot. */
  flush(): Promise<void>
  /**
   * Returns the known signs; `isMine`: no other replica evaluates them at the same time, so that this one may write the
   * conclusions.
   */
  look(conclude: (heard: Heard, isMine: boolean) => Promise<void>): Promise<void>
  close(): Promise<void>
}
