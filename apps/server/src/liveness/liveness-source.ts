import type { HostName } from '@gantt/scheduler-core'

/** The sources of the release; a plug-in may provide others (provided.ts). */
export const livenessSources = ['static', 'reports'] as const

/** The known signs of life of hosts, by the store's time, milliseconds since 1970. */
export interface Heard {
  /** The source that received the sign. */
  readonly source: string
  readonly now: number
  /** No signs were received before this: earlier silence means nothing. */
  readonly listeningSince: number
  /** Undefined if this source never received a sign. */
  lastOf(host: HostName): number | undefined
}

/**
 * A source of signs of life, apart from what hosts report about themselves. Any number of replicas receive signs, and
 * one at a time draws conclusions. The source itself decides nothing: conclusions become changes in the log.
 */
export interface LivenessSource {
  readonly name: string
  /** Records signs of life without delay for the caller: they are stored later, many at a time. */
  heard(hosts: Iterable<HostName>): void
  /** Resolves once other replicas can see the signs up to now, or rejects with the reason why they cannot. */
  flush(): Promise<void>
  /**
   * Returns the known signs; `isMine`: no other replica evaluates them at the same time, so that this one may write the
   * conclusions.
   */
  look(conclude: (heard: Heard, isMine: boolean) => Promise<void>): Promise<void>
  close(): Promise<void>
}
