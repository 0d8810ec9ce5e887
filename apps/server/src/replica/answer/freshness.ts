import type { Synchronizer } from '../../sync/synchronizer.ts'
import type { Timers } from '../../timers.ts'
import { UnavailableError } from '../../unavailable.ts'
import { createSignal, type Signal } from '../signal.ts'
import { createStoreWatch, type StoreWatch } from '../watch/store-watch.ts'

/** A store that fails or does not answer for longer than this is unavailable. The replica queries it once per second. */
const STORE_AWAY_MS = 2_500

export interface FreshnessOptions {
  readonly store: Pick<Synchronizer, 'time'>
  readonly timers: Timers
  /** Returns true if this replica has stopped reading the log. */
  isStopped(): boolean
  /** Wakes the loop that reads the log. */
  wake(): void
}

/** Knows how far a replica's fleet is behind the store, and lets calls wait for a newer fleet. */
export class Freshness {
  readonly watch: StoreWatch
  /** Wakes callers that wait until the fleet, its durability or the state of the store changes. */
  readonly changed: Signal
  /** True if the store's last answer was an error. */
  isStoreFailing = false
  /** True if the log has possibly grown since the last read. */
  hasNews = true
  readonly #options: FreshnessOptions
  /** The time at which the fleet was last known to be as new as the store. */
  #freshAt: number
  #arrivals = 0
  #freshUpTo = -1

  constructor(options: FreshnessOptions) {
    this.#options = options
    this.#freshAt = options.timers.now()
    this.watch = createStoreWatch(options.store, options.timers)
    this.changed = createSignal(options.timers)
  }

  /** The sequence number of the last call. Sequence numbers order the calls of this replica by their arrival. */
  get arrivals(): number {
    return this.#arrivals
  }

  /**
   * The last call that arrived before the end of the log was last read, as a sequence number. The fleet contains everything that the log had
   * at that read.
   */
  get freshUpTo(): number {
    return this.#freshUpTo
  }

  /** How long ago the fleet was last known to be as new as the store, in milliseconds. */
  get age(): number {
    return this.#options.timers.now() - this.#freshAt
  }

  /** True if the store has been silent for so long that calls are refused at once. */
  get isStoreAway(): boolean {
    return this.age > STORE_AWAY_MS && (this.isStoreFailing || this.watch.silentMs > STORE_AWAY_MS)
  }

  /** Registers a new call, and returns its sequence number. */
  arrive(): number {
    this.#arrivals++
    return this.#arrivals
  }

  /** Records that the fleet contains everything that the store had when the call with this sequence number arrived. */
  reachedHead(arrival: number): void {
    this.#freshUpTo = Math.max(this.#freshUpTo, arrival)
    this.#freshAt = this.#options.timers.now()
    this.changed.notify()
  }

  /** Requests another read of the log. */
  lookAtStore(): void {
    this.hasNews = true
    this.#options.wake()
  }

  /**
   * Resolves when the fleet contains everything that the log had at this call. If the time is over or the store is unavailable,
   * `acceptsStale` decides: if it returns true, the present fleet is used, and otherwise UnavailableError is thrown.
   */
  async wait(acceptsStale: () => boolean, timeoutMs: number): Promise<void> {
    const arrival = this.arrive()
    const isFresh = (): boolean => this.#freshUpTo >= arrival
    // calls do not wait for a store that is unavailable
    await this.until(() => isFresh() || this.isStoreAway, timeoutMs)
    if (!isFresh() && !acceptsStale()) throw new UnavailableError('store', 'the store does not answer')
  }

  /** Resolves with true when `holds` returns true, and with false after a timeout or when this replica stopped. */
  until(holds: () => boolean, timeoutMs: number): Promise<boolean> {
    if (!holds()) this.lookAtStore()
    return this.changed.until(holds, timeoutMs, this.#options.isStopped)
  }
}
