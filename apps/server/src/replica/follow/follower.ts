import { type Checkpoint, copyFleet, type Fleet, type LogEntry, rebuildFleet, type Void } from '@gantt/scheduler-core'
import { runYielding } from '../../event-loop/pauses.ts'
import { DEFAULT_HORIZON } from '../../sync/retention.ts'
import { LogTrimmedError, StoreUnavailableError, StoreWentBackError, type Synchronizer } from '../../sync/synchronizer.ts'
import { realTimers, type Timers } from '../../timers.ts'
import type { Freshness } from '../answer/freshness.ts'
import { behindDurable } from '../answer/lost-entries.ts'
import { createListeners, type Listeners } from '../listeners.ts'
import type { Applied, Replaced, ReplicaOptions, Snapshot } from '../replica-options.ts'
import { createCheckpointer } from './checkpointer.ts'
import { createHistory } from './history.ts'

const READ_LIMIT = 1_000

/** Calls from the follower to the appender, which then updates its entries in flight and the answers that it has not sent yet. */
export interface FollowerHooks {
  /** Called after an entry was applied, and before the listeners are called. */
  onEntry(entry: LogEntry, verdicts: readonly Void[]): void
  /** Called when the fleet is as new as the end of the log. */
  onCaughtUp(): void
  /** Called when the fleet was replaced by the fleet of a later checkpoint, because the log no longer contained the next entry. */
  onJump(): void
  /** Called when the store lost all entries after a revision. Returns how many of this replica's entries are written again. */
  onRewind(revision: number): number
}

/**
 * Keeps the fleet of a replica up to date: reads the log and applies its entries. Rebuilds the fleet if the store lost entries, or trimmed
 * entries that were not applied yet.
 */
export class Follower {
  #fleet: Fleet
  readonly #store: Synchronizer
  readonly #options: Pick<ReplicaOptions, 'warn' | 'mayCheckpoint'>
  readonly #timers: Timers
  readonly #freshness: Freshness
  readonly #hooks: FollowerHooks
  readonly #applied: Listeners<Applied>
  readonly #replaced = createListeners<Replaced>()
  readonly #snapshots = createListeners<Snapshot>()
  readonly #checkpointer: ReturnType<typeof createCheckpointer>
  /**
   * The revision at which `adopt` last replaced the fleet. Checkpoints up to this revision are not stored, because they can be copies of
   * the replaced fleet.
   */
  #adoptedAt = -1

