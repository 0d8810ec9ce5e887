import type { Random } from '@gantt/scheduler-core'

/** A store that is tested under faults: its parts, how replicas reach it, and its faults. Each engine is one file in `engines/`. */
export interface Engine {
  /** The description of its parts, such as `a primary and a synchronous standby`. */
  readonly parts: string
  /** The settings with which a replica reaches the store, through links of its own. */
  settingsOf(replica: number): Readonly<Record<string, string>>
  /** All connections of one replica to the store: breaking them cuts off this replica only. */
  linkOf(replica: number): StoreLink
  /** The faults of this store, other than those of its links. */
  readonly faults: readonly Fault[]
  /** The parts that can be stopped and started again: recovery is measured after each. */
  readonly losses: readonly Loss[]
  /** The faults that are not possible on this machine, and the reason. */
  readonly left: readonly Left[]
  /** The state of its servers, and their last output: for finding the reason of a failed run. */
  describe(): Promise<string>
  /** Ends all processes, and unmounts its disks. A fault that changed something undoes that before. */
  close(): Promise<void>
}

/** How an engine is started: in a folder of its own, with links for this many replicas. `say` gets messages for people. */
export type StartEngine = (options: {
  readonly folder: string
  readonly replicas: number
  /** Whether its servers have small disks of their own, in memory, that can be filled; by default they do if the machine allows it. */
  readonly smallDisks?: boolean
  say(line: string): void
}) => Promise<Engine>

/** All connections of one replica to the store together. */
export interface StoreLink {
  /** The number of bytes that the store has sent so far. */
  readonly received: number
  /** Cuts them; new connections are accepted. */
  sever(): void
  /** While it is closed, no connection is accepted. */
  setOpen(isOpen: boolean): void
  /** The additional delay of each piece of data in both directions, milliseconds. */
  setDelay(ms: number): void
  /** While it is silent nothing arrives and no connection ends. */
  setSilent(isSilent: boolean): void
}

/** Something that is done to a run and undone later. */
export interface Fault {
  readonly name: string
  /** The target of the fault: two faults never have the same target at once. `replica` means the drawn replica. */
  readonly hits: readonly string[]
  /** Resolves once the fault is undone, which also happens if it fails. */
  inject(replica: number, random: Random): Promise<void>
}

/** The loss of a part of a store, which lasts until the part is restored. */
export interface Loss {
  readonly name: string
  /** The lost part: the leader for writes, the database of projections (some engines have none), or every server at once. */
  readonly of: 'leader' | 'follower database' | 'all servers'
  take(): Promise<Taken>
}

export interface Taken {
  /** Resolves when another server is the leader, if that is visible from outside; otherwise undefined. */
  readonly succeeded: Promise<void> | undefined
  /** Ends the fault, and waits until all servers are in sync. */
  giveBack(): Promise<void>
}

/** The programs of the engine are not on this machine; the message says how to install them. */
export class EngineMissingError extends Error {
  override readonly name = 'EngineMissingError'
}

export interface Left {
  readonly fault: string
  readonly why: string
}
