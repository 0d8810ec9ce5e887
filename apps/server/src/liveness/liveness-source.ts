import type { HostName } from '@gantt/scheduler-core'

/** The sources of the release; a plug-in may bring others (provided.ts). */
export const livenessSources = ['static', 'reports'] as const

/** What is known of the hosts' signs of life, by the store's time, milliseconds since 1970. */
export interface Heard {
  /** Who listened. */
  readonly source: string
  readonly now: number
  /** Nobody listened before this: silence before it says nothing of a host. */
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
  /** Shows what is known; `isMine`: no other replica looks at the same time, so that this one may write what follows. */
  look(conclude: (heard: Heard, isMine: boolean) => Promise<void>): Promise<void>
  close(): Promise<void>
}
