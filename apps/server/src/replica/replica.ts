import { randomUUID } from 'node:crypto'
import { type Change, FEATURE_LEVEL, type Fleet, hasAnswers, levelOf, levelOfRequest, publishedSpec } from '@gantt/scheduler-core'
import type { Flushing, StoreWentBackError, Synchronizer } from '../sync/synchronizer.ts'
import { realTimers } from '../timers.ts'
import { Freshness } from './answer/freshness.ts'
import { whenDurable } from './answer/when-durable.ts'
import { Follower, fleetOf } from './follow/follower.ts'
import type { StartFigures } from './follow/start.ts'
import { Appender, type AppenderOptions } from './propose/appender.ts'
import { createExpiry } from './propose/expiry.ts'
import { createLevels, type Levels } from './propose/levels.ts'
import { isMove } from './propose/moves.ts'
import type { Gathered, PlacementCall, PlacementOutcome } from './propose/placement.ts'
import type { Tally } from './propose/retries.ts'
import type { ChangeVerdict, ChangeWork, PlacementWork } from './propose/work.ts'
import type { Applied, Replaced, ReplicaOptions, Snapshot } from './replica-options.ts'
import { createDecisionChecks, type DecisionChecks } from './watch/decision-checks.ts'

/**
 * One process's copy of the fleet and its access to the log. A replica follows the log (Follower), appends entries for callers (Appender),
 * and knows how old its copy is (Freshness).
 */
export class Replica {
  readonly name: string
  readonly #store: Synchronizer
  readonly #options: AppenderOptions
  readonly #follower: Follower
  readonly #freshness: Freshness
  readonly #appender: Appender
  readonly #levels: Levels
  readonly #stopExpiry: () => void
  #startFigures: StartFigures = { checkpoint: 0, checkpointMs: 0, entries: 0, entriesMs: 0 }

