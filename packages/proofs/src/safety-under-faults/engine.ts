import type { Random } from '@gantt/scheduler-core'

/** A store under attack: what it is made of, how replicas reach it, and what can be done to it. An engine is one file in `engines/`. */
export interface Engine {
  /** Its parts, for people: `a primary and a synchronous standby`. */
  readonly parts: string
  /** The settings with which a replica reaches the store, through links of its own. */
  settingsOf(replica: number): Readonly<Record<string, string>>
  /** All ways of a replica to the store: whoever breaks them cuts this replica off, and no other. */
  linkOf(replica: number): StoreLink
  /** What can be done to this store beside cutting its links. */
  readonly faults: readonly Fault[]
  /** What can be taken from it until it is given back: what recovery is measured after. */
  readonly losses: readonly Loss[]
  /** What would be done, but cannot be done here, and why. */
  readonly left: readonly Left[]
  /** How its servers are, and what they wrote last: for whoever looks for the reason of a run that failed. */
  describe(): Promise<string>
  /** Ends every process, and removes what was mounted. What a fault has broken is made whole before that by the fault. */
  close(): Promise<void>
}

/** How an engine is started: in a folder of its own, with links for so many replicas. `say` gets what people may want to know. */
export type StartEngine = (options: {
  readonly folder: string
  readonly replicas: number
  /** Whether its servers have small disks of their own that can be filled, in memory; left out: they have where that can be done. */
  readonly smallDisks?: boolean
  say(line: string): void
}) => Promise<Engine>

/** All connections of one replica to the store at once. */
export interface StoreLink {
  /** Bytes that came from the store so far. */
  readonly received: number
  /** Cuts them; new ones are let through. */
  sever(): void
  /** While it is closed, none is let through. */
  setOpen(isOpen: boolean): void
  /** Milliseconds that each piece takes longer, both ways. */
  setDelay(ms: number): void
  /** While it is silent nothing arrives and nothing ends. */
  setSilent(isSilent: boolean): void
}

/** Something that is done to a run, and undone. */
export interface Fault {
  readonly name: string
  /** What it breaks: two faults never break the same thing at once. `replica` stands for the one that is drawn. */
  readonly hits: readonly string[]
  /** Resolves once what was done is undone. Undoes it, too, where it fails. */
  inject(replica: number, random: Random): Promise<void>
}

/** A part of a store that goes, and stays away until it is given back. */
export interface Loss {
  readonly name: string
  /** What goes: the one that writes go through, the database that only follows (an engine may have none), or every server at once. */
  readonly of: 'leader' | 'follower database' | 'all servers'
  take(): Promise<Taken>
}

export interface Taken {
  /** Resolves when another one leads, as far as that can be seen from outside; undefined where it cannot. */
  readonly succeeded: Promise<void> | undefined
  /** Gives it back, and waits until everything is in step. */
  giveBack(): Promise<void>
}

/** What the engine is made of is not on this machine; the message says how it gets there. */
export class EngineMissingError extends Error {
  override readonly name = 'EngineMissingError'
}

export interface Left {
  readonly fault: string
  readonly why: string
}
