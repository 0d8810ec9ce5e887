import { type LogEntry, UnknownEntryError, type Void } from '@gantt/scheduler-core'
import { EntryTooLargeError, StoreUnavailableError, StoreWentBackError, type Synchronizer } from '../../sync/synchronizer.ts'
import { UnavailableError } from '../../unavailable.ts'
import type { Freshness } from '../answer/freshness.ts'
import { createHeldAnswers, type HeldAnswers } from '../answer/held-answers.ts'
import { dropBehind, dropInFlight } from '../answer/lost-entries.ts'
import { createUnlogged, type Unlogged } from '../answer/unlogged.ts'
import type { Follower, FollowerHooks } from '../follow/follower.ts'
import type { ReplicaOptions } from '../replica-options.ts'
import type { DecisionChecks } from '../watch/decision-checks.ts'
import { type Batch, buildBatch } from './batch.ts'
import { type CallQueue, createCallQueue } from './call-queue.ts'
import type { Levels } from './levels.ts'
import { createRetries, type Retries, type Tally } from './retries.ts'
import { settle } from './settle.ts'
import { BATCHES_PER_TURN, createTurns, type Turns } from './turns.ts'
import type { PlacementWork, Waiting, Work } from './work.ts'

/** A turn ends after this many milliseconds, even if calls still wait. */
const TURN_MS = 5
/**
 * Pauses before a retry, in milliseconds. The last pause is repeated. The pauses are short, because they delay the answers after every
 * outage.
 */
const BACKOFF_MS = [10, 20, 50, 100, 200] as const

export type AppenderOptions = Required<Pick<ReplicaOptions, 'newId' | 'newSeed' | 'timers'>> & ReplicaOptions

/** The parts of a replica that an appender works with. */
export interface AppenderParts {
  readonly follower: Follower
  readonly freshness: Freshness
  readonly levels: Levels
  readonly checks: DecisionChecks
}

/**
 * Appends the calls of a replica to the log. Calls wait in a queue. When no entry is in flight, the waiting calls are decided, packed into
 * one entry and appended. A caller is answered when the entry is durable and the caller's claims took effect.
 */