  constructor(options: ReplicaOptions, fleet: Fleet, freshness: Freshness, hooks: FollowerHooks) {
    const { store, warn, timers = realTimers, horizon = DEFAULT_HORIZON } = options
    this.#fleet = fleet
    this.#store = store
    this.#options = options
    this.#timers = timers
    this.#freshness = freshness
    this.#hooks = hooks
    this.#applied = createListeners((error, { entry }) =>
      warn(
        `a listener to the log failed at revision ${entry.revision}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      ),
    )
    this.#checkpointer = createCheckpointer(this.#checkpointStore(), {
      ...{ timers, horizon, warn },
      revision: fleet.place.revision,
      onCopy: (copy, changes) => this.#snapshots.notify({ fleet: copy, of: this.#fleet, changes }),
    })
  }

  get fleet(): Fleet {
    return this.#fleet
  }

  /** The last revision that survives a crash of the store and is applied here. */
  get durableRevision(): number {
    return Math.min(this.#store.durableRevision(), this.#fleet.place.revision)
  }

  onApplied(listener: (applied: Applied) => void): () => void {
    return this.#applied.add(listener)
  }

  onReplaced(listener: (replaced: Replaced) => void): () => void {
    return this.#replaced.add(listener)
  }

  onSnapshot(listener: (snapshot: Snapshot) => void): () => void {
    listener(this.#snapshot())
    return this.#snapshots.add(listener)
  }

  /**
   * Applies all entries up to the end of the log, and returns how many there were. Afterwards the fleet contains everything that the log
   * had at the call.
   */
  async catchUp(): Promise<number> {
    const askedAt = this.#freshness.arrivals
    let missed = 0
    this.#freshness.hasNews = false
    for (;;) {
      const entries = await this.#store.read(this.#fleet.place, READ_LIMIT).catch((error: unknown) => {
        if (error instanceof LogTrimmedError) return undefined
        throw error
      })
      if (entries === undefined) {
        await this.#reload()
        continue
      }
      for (const entry of entries) this.apply(entry)
      missed += entries.length
      if (entries.length < READ_LIMIT) break
    }
    this.#freshness.reachedHead(askedAt)
    this.#hooks.onCaughtUp()
    return missed
  }

  /** Applies all entries up to a revision that the store is known to have. Does not read later entries. */
  async readTo(revision: number): Promise<void> {
    while (this.#fleet.place.revision < revision) {
      const { place } = this.#fleet
      for (const entry of await this.#store.read(place, Math.min(READ_LIMIT, revision - place.revision))) this.apply(entry)
      if (this.#fleet.place.revision === place.revision)
        throw new StoreUnavailableError(
          `the store acknowledged revision ${revision}, but a read after revision ${place.revision} returned nothing`,
        )
    }
  }

  apply(entry: LogEntry): void {
    const verdicts = this.#fleet.apply(entry)
    this.#freshness.watch.learn(entry.at)
    this.#hooks.onEntry(entry, verdicts)
    this.#applied.notify({ entry, verdicts })
    this.#freshness.changed.notify()
    this.#checkpointer.applied(this.#fleet, entry.changes.length)
  }

  /** Replaces the fleet by one that was rebuilt from the log at the same revision. Throws RangeError for a fleet at another revision. */
  adopt(fleet: Fleet): void {
    const { revision, id, at } = this.#fleet.place
    if (fleet.place.revision !== revision || fleet.place.id !== id || fleet.place.at !== at)
      throw new RangeError(`a fleet at revision ${fleet.place.revision} cannot replace one at revision ${revision}`)
    this.#adoptedAt = revision
    this.#replace(fleet, true)
    this.#checkpointer.applied(fleet, 0)
    this.#freshness.changed.notify()
  }

  /**
   * Called when the log in the store ends before the last entry that this replica has read. If all durable entries are there, only entries
   * that were not flushed are lost, and no caller got an answer that depends on them: the replica loads its state again, and writes its own
   * lost entries again. If a durable entry is missing, the store is a restored backup or lost data in a fail-over: the error is rethrown.
   */
  async rewind(error: StoreWentBackError): Promise<void> {
    const { place, places } = this.#fleet
    const durable = places.get(this.durableRevision)
    if (durable === undefined || durable.revision === place.revision) throw behindDurable(error)
    await this.#store.read(durable, 1).catch((problem: unknown) => {
      throw problem instanceof StoreWentBackError ? behindDurable(problem) : problem
    })
    const fleet = await createHistory(this.#store, 0, this.#fleet).at(durable.revision)
    const lost = this.#hooks.onRewind(durable.revision)
    this.#replace(fleet, false)
    this.#options.warn(
      `the store lost its unflushed tail, revisions ${durable.revision + 1} to ${place.revision}; no answer depended on it; ${lost} changes of this replica are written again`,
    )
    await this.catchUp()
  }

  close(): Promise<void> {
    return this.#checkpointer.close()
  }

  /** Loads the fleet of the newest checkpoint if the log no longer contains the entry after this replica's position. */
  async #reload(): Promise<void> {
    const before = this.#fleet.place.revision
    const checkpoint = await this.#store.loadCheckpoint(Number.MAX_SAFE_INTEGER)
    if (checkpoint === undefined || checkpoint.place.revision <= before)
      throw new StoreWentBackError(`the log no longer follows revision ${before}, and there is no later checkpoint`)
    this.#replace(await runYielding(rebuildFleet(checkpoint, this.#fleet), this.#timers), false)
    this.#options.warn(`the log no longer reaches back to revision ${before}; going on from the checkpoint at ${checkpoint.place.revision}`)
    this.#hooks.onJump()
  }

  #replace(fleet: Fleet, isHealed: boolean): void {
    const before = this.#fleet
    this.#fleet = fleet
    this.#snapshots.notify(this.#snapshot())
    this.#replaced.notify({ before, isHealed })
  }

  #snapshot(): Snapshot {
    return { fleet: copyFleet(this.#fleet), of: this.#fleet, changes: 0 }
  }

  /** The store for checkpoints. It stores no checkpoint of a fleet with errors, or of a fleet that was replaced. */
  #checkpointStore(): Synchronizer {
    const { mayCheckpoint = () => true } = this.#options
    const isKept = ({ place }: Checkpoint): boolean => place.revision > this.#adoptedAt && mayCheckpoint()
    return { ...this.#store, saveCheckpoint: async (checkpoint) => isKept(checkpoint) && this.#store.saveCheckpoint(checkpoint) }
  }
}
