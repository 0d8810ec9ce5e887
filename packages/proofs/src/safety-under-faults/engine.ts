import type { Random } from '@gantt/scheduler-core'

/** A store that is tested under faults: its servers, its links to the replicas, and its faults. Each engine is a file in `engines/`. */
export interface Engine {
  /** A description of the servers of the store, such as `a primary and a synchronous standby`. */
  readonly parts: string
  /** The settings with which a replica reaches the store through its own links. */
  settingsOf(replica: number): Readonly<Record<string, string>>
  /** All connections of one replica to the store. A fault on them affects only this replica. */
  linkOf(replica: number): StoreLink
  /** The faults of this store. Faults of its links are not included. */
  readonly faults: readonly Fault[]
  /** The ways to lose a part of the store and restore it. Recovery is measured after each of them. */
  readonly losses: readonly Loss[]
  /** The faults that cannot be injected on this machine, each with the reason. */
  readonly left: readonly Left[]
  /** The state of the servers and their last output, to find the cause of a failed run. */
  describe(): Promise<string>
  /** Ends all processes and unmounts the disks. Faults must be undone before this call. */
  close(): Promise<void>
}

/** Starts an engine in its own folder, with links for this number of replicas. `say` gets messages for people. */
export type StartEngine = (options: {
  readonly folder: string
  readonly replicas: number
  /**
   * Whether each server gets its own small disk in memory, which a fault can fill. The default is true. False is for machines that do not
   * allow such disks.
   */
  readonly smallDisks?: boolean
  say(line: string): void
}) => Promise<Engine>

/** All connections of one replica to the store. */
export interface StoreLink {
  /** How many bytes the store has sent so far. */
  readonly received: number
  /** Cuts all connections. New connections are accepted. */
  sever(): void
  /** Accepts new connections or, if false, refuses them. */
  setOpen(isOpen: boolean): void
  /** Sets the additional delay of each chunk of data in both directions, in milliseconds. */
  setDelay(ms: number): void
  /** While the link is silent, no data arrives and no connection ends. */
  setSilent(isSilent: boolean): void
}

/** A fault that is injected into a run and undone later. */
export interface Fault {
  readonly name: string
  /**
   * The targets of the fault. Two faults with a common target are never injected at the same time. The target `replica` is the replica that
   * was chosen at random for this fault.
   */
  readonly hits: readonly string[]
  /** Injects the fault; resolves once it is undone, which also happens if the injection fails. */
  inject(replica: number, random: Random): Promise<void>
}

/** A way to lose a part of a store. The part is lost until it is restored. */
export interface Loss {
  readonly name: string
  /**
   * The lost part: the leader for writes, the database with the projections (if it is separate from the store), or every server at once.
   */
  readonly of: 'leader' | 'follower database' | 'all servers'
  take(): Promise<Taken>
}

export interface Taken {
  /** Resolves when another server is the leader. Undefined if a change of the leader cannot be observed. */
  readonly succeeded: Promise<void> | undefined
  /** Restores the part, and waits until all servers are in sync. */
  giveBack(): Promise<void>
}

/** The programs of the engine are not installed. The message explains how to install them. */
export class EngineMissingError extends Error {
  override readonly name = 'EngineMissingError'
}

export interface Left {
  readonly fault: string
  readonly why: string
}