export class Appender implements FollowerHooks {
  readonly held: HeldAnswers
  readonly #store: Synchronizer
  readonly #options: AppenderOptions
  readonly #parts: () => AppenderParts
  readonly #queue: CallQueue
  readonly #unlogged: Unlogged
  readonly #turns: Turns
  readonly #retries: Retries
  /** Calls outside of the queue that wait for answers of external plug-ins. */
  readonly #gathering = new Set<PlacementWork>()
  #inFlight: Batch | undefined
  /** The next entry has at most this many calls. The limit is lowered after an entry that was too large for the store. */
  #maxWorks = Number.POSITIVE_INFINITY
  #halted: Error | undefined
  #isClosing = false
  #wake: (() => void) | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(options: AppenderOptions, parts: () => AppenderParts) {
    this.#options = options
    this.#store = options.store
    this.#parts = parts
    this.#queue = createCallQueue(options.timers)
    this.#turns = createTurns(options.store.refusesEarly)
    this.#retries = createRetries(options.warn, options.timers)
    this.#unlogged = createUnlogged(options, { onFound: (decision) => this.#retries.unlogged(decision) })
    this.held = createHeldAnswers(options.store, options.timers, {
      onFailed: () => {
        const { freshness } = parts()
        freshness.isStoreFailing = true
        freshness.lookAtStore()
      },
      onEmpty: () => {
        parts().freshness.changed.notify()
        this.wake()
      },
    })
  }

  /** Why this replica answers only reads; undefined if it accepts writes. */
  get halted(): Error | undefined {
    return this.#halted
  }

  get isClosing(): boolean {
    return this.#isClosing
  }

  get tally(): Tally {
    return this.#retries.tally
  }

  /** Starts appending the waiting calls. */
  start(): void {
    this.#running = this.#run()
  }

  /** Wakes the loop if it waits for calls. */
  wake(): void {
    this.#wake?.()
  }

  enqueue<Outcome, Item extends Work>(deadlineMs: number, create: (waiting: Waiting<Outcome>) => Item): Promise<Outcome> {
    const { freshness } = this.#parts()
    if (this.#halted !== undefined)
      return Promise.reject(new UnavailableError(this.#haltReason, `this replica takes no writes: ${this.#halted.message}`))
    if (this.#isClosing) return Promise.reject(new UnavailableError('closing', 'the replica is closing'))
    if (freshness.isStoreAway) {
      const seconds = Math.round(freshness.age / 1_000)
      return Promise.reject(
        new UnavailableError('store', `the store has not answered for ${seconds} s; nothing was done, send the call again later`),
      )
    }
    const answer = this.#queue.add(freshness.arrive(), deadlineMs, create)
    this.wake()
    return answer
  }

  /** Appends and answers all waiting calls. Later calls are refused. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.wake()
    await this.#running
    await this.#unlogged.close()
    this.#failAll(new UnavailableError('closing', 'the replica is closing; send the call again with the same key to learn the outcome'))
  }

  /** Stops writing permanently, because this release cannot continue with the store or the log. */
  halt(error: unknown): void {
    const reason = error instanceof Error ? error : new Error(String(error))
    this.#halted = reason
    const known = reason instanceof StoreWentBackError || reason instanceof UnknownEntryError
    this.#options.warn(`this replica accepts no more writes: ${known ? reason.message : (reason.stack ?? reason.message)}`)
    this.#failAll(new UnavailableError(this.#haltReason, reason.message))
    this.#parts().freshness.changed.notify()
  }

  onEntry(entry: LogEntry, verdicts: readonly Void[]): void {
    const batch = this.#inFlight
    if (batch?.entry?.id !== entry.id || verdicts.every((verdict) => verdict === 'entry.repeated')) return
    this.#inFlight = undefined
    const { fleet } = this.#parts().follower
    const { place } = fleet
    const { answers, again } = settle(batch, verdicts, fleet, this.#retries)
    this.#queue.requeue(again)
    this.#turns.settled(again.length > 0)
    for (const { work, answer } of answers) this.held.hold({ place, work, batch, answer, fail: (error) => work.fail(error) })
  }

  onCaughtUp(): void {
    this.held.retry()
  }

  onJump(): void {
    dropInFlight({ queue: this.#queue, inFlight: this.#inFlight })
    this.#inFlight = undefined
  }

  onRewind(revision: number): number {
    const { lost, sent } = dropBehind({ held: this.held, queue: this.#queue, inFlight: this.#inFlight }, revision)
    this.#inFlight = sent
    return lost
  }

  get #haltReason(): UnavailableError['reason'] {
    return this.#halted instanceof StoreWentBackError ? 'went_back' : 'store'
  }

  async #run(): Promise<void> {
    const { freshness, follower } = this.#parts()
    let failures = 0
    while (
      this.#halted === undefined &&
      (!this.#isClosing || ((this.#queue.works.length > 0 || this.#inFlight !== undefined || this.held.count > 0) && failures < 3))
    ) {
      try {
        await this.#step()
        failures = 0
        freshness.isStoreFailing = false
      } catch (problem) {
        const error = problem instanceof StoreWentBackError ? await follower.rewind(problem).catch((worse: unknown) => worse) : problem
        if (error === undefined) continue
        if (!(error instanceof StoreUnavailableError)) return this.halt(error)
        if (failures === 0) this.#options.warn(`the store does not answer: ${error.message}`)
        const pause = BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)] as number
        await new Promise<void>((resolve) => void this.#options.timers.after(pause, resolve))
        failures++
        freshness.isStoreFailing = true
        freshness.hasNews = true
      }
    }
  }

  /** One round of the loop: reads, waits or appends. */
  async #step(): Promise<void> {
    const { freshness, follower } = this.#parts()
    if (this.#queue.works.length > 0 || this.#inFlight !== undefined) return this.#turns.isDue() ? this.#appendInTurn() : this.#appendOne()
    if (freshness.hasNews) await follower.catchUp()
    else
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    this.#wake = undefined
  }

  /**
   * Appends several batches while other replicas wait for their turn. Without turns, a busy replica could starve another one, or make it
   * repeat many decisions.
   */
  async #appendInTurn(): Promise<void> {
    const { timers } = this.#options
    const giveBack = await this.#store.takeTurn()
    try {
      this.#turns.taken(await this.#parts().follower.catchUp())
      const end = timers.now() + TURN_MS
      for (let batch = 0; batch < BATCHES_PER_TURN && (this.#queue.works.length > 0 || this.#inFlight !== undefined); batch++) {
        await this.#appendOne()
        if (timers.now() > end) break
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
        if (batch.needsFresh) await this.#parts().follower.catchUp()
        return
      }
      this.#inFlight = batch
    }
    await this.#send(this.#inFlight)
  }

  #build(): Batch {
    const { newId, newSeed, name, timers } = this.#options
    const { follower, freshness, levels, checks } = this.#parts()
    const batch = buildBatch(follower.fleet, this.#queue.works, {
      entryId: newId(),
      writer: name,
      freshUpTo: freshness.freshUpTo,
      mostWorks: this.#maxWorks,
      raiseTo: levels.raiseTo,
      newSeed,
      monotonic: timers.now,
      checks,
    })
    if (batch.entry !== undefined) levels.clear()
    this.#queue.requeue(batch.later)
    for (const work of batch.outdated) this.#gatherAgain(work)
    return batch
  }

  /** Answers calls that need no entry, once the fleet that their answers depend on is durable. */
  #answerUnlogged({ settled, advised, refused }: Batch): void {
    const { fleet } = this.#parts().follower
    const { place } = fleet
    for (const { work, outcome } of settled)
      this.held.hold({ place, work, answer: () => work.settle(outcome), fail: (error) => work.fail(error) })
    for (const advice of advised) {
      this.#retries.unlogged(advice.decision)
      this.held.hold({ place, answer: () => this.#unlogged.store(advice), fail: (error) => advice.fail(error) })
    }
    for (const refusal of refused) {
      const { work } = refusal
      const answer = this.#unlogged.search(refusal, fleet)
      const fail = (error: Error): void => {
        // ends the search for the cause
        work.abandoned = true
        work.fail(error)
      }
      this.held.hold({ place, answer, fail })
    }
  }

  /**
   * Requests new answers of external plug-ins for a call whose answers no longer apply. The call waits outside of the queue, and is then
   * decided before new calls.
   */
  #gatherAgain(work: PlacementWork): void {
    const { follower, freshness } = this.#parts()
    work.gatherings++
    const deadlineMs = Math.max(1, work.notAfter - freshness.watch.now(follower.fleet.now))
    const gather = work.call.gather ?? this.#options.gather
    const gathering = gather?.(() => follower.fleet, { ...work.call, deadlineMs })
    this.#gathering.add(work)
    void (gathering ?? Promise.resolve(work.gathered)).then((gathered) => {
      if (!this.#gathering.delete(work)) return
      work.gathered = gathered
      this.#queue.requeue([work])
      this.wake()
    })
  }

  /**
   * Sends an entry and evaluates the result: appended, refused, or too large. If the store does not answer, the loop sends the entry again.
   */
  async #send(batch: Batch): Promise<void> {
    const { entry } = batch
    if (entry === undefined) return
    const { follower, freshness } = this.#parts()
    const askedAt = freshness.arrivals
    const place = await this.#store.append(entry).catch((error: unknown) => {
      if (error instanceof EntryTooLargeError) return this.#split(batch, error)
      throw error
    })
    if (place === 'split') return
    if (place === undefined) {
      // refused: the log has an entry of another replica or an earlier copy of this entry, and reading the log shows which
      this.#turns.refused()
      await follower.catchUp()
      if (this.#inFlight === batch) this.#requeue(batch)
      return
    }
    this.#turns.appended()
    this.#maxWorks = Number.POSITIVE_INFINITY
    // if the store accepts an entry that is not based on the end of the log, entries of other replicas can precede this entry; they are
    // applied first, and can make changes of this entry void
    if (place.revision === follower.fleet.place.revision + 1) follower.apply({ revision: place.revision, at: place.at, ...entry })
    else await follower.readTo(place.revision)
    // the entry was appended directly after this replica's revision, so this replica has everything that the store had when the entry was
    // sent
    freshness.reachedHead(askedAt)
  }

  /**
   * Returns the calls of a batch that is too large for one entry to the queue, and halves the limit for the next entry. A single call that
   * is too large fails.
   */
  #split({ owners }: Batch, error: EntryTooLargeError): 'split' {
    this.#inFlight = undefined
    const works = owners.map(({ work }) => work)
    const [only, ...others] = works
    if (others.length === 0) only?.fail(error)
    else this.#queue.requeue(works)
    this.#maxWorks = Math.ceil(works.length / 2)
    return 'split'
  }

  #requeue(batch: Batch): void {
    this.#inFlight = undefined
    const again = batch.owners.filter(({ work }) => work.type === 'changes' || this.#retries.mayTryAgain(work, 'append.refused'))
    this.#queue.requeue(again.map(({ work }) => work))
  }

  #failAll(error: UnavailableError): void {
    this.#queue.failAll(error)
    for (const work of this.#gathering) work.fail(error)
    this.#gathering.clear()
    this.held.failAll(error)
    for (const { work } of this.#inFlight?.owners ?? []) work.fail(error)
    this.#inFlight = undefined
  }
}