  /** Loads the newest checkpoint and the log after it, then follows the log. Throws when the store cannot be read. */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const { now } = options.timers ?? realTimers
    const startedAt = now()
    const checkpoint = await options.store.loadCheckpoint(Number.MAX_SAFE_INTEGER)
    const replica = new Replica(options, fleetOf(checkpoint, options))
    const loadedAt = now()
    try {
      const entries = await replica.#follower.catchUp()
      replica.#startFigures = {
        checkpoint: checkpoint?.place.revision ?? 0,
        checkpointMs: loadedAt - startedAt,
        entries,
        entriesMs: now() - loadedAt,
      }
      // from here on, every state that answers depend on is durable
      await options.store.durable(replica.fleet.place)
      replica.#freshness.watch.learn(await options.store.time())
    } catch (error) {
      replica.#stopExpiry()
      await replica.#follower.close()
      throw error
    }
    replica.#appender.start()
    return replica
  }

  /** The share of this replica's decisions that is made a second time. */
  readonly decisionChecks: DecisionChecks

  private constructor(options: ReplicaOptions, fleet: Fleet) {
    this.#options = { newId: randomUUID, newSeed: () => randomUUID().slice(0, 8), timers: realTimers, ...options }
    const { store, timers } = this.#options
    this.name = options.name
    this.#store = store
    this.#appender = new Appender(this.#options, () => ({
      follower: this.#follower,
      freshness: this.#freshness,
      levels: this.#levels,
      checks: this.decisionChecks,
    }))
    this.decisionChecks = createDecisionChecks({ now: () => this.storeTime, warn: options.warn })
    this.#freshness = new Freshness({
      ...{ store, timers },
      isStopped: () => this.isClosing || this.halted !== undefined,
      wake: () => this.#appender.wake(),
    })
    this.#follower = new Follower(this.#options, fleet, this.#freshness, this.#appender)
    this.#levels = createLevels(() => this.fleet, options)
    store.onGrowth((revision) => {
      if (revision !== undefined && revision <= this.fleet.place.revision) return
      this.#freshness.lookAtStore()
    })
    const expireOverdue = createExpiry(this)
    this.#stopExpiry = timers.every(1_000, () => {
      this.#freshness.watch.ask()
      expireOverdue()
      // if the store becomes unavailable, calls that wait for it end at once
      if (this.isStoreAway) this.#freshness.changed.notify()
    })
  }

  /** The fleet with all applied entries. It must be read synchronously, because it changes with each entry. */
  get fleet(): Fleet {
    return this.#follower.fleet
  }

  /** The revision with which this replica started, and how long loading it took. */
  get startFigures(): StartFigures {
    return this.#startFigures
  }

  /** Why this replica answers only reads; undefined if it accepts writes. */
  get halted(): Error | undefined {
    return this.#appender.halted
  }

  /** The last revision that answers may depend on. A crash of the store can lose later entries. */
  get durableRevision(): number {
    return this.#follower.durableRevision
  }

  /** The name of the store's engine. */
  get engine(): string {
    return this.#store.engine
  }

  /** When the store flushes entries to the disk. */
  get flushing(): Flushing {
    return this.#store.flushing
  }

  /**
   * This replica's estimate of the store's time, in milliseconds since 1970. Whether a change in the log takes effect depends on the times
   * that the store gave the entries, and not on this estimate.
   */
  get storeTime(): number {
    return this.#freshness.watch.now(this.fleet.now)
  }

  /** How long ago the fleet was last known to be as new as the store, in milliseconds. About a second without load. */
  get age(): number {
    return this.#freshness.age
  }

  /** True if the store has been silent for so long that calls are refused at once instead of waiting for it. */
  get isStoreAway(): boolean {
    return this.#freshness.isStoreAway
  }

  /** The results of this replica's decisions. */
  get tally(): Tally {
    return this.#appender.tally
  }

  get isClosing(): boolean {
    return this.#appender.isClosing
  }

  /** Calls the listener after every entry that is applied here, in order. Returns a function that ends the subscription. */
  onApplied(listener: (applied: Applied) => void): () => void {
    return this.#follower.onApplied(listener)
  }

  /**
   * Calls the listener after this replica's fleet was replaced by another fleet, for example by `adopt`. A listener that followed the
   * entries of the old fleet must then start again. Returns a function that ends the subscription.
   */
  onReplaced(listener: (replaced: Replaced) => void): () => void {
    return this.#follower.onReplaced(listener)
  }

  /**
   * Calls the listener with a copy of the present fleet at once, and later with the copy for each checkpoint and with a copy of each fleet
   * that replaces this replica's fleet. Returns a function that ends the subscription.
   */
  onSnapshot(listener: (snapshot: Snapshot) => void): () => void {
    return this.#follower.onSnapshot(listener)
  }

  /**
   * Decides a call and claims resources. Throws UnavailableError if there is no answer in time. A later call with the same key returns the
   * outcome.
   */
  place(call: PlacementCall): Promise<PlacementOutcome> {
    const { timers } = this.#options
    const gather = call.gather ?? this.#options.gather
    const since = timers.now()
    const gathering = gather?.(() => this.fleet, call)
    if (gathering === undefined) return this.#place(call)
    return gathering.then((gathered) =>
      this.#place({ ...call, deadlineMs: Math.max(1, call.deadlineMs - (timers.now() - since)) }, gathered),
    )
  }

  #place(call: PlacementCall, gathered: Gathered = {}): Promise<PlacementOutcome> {
    const { newId } = this.#options
    const enqueue = () =>
      this.#appender.enqueue<PlacementOutcome, PlacementWork>(call.deadlineMs, (waiting) => ({
        type: 'placement',
        call,
        decisionId: newId(),
        claimIds: Array.from({ length: call.request.numInstances }, () => newId()),
        notAfter: this.storeTime + call.deadlineMs,
        attempt: 0,
        hasMovedTime: false,
        gathered,
        gatherings: 1,
        ...waiting,
      }))
    if (this.fleet.featureLevel >= FEATURE_LEVEL) return enqueue()
    const isAnswered = gathered.profile !== undefined && hasAnswers(gathered.profile)
    const traits = { isMove: isMove(call.intent), isAnswered }
    const level = levelOfRequest(publishedSpec(call.request), traits)
    return this.#levels.learn().then(() => this.#levels.admit(level, enqueue))
  }

  /** Writes changes that need no decision. Resolves with a verdict for each change, which states whether the change took effect. */
  propose(changes: readonly Change[], deadlineMs = 10_000): Promise<readonly ChangeVerdict[]> {
    if (changes.length === 0) return Promise.resolve([])
    const enqueue = () =>
      this.#appender.enqueue<readonly ChangeVerdict[], ChangeWork>(deadlineMs, (waiting) => ({ type: 'changes', changes, ...waiting }))
    if (this.fleet.featureLevel >= FEATURE_LEVEL) return enqueue()
    const atLevel = () => this.#levels.admit(Math.max(...changes.map(levelOf)), enqueue)
    // the first entry of a new log raises the log to the feature level of this release
    return this.fleet.place.revision === 0 ? this.#levels.learn().then(atLevel) : atLevel()
  }

  /** Replaces the fleet by one that was rebuilt from the log at the same revision. Throws RangeError for a fleet at another revision. */
  adopt(fleet: Fleet): void {
    this.#follower.adopt(fleet)
  }

  /**
   * Undefined if the whole present fleet is durable. Otherwise resolves when the fleet is durable; answers from the fleet wait for this.
   * Throws UnavailableError if the store does not answer, or has lost the state.
   */
  settled(timeoutMs = 10_000): Promise<void> | undefined {
    const { place } = this.fleet
    // a halted replica answers from its last state, because no flush can make that state durable
    if (place.revision <= this.#store.durableRevision() || this.halted !== undefined) return undefined
    return whenDurable(this.#appender.held, place, this.#options.timers, timeoutMs)
  }

  /** Resolves with true when this replica has applied a revision and the revision is durable, and with false after a timeout. */
  reached(revision: number, timeoutMs: number): Promise<boolean> {
    return this.#freshness.until(() => {
      if (this.fleet.place.revision < revision) return false
      if (this.#store.durableRevision() >= revision) return true
      this.settled(timeoutMs)?.then(
        () => this.#freshness.changed.notify(),
        () => undefined,
      )
      return false
    }, timeoutMs)
  }

  /** Resolves when the fleet is as new as the end of the log was at this call. Throws UnavailableError when the store does not answer. */
  fresh(timeoutMs = 10_000): Promise<void> {
    return this.#freshness.wait(() => false, timeoutMs)
  }

  /**
   * Like `fresh`, for reads: if the store is unavailable, or if this replica no longer accepts writes, the present state is used instead of
   * an error. `age` is the age of that state.
   */
  freshest(timeoutMs = 10_000): Promise<void> {
    return this.#freshness.wait(() => this.isStoreAway || this.halted !== undefined, timeoutMs)
  }

  /** Stops accepting writes, because the store does not have the log that this fleet has followed. */
  refuseWrites(error: StoreWentBackError): void {
    if (this.halted !== undefined) return
    this.#appender.halt(error)
    this.#appender.wake()
  }

  /** Finishes the waiting calls, then stops following the log. */
  async close(): Promise<void> {
    if (this.isClosing) return
    this.#stopExpiry()
    await this.#appender.close()
    await this.#follower.close()
    await this.#store.close()
  }
}
