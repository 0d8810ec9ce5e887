import { randomUUID } from 'node:crypto'
import {
  type Change,
  type Checkpoint,
  copyFleet,
  Fleet as EmptyFleet,
  FEATURE_LEVEL,
  type Fleet,
  type FleetReader,
  hasAnswers,
  type LogEntry,
  levelOf,
  levelOfRequest,
  publishedSpec,
  rebuildFleet,
  restoreFleet,
  UnknownEntryError,
} from '@gantt/scheduler-core'
import { DEFAULT_HORIZON } from '../sync/retention.ts'
import {
  EntryTooLargeError,
  type Flushing,
  LogTrimmedError,
  StoreUnavailableError,
  StoreWentBackError,
  type Synchronizer,
} from '../sync/synchronizer.ts'
import { realTimers } from '../timers.ts'
import { type Batch, buildBatch } from './batch.ts'
import type { Beginning } from './beginning.ts'
import { type CallQueue, createCallQueue } from './call-queue.ts'
import { createCheckpointer } from './checkpointer.ts'
import { createExpiry } from './expiry.ts'
import { FeatureLevelError, onceReadable } from './feature-level.ts'
import { createHeldAnswers, type HeldAnswers } from './held-answers.ts'
import { createHistory } from './history.ts'
import { createListeners, type Listeners } from './listeners.ts'
import { behindDurable, dropBehind, dropInFlight } from './lost-tail.ts'
import { isMove } from './moves.ts'
import { inPieces } from './pieces.ts'
import type { Gathered } from './placement.ts'
import { type PlacementCall, type PlacementOutcome, UnavailableError } from './placement.ts'
import type { Applied, ReplicaOptions, Still } from './replica-options.ts'
import { createRetries, type Retries, type Tally } from './retries.ts'
import { settle } from './settle.ts'
import { createSignal, type Signal } from './signal.ts'
import { createStoreWatch, type StoreWatch } from './store-watch.ts'
import { BATCHES_PER_TURN, createTurns, type Turns } from './turns.ts'
import { createUnlogged, type Unlogged } from './unlogged.ts'
import { whenDurable } from './when-durable.ts'
import type { ChangeVerdict, ChangeWork, PlacementWork, Waiting, Work } from './work.ts'

const fleetOf = (checkpoint: Checkpoint | undefined, reader: FleetReader): Fleet =>
  checkpoint === undefined ? new EmptyFleet(reader) : restoreFleet(checkpoint, reader)

/** A turn ends after this long, whatever still waits. */
const TURN_MS = 5
const READ_LIMIT = 1_000
/** The store is looked at each second: one that fails, or owes an answer, for longer than a look and its answer take, is away. */
const STORE_AWAY_MS = 2_500
/** Pauses before what failed is tried again; the last is kept to: it is what an outage lasts longer than it has to. */
const RETRY_MS = [10, 20, 50, 100, 200] as const

/**
 * One process's copy of the fleet and its door to the log. Calls wait in a queue; what waits is decided, packed into one
 * entry and appended whenever nothing is in flight; a caller is answered when its entry is durable and its claims counted.
 */
export class Replica {
  readonly name: string
  #fleet: Fleet
  #halted: Error | undefined
  #beginning: Beginning = { checkpoint: 0, checkpointMs: 0, entries: 0, entriesMs: 0 }
  #closing = false
  readonly #store: Synchronizer
  readonly #options: Required<Pick<ReplicaOptions, 'newId' | 'newSeed' | 'timers'>> & ReplicaOptions
  readonly #queue: CallQueue
  #inFlight: Batch | undefined
  /** How much work the next entry may hold: less after one that was too large for the store. */
  #mostWorks = Number.POSITIVE_INFINITY
  /** Answers that rest on entries that a crash of the store may still take back. */
  readonly #held: HeldAnswers
  readonly #listeners: Listeners<Applied>
  readonly #replaced = createListeners<void>()
  readonly #stills = createListeners<Still>()
  readonly #moved: Signal
  readonly #watch: StoreWatch
  /** When the fleet was last known to be as new as the store. */
  #freshAt: number
  #isStoreFailing = false
  readonly #unlogged: Unlogged
  /** Calls that wait beside the queue, for others to answer. */
  readonly #beside = new Set<PlacementWork>()
  #arrivals = 0
  #freshUpTo = -1
  #news = true
  #adoptedAt = -1
  /** The feature level that every living replica was found to read, for the next entry; 0 while that was not asked. */
  #raiseTo = 0
  readonly #turns: Turns
  readonly #retries: Retries
  #wake: (() => void) | undefined
  #running: Promise<void> = Promise.resolve()
  readonly #stopExpiry: () => void
  readonly #checkpointer: ReturnType<typeof createCheckpointer>

  /** Loads the newest checkpoint and the log after it, then follows. Throws when the store cannot be read. */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const { now } = options.timers ?? realTimers
    const startedAt = now()
    const checkpoint = await options.store.loadCheckpoint(Number.MAX_SAFE_INTEGER)
    const replica = new Replica(options, fleetOf(checkpoint, options))
    const loadedAt = now()
    try {
      const entries = await replica.#catchUp()
      replica.#beginning = {
        checkpoint: checkpoint?.place.revision ?? 0,
        checkpointMs: loadedAt - startedAt,
        entries,
        entriesMs: now() - loadedAt,
      }
      // from here on nothing is forgotten that was ever answered from
      await options.store.durable(replica.#fleet.place)
      replica.#watch.learn(await options.store.time())
    } catch (error) {
      replica.#stopExpiry()
      await replica.#checkpointer.close()
      throw error
    }
    replica.#running = replica.#run()
    return replica
  }

  private constructor(options: ReplicaOptions, fleet: Fleet) {
    this.#options = { newId: randomUUID, newSeed: () => randomUUID().slice(0, 8), timers: realTimers, ...options }
    const { timers } = this.#options
    this.#queue = createCallQueue(timers)
    this.#moved = createSignal(timers)
    this.#store = options.store
    this.#turns = createTurns(options.store.refusesEarly)
    this.#fleet = fleet
    this.#held = createHeldAnswers(this.#store, timers, {
      onFailed: () => {
        this.#isStoreFailing = true
        this.#lookAtStore()
      },
      onEmpty: () => {
        this.#moved.tell()
        this.#wake?.()
      },
    })
    this.#unlogged = createUnlogged(options)
    this.#listeners = createListeners((error, { entry }) =>
      options.warn(
        `a follower of the log failed at revision ${entry.revision}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      ),
    )
    this.name = options.name
    this.#watch = createStoreWatch(this.#store, timers)
    this.#freshAt = timers.now()
    this.#retries = createRetries(options.warn, timers)
    this.#checkpointer = createCheckpointer(this.#keeper(), {
      ...{ timers, horizon: options.horizon ?? DEFAULT_HORIZON, warn: options.warn },
      revision: fleet.place.revision,
      onCopy: (copy, changes) => this.#stills.tell({ fleet: copy, of: this.#fleet, changes }),
    })
    this.#store.onNews((revision) => {
      if (revision !== undefined && revision <= this.#fleet.place.revision) return
      this.#lookAtStore()
    })
    const expireOverdue = createExpiry(this)
    this.#stopExpiry = timers.every(1_000, () => {
      this.#watch.ask()
      expireOverdue()
      // who waits for news of it learns that there are none
      if (this.isStoreAway) this.#moved.tell()
    })
  }

  /** The fleet as applied here. Read it synchronously: it moves whenever an entry is applied. */
  get fleet(): Fleet {
    return this.#fleet
  }

  /** What it began with when it was started. */
  get beginning(): Beginning {
    return this.#beginning
  }

  /** Why this replica answers reads only; undefined when it takes writes. */
  get halted(): Error | undefined {
    return this.#halted
  }

  /** The last revision that may be answered from: what is behind it may be lost by a crash of the store. */
  get durableRevision(): number {
    return Math.min(this.#store.durableRevision(), this.#fleet.place.revision)
  }

  /** What keeps the log. */
  get engine(): string {
    return this.#store.engine
  }

  /** How entries reach the disk. */
  get flushing(): Flushing {
    return this.#store.flushing
  }

  /**
   * Undefined when all that can be read here is durable; else it resolves when what can be read now is. Whoever answers
   * from the fleet waits for it. Throws UnavailableError when the store does not answer, or has lost what was read.
   */
  settled(timeoutMs = 10_000): Promise<void> | undefined {
    const { place } = this.#fleet
    // a replica that takes no more writes has nothing better to read from
    if (place.revision <= this.#store.durableRevision() || this.#halted !== undefined) return undefined
    return whenDurable(this.#held, place, this.#options.timers, timeoutMs)
  }

  /** Calls back when the fleet was replaced by another: whoever followed its entries begins again. Answers how to stop. */
  onReplaced(listener: () => void): () => void {
    return this.#replaced.add(listener)
  }

  /** The store's time as this replica estimates it, milliseconds since 1970. Never decides anything: the log does. */
  get storeTime(): number {
    return this.#watch.now(this.#fleet.now)
  }

  /** How long ago the fleet was last known to be as new as the store, milliseconds; about a second in quiet times. */
  get age(): number {
    return this.#options.timers.now() - this.#freshAt
  }

  /** Whether the store has been silent for so long that calls are refused at once instead of waiting for it. */
  get isStoreAway(): boolean {
    return this.age > STORE_AWAY_MS && (this.#isStoreFailing || this.#watch.silentMs > STORE_AWAY_MS)
  }

  /** What became of the decisions that this replica made. */
  get tally(): Tally {
    return this.#retries.tally
  }

  get isClosing(): boolean {
    return this.#closing
  }

  /** Calls back after every entry that is applied here, in order. Answers how to stop. */
  onApplied(listener: (applied: Applied) => void): () => void {
    return this.#listeners.add(listener)
  }

  /** Calls back with the fleet as it is, and with the copy that each checkpoint is taken of. Answers how to stop. */
  onStill(listener: (still: Still) => void): () => void {
    listener(this.#still())
    return this.#stills.add(listener)
  }

  #still(): Still {
    return { fleet: copyFleet(this.#fleet), of: this.#fleet, changes: 0 }
  }

  /** Decides and claims. Throws UnavailableError when there is no answer in time: asking again with the same key tells. */
  place(call: PlacementCall): Promise<PlacementOutcome> {
    const { timers } = this.#options
    const gather = call.gather ?? this.#options.gather
    const since = timers.now()
    const gathering = gather?.(() => this.#fleet, call)
    if (gathering === undefined) return this.#place(call)
    return gathering.then((gathered) =>
      this.#place({ ...call, deadlineMs: Math.max(1, call.deadlineMs - (timers.now() - since)) }, gathered),
    )
  }

  #place(call: PlacementCall, gathered: Gathered = {}): Promise<PlacementOutcome> {
    const enqueue = () =>
      this.#enqueue<PlacementOutcome, PlacementWork>(call.deadlineMs, (waiting) => ({
        type: 'placement',
        call,
        decisionId: this.#options.newId(),
        claimIds: Array.from({ length: call.request.numInstances }, () => this.#options.newId()),
        notAfter: this.storeTime + call.deadlineMs,
        attempt: 0,
        hasMovedTime: false,
        gathered,
        gatherings: 1,
        ...waiting,
      }))
    if (this.#fleet.featureLevel >= FEATURE_LEVEL) return enqueue()
    const isAnswered = gathered.profile !== undefined && hasAnswers(gathered.profile)
    const level = levelOfRequest(publishedSpec(call.request), isMove(call.intent), isAnswered)
    return this.#learnLevel().then(() => this.#atLevel(level, enqueue))
  }

  /** Writes changes that need no decision; answers per change whether it counted. */
  propose(changes: readonly Change[], deadlineMs = 10_000): Promise<readonly ChangeVerdict[]> {
    if (changes.length === 0) return Promise.resolve([])
    const enqueue = () =>
      this.#enqueue<readonly ChangeVerdict[], ChangeWork>(deadlineMs, (waiting) => ({ type: 'changes', changes, ...waiting }))
    if (this.#fleet.featureLevel >= FEATURE_LEVEL) return enqueue()
    const atLevel = () => this.#atLevel(Math.max(...changes.map(levelOf)), enqueue)
    // a new log starts at its release's level, whatever is first in it
    return this.#fleet.place.revision === 0 ? this.#learnLevel().then(atLevel) : atLevel()
  }

  /**
   * Finds out whether the next entry may raise the log to the level that is read here: when every living replica reads it. The rules of
   * that level then hold for all that follows. Where one does not, or the store does not answer, the log stays as it is.
   */
  async #learnLevel(): Promise<void> {
    const { readsUpTo, featureLevel } = this.#fleet
    const { isReadByAll = () => true, mayRaise } = this.#options
    if (featureLevel >= readsUpTo || this.#raiseTo >= readsUpTo || !isReadByAll(readsUpTo)) return
    try {
      await mayRaise?.(readsUpTo)
      this.#raiseTo = readsUpTo
    } catch (error) {
      // the call goes on by the rules of the present level; what it needs beyond that is asked for by its own level
      if (!(error instanceof FeatureLevelError) && !(error instanceof UnavailableError)) throw error
    }
  }

  #atLevel<Outcome>(level: number, letIn: () => Promise<Outcome>): Promise<Outcome> {
    const { readsUpTo } = this.#fleet
    // what cannot be read here is not written here, whoever else reads it
    if (level > readsUpTo) return Promise.reject(new FeatureLevelError(this.name, readsUpTo, level))
    return onceReadable(level, this.#fleet, this.#options.mayRaise, letIn)
  }

  /** Takes over a fleet that was made anew from the log and stands at the same place. Throws RangeError for any other. */
  adopt(fleet: Fleet): void {
    const { revision, id, at } = this.#fleet.place
    if (fleet.place.revision !== revision || fleet.place.id !== id || fleet.place.at !== at)
      throw new RangeError(`a fleet at revision ${fleet.place.revision} cannot take the place of one at ${revision}`)
    this.#fleet = fleet
    this.#adoptedAt = revision
    this.#checkpointer.applied(fleet, 0)
    this.#stills.tell(this.#still())
    this.#moved.tell()
  }

  /** The store for checkpoints: none of a state that is not sound, nor of one that another has taken the place of. */
  #keeper(): Synchronizer {
    const { store, mayCheckpoint = () => true } = this.#options
    const isKept = ({ place }: Checkpoint): boolean => place.revision > this.#adoptedAt && mayCheckpoint()
    return { ...store, saveCheckpoint: async (checkpoint) => isKept(checkpoint) && store.saveCheckpoint(checkpoint) }
  }

  /** Resolves when this replica has applied a revision and it is durable; false when not in time. */
  reached(revision: number, timeoutMs: number): Promise<boolean> {
    return this.#until(() => {
      if (this.#fleet.place.revision < revision) return false
      if (this.#store.durableRevision() >= revision) return true
      this.settled(timeoutMs)?.then(
        () => this.#moved.tell(),
        () => undefined,
      )
      return false
    }, timeoutMs)
  }

  /** Resolves when the fleet is as new as the store's head was after this call. Throws UnavailableError when the store does not answer. */
  fresh(timeoutMs = 10_000): Promise<void> {
    return this.#freshOr(() => false, timeoutMs)
  }

  /** For what only reads: as `fresh`, but the state that is here will do where none newer can be had; `age` tells how old it is. */
  freshest(timeoutMs = 10_000): Promise<void> {
    return this.#freshOr(() => this.isStoreAway || this.#halted !== undefined, timeoutMs)
  }

  async #freshOr(staleWillDo: () => boolean, timeoutMs: number): Promise<void> {
    this.#arrivals++
    const arrival = this.#arrivals
    const isFresh = (): boolean => this.#freshUpTo >= arrival
    // a store that is away is not waited for
    await this.#until(() => isFresh() || this.isStoreAway, timeoutMs)
    if (!isFresh() && !staleWillDo()) throw new UnavailableError('store', 'the store does not answer')
  }

  #until(holds: () => boolean, timeoutMs: number): Promise<boolean> {
    if (!holds()) this.#lookAtStore()
    return this.#moved.until(holds, timeoutMs, () => this.#closing || this.#halted !== undefined)
  }

  #lookAtStore(): void {
    this.#news = true
    this.#wake?.()
  }

  /** Finishes what waits, then leaves the log. */
  async close(): Promise<void> {
    if (this.#closing) return
    this.#closing = true
    this.#stopExpiry()
    this.#wake?.()
    await this.#running
    await this.#unlogged.close()
    this.#failAll(new UnavailableError('closing', 'the replica is closing; ask again with the same key to learn the outcome'))
    await this.#checkpointer.close()
    await this.#store.close()
  }

  /** Reads and applies what is behind this replica's place; how many entries that was. Afterwards the fleet is as new as the store's head was at the call. */
  async #catchUp(): Promise<number> {
    const askedAt = this.#arrivals
    let missed = 0
    this.#news = false
    for (;;) {
      const entries = await this.#store.read(this.#fleet.place, READ_LIMIT).catch((error: unknown) => {
        if (error instanceof LogTrimmedError) return undefined
        throw error
      })
      if (entries === undefined) {
        await this.#reload()
        continue
      }
      for (const entry of entries) this.#apply(entry)
      missed += entries.length
      if (entries.length < READ_LIMIT) break
    }
    this.#freshUpTo = Math.max(this.#freshUpTo, askedAt)
    this.#freshAt = this.#options.timers.now()
    this.#moved.tell()
    this.#held.retry()
    return missed
  }

  /** Takes over the fleet of the newest checkpoint, where the log no longer reaches back to this replica's own place. */
  async #reload(): Promise<void> {
    const before = this.#fleet.place.revision
    const checkpoint = await this.#store.loadCheckpoint(Number.MAX_SAFE_INTEGER)
    if (checkpoint === undefined || checkpoint.place.revision <= before)
      throw new StoreWentBackError(`the log does not follow revision ${before} any more, and no later checkpoint is there`)
    this.#replace(await inPieces(rebuildFleet(checkpoint, this.#fleet), this.#options.timers))
    this.#options.warn(`the log no longer reaches back to revision ${before}; going on from the checkpoint at ${checkpoint.place.revision}`)
    dropInFlight({ queue: this.#queue, inFlight: this.#inFlight })
    this.#inFlight = undefined
  }

  /**
   * The store no longer holds this replica's place. Where it still holds all that was durable, it only lost a tail that no
   * flush had reached, and nobody was answered from it: the state is loaded anew, and what was ours in it is written
   * again. Where it does not, it is a restored backup or a fail-over that lost data, and the error is thrown again.
   */
  async #goBack(error: StoreWentBackError): Promise<void> {
    const { place, places } = this.#fleet
    const durable = places.get(this.durableRevision)
    if (durable === undefined || durable.revision === place.revision) throw behindDurable(error)
    await this.#store.read(durable, 1).catch((problem: unknown) => {
      throw problem instanceof StoreWentBackError ? behindDurable(problem) : problem
    })
    const fleet = await createHistory(this.#store, 0, this.#fleet).at(durable.revision)
    const { lost, sent } = dropBehind({ held: this.#held, queue: this.#queue, inFlight: this.#inFlight }, durable.revision)
    this.#replace(fleet)
    this.#inFlight = sent
    this.#options.warn(
      `the store lost its unflushed tail, revisions ${durable.revision + 1} to ${place.revision}; nobody was answered from it, ${lost} changes of this replica are written again`,
    )
    await this.#catchUp()
  }

  #replace(fleet: Fleet): void {
    this.#fleet = fleet
    this.#stills.tell(this.#still())
    this.#replaced.tell()
  }

  #enqueue<Outcome, Item extends Work>(deadlineMs: number, create: (waiting: Waiting<Outcome>) => Item): Promise<Outcome> {
    if (this.#halted !== undefined)
      return Promise.reject(new UnavailableError(this.#haltReason, `this replica takes no writes: ${this.#halted.message}`))
    if (this.#closing) return Promise.reject(new UnavailableError('closing', 'the replica is closing'))
    if (this.isStoreAway) {
      const seconds = Math.round(this.age / 1_000)
      return Promise.reject(new UnavailableError('store', `the store has not answered for ${seconds} s; nothing was done, ask again later`))
    }
    this.#arrivals++
    const answer = this.#queue.add(this.#arrivals, deadlineMs, create)
    this.#wake?.()
    return answer
  }

  async #run(): Promise<void> {
    let failures = 0
    while (
      this.#halted === undefined &&
      (!this.#closing || ((this.#queue.works.length > 0 || this.#inFlight !== undefined || this.#held.count > 0) && failures < 3))
    ) {
      try {
        if (this.#queue.works.length === 0 && this.#inFlight === undefined) {
          if (this.#news) await this.#catchUp()
          else
            await new Promise<void>((resolve) => {
              this.#wake = resolve
            })
          this.#wake = undefined
        } else if (this.#turns.isDue()) await this.#appendInTurn()
        else await this.#appendOne()
        failures = 0
        this.#isStoreFailing = false
      } catch (problem) {
        const error = problem instanceof StoreWentBackError ? await this.#goBack(problem).catch((worse: unknown) => worse) : problem
        if (error === undefined) continue
        if (!(error instanceof StoreUnavailableError)) return this.#halt(error)
        if (failures === 0) this.#options.warn(`the store does not answer: ${error.message}`)
        const pause = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] as number
        await new Promise<void>((resolve) => void this.#options.timers.after(pause, resolve))
        failures++
        this.#isStoreFailing = true
        this.#news = true
      }
    }
  }

  /** Appends up to k batches while the others wait their turn: nobody is starved, and what is decided is decided once. */
  async #appendInTurn(): Promise<void> {
    const giveBack = await this.#store.takeTurn()
    try {
      this.#turns.taken(await this.#catchUp())
      const end = this.#options.timers.now() + TURN_MS
      for (let batch = 0; batch < BATCHES_PER_TURN && (this.#queue.works.length > 0 || this.#inFlight !== undefined); batch++) {
        await this.#appendOne()
        if (this.#options.timers.now() > end) break
      }
    } finally {
      await giveBack()
    }
  }

  async #appendOne(): Promise<void> {
    if (this.#inFlight === undefined) {
      const batch = this.#build()
      this.#answerUnlogged(batch)
      if (batch.entry === undefined) {
        if (batch.needsFresh) await this.#catchUp()
        return
      }
      this.#inFlight = batch
    }
    await this.#send(this.#inFlight)
  }

  /** What needs no entry is answered once the fleet that it rests on is durable. */
  #answerUnlogged({ settled, unlogged }: Batch): void {
    const { place } = this.#fleet
    for (const { work, outcome } of settled)
      this.#held.hold({ place, work, answer: () => work.settle(outcome), fail: (error) => work.fail(error) })
    if (unlogged.length === 0) return
    this.#retries.unlogged(unlogged.map(({ decision }) => decision))
    this.#held.hold({
      place,
      answer: () => this.#unlogged.record(unlogged),
      fail: (error) => {
        for (const { fail } of unlogged) fail(error)
      },
    })
  }

  #build(): Batch {
    const batch = buildBatch(this.#fleet, this.#queue.works, {
      entryId: this.#options.newId(),
      writer: this.name,
      freshUpTo: this.#freshUpTo,
      mostWorks: this.#mostWorks,
      raiseTo: this.#raiseTo,
      newSeed: this.#options.newSeed,
      monotonic: this.#options.timers.now,
    })
    // whoever joins from here on is asked before the next attempt
    if (batch.entry !== undefined) this.#raiseTo = 0
    this.#queue.putBack(batch.later)
    for (const work of batch.outdated) this.#gatherAgain(work)
    return batch
  }

  /** Asks others anew about a call whose answers do not hold any more; it waits beside the queue, and is decided before what is new. */
  #gatherAgain(work: PlacementWork): void {
    work.gatherings++
    const deadlineMs = Math.max(1, work.notAfter - this.storeTime)
    const gather = work.call.gather ?? this.#options.gather
    const gathering = gather?.(() => this.#fleet, { ...work.call, deadlineMs })
    this.#beside.add(work)
    void (gathering ?? Promise.resolve(work.gathered)).then((gathered) => {
      if (!this.#beside.delete(work)) return
      work.gathered = gathered
      this.#queue.putBack([work])
      this.#wake?.()
    })
  }

  /** Sends an entry until its fate is known: appended by this call or an earlier one, or refused. */
  async #send(batch: Batch): Promise<void> {
    const { entry } = batch
    if (entry === undefined) return
    const askedAt = this.#arrivals
    const place = await this.#store.append(entry).catch((error: unknown) => {
      if (error instanceof EntryTooLargeError) return this.#split(batch, error)
      throw error
    })
    if (place === 'split') return
    if (place === undefined) {
      // refused: somebody else's entry is there, or an earlier copy of this one, which catching up will settle
      this.#turns.refused()
      await this.#catchUp()
      if (this.#inFlight === batch) this.#requeue(batch)
      return
    }
    this.#turns.appended()
    this.#mostWorks = Number.POSITIVE_INFINITY
    // a store that lets stale entries in: what is between is applied first, and the judge decides
    if (place.revision === this.#fleet.place.revision + 1) this.#apply({ ...entry, revision: place.revision, at: place.at })
    else await this.#readTo(place.revision)
    // the entry landed at the head, so this replica is as new as the store was when it was sent
    this.#freshUpTo = Math.max(this.#freshUpTo, askedAt)
    this.#freshAt = this.#options.timers.now()
    this.#moved.tell()
  }

  /** Applies everything up to a revision that the store is known to hold; how new the head is, is not asked. */
  async #readTo(revision: number): Promise<void> {
    while (this.#fleet.place.revision < revision) {
      const { place } = this.#fleet
      for (const entry of await this.#store.read(place, Math.min(READ_LIMIT, revision - place.revision))) this.#apply(entry)
      if (this.#fleet.place.revision === place.revision)
        throw new StoreUnavailableError(`the store does not show revision ${revision}, which it gave away`)
    }
  }

  /** What one entry cannot hold is sent in two; a piece of work that is too large alone is refused. */
  #split({ owners }: Batch, error: EntryTooLargeError): 'split' {
    this.#inFlight = undefined
    const works = owners.map(({ work }) => work)
    const [only, ...others] = works
    if (others.length === 0) only?.fail(error)
    else this.#queue.putBack(works)
    this.#mostWorks = Math.ceil(works.length / 2)
    return 'split'
  }

  #requeue(batch: Batch): void {
    this.#inFlight = undefined
    const again = batch.owners.filter(({ work }) => work.type === 'changes' || this.#retries.mayTryAgain(work, 'append.refused'))
    this.#queue.putBack(again.map(({ work }) => work))
  }

  #apply(entry: LogEntry): void {
    const verdicts = this.#fleet.apply(entry)
    this.#watch.learn(entry.at)
    const batch = this.#inFlight
    if (batch?.entry?.id === entry.id && !verdicts.every((verdict) => verdict === 'entry.repeated')) {
      this.#inFlight = undefined
      const { place } = this.#fleet
      const { answers, again } = settle(batch, verdicts, this.#fleet, this.#retries)
      this.#queue.putBack(again)
      this.#turns.settled(again.length > 0)
      for (const { work, answer } of answers) this.#held.hold({ place, work, batch, answer, fail: (error) => work.fail(error) })
    }
    this.#listeners.tell({ entry, verdicts })
    this.#moved.tell()
    this.#checkpointer.applied(this.#fleet, entry.changes.length)
  }

  /** Takes no more writes, since somebody else found that the log is not the one that it must be. */
  refuseWrites(error: StoreWentBackError): void {
    if (this.#halted !== undefined) return
    this.#halt(error)
    this.#wake?.()
  }

  /** Stops writing for good: the store, or the log, is not what this release can go on from. */
  #halt(error: unknown): void {
    const reason = error instanceof Error ? error : new Error(String(error))
    this.#halted = reason
    const known = reason instanceof StoreWentBackError || reason instanceof UnknownEntryError
    this.#options.warn(`this replica takes no more writes: ${known ? reason.message : (reason.stack ?? reason.message)}`)
    this.#failAll(new UnavailableError(this.#haltReason, reason.message))
    this.#moved.tell()
  }

  get #haltReason(): UnavailableError['reason'] {
    return this.#halted instanceof StoreWentBackError ? 'went_back' : 'store'
  }

  #failAll(error: UnavailableError): void {
    this.#queue.failAll(error)
    for (const work of this.#beside) work.fail(error)
    this.#beside.clear()
    this.#held.failAll(error)
    for (const { work } of this.#inFlight?.owners ?? []) work.fail(error)
    this.#inFlight = undefined
  }
}
