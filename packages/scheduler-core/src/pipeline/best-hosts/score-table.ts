import type { Fleet } from '../../fleet/fleet.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { atOnce, type Steps } from '../../values/steps.ts'
import type { WeighStep } from '../weighing/run-weighers.ts'
import { type HostOrder, orderHosts } from './host-order.ts'

/** Up to this many hosts are ordered at once. */
const ORDERED_AT_ONCE = 16_384
/** More hosts are ordered in parts: each decision makes about this many comparisons, which takes less than a millisecond. */
const COMPARISONS_AT_ONCE = 200_000
/** The hosts are ordered again after as many changes as this share of the hosts, and at least `MIN_CHANGES`. */
const CHANGED = 1 / 2
const MIN_CHANGES = 4_096

/** The bytes of an order for each host: its place and its leaf. */
const ORDER_BYTES = 8

/** What one weigher adds to the total of a host, as positions of lists in `ScoreTable.scores`. */
export interface Term {
  readonly step: WeighStep
  readonly raw: number
  /** The list with the multiplier of each host. Undefined if all hosts have the same multiplier. */
  readonly multiplier: number | undefined
}

/** The terms of the weighers that have an effect, in the profile's order. Undefined if the scores of a weigher are not cached. */
export function termsOf(steps: readonly WeighStep[]): readonly Term[] | undefined {
  const terms: Term[] = []
  let next = 0
  for (const step of steps) {
    if (step.hasNoEffect) continue
    if (step.scoreKey === undefined || step.normalisation === 'rank') return undefined
    const raw = next++
    terms.push({ step, raw, multiplier: step.multiplierAt === undefined ? undefined : next++ })
  }
  return terms
}

/** Joins texts of any characters. Different lists have different results, because each text begins with its length. */
export const joinKeys = (keys: readonly string[]): string => keys.map((key) => `${key.length}:${key}`).join('')

/** A text that is equal for weighers that give each host the same scores and multipliers. */
export const tableKeyOf = (terms: readonly Term[]): string =>
  joinKeys(terms.flatMap(({ step }) => [step.scoreKey ?? '', step.multiplierKey ?? '']))

/**
 * The raw scores and multipliers that some weighers give the hosts, and an order of the hosts by these numbers. Numbers are computed when
 * they are first read, and again for hosts that changed. All kinds of requests with the same weighers share a table.
 */
export class ScoreTable {
  /** One list for each raw score and each multiplier that differs between hosts, with a value for each host. */
  readonly scores: readonly Float64Array[]
  readonly #fleet: Fleet
  /** For each host, 1 if the values in `scores` are valid. */
  #known: Uint8Array
  #followed: number
  #order: HostOrder | undefined
  #ordering: Steps<HostOrder> | undefined
  /** How many values were computed since the order was begun. */
  #computed = 0

  constructor(fleet: Fleet, lists: number) {
    const size = Math.ceil(fleet.hosts.count * 1.25)
    this.#fleet = fleet
    this.#followed = fleet.hosts.changes.count
    this.#known = new Uint8Array(size)
    this.scores = Array.from({ length: lists }, () => new Float64Array(size))
  }

  /** The bytes of the table with an order. */
  get bytes(): number {
    return this.#known.length * (1 + 8 * this.scores.length + ORDER_BYTES)
  }

  /** True if the table has space for every host of the fleet. */
  get isLargeEnough(): boolean {
    return this.#fleet.hosts.count <= this.#known.length
  }

  /** Finds the hosts whose values are no longer valid. Called before values are read. */
  follow(): void {
    const { changes } = this.#fleet.hosts
    const known = this.#known
    const isFollowed = changes.eachAfter(this.#followed, (host) => {
      known[host] = 0
    })
    if (!isFollowed) known.fill(0)
    this.#followed = changes.count
  }

  /** Computes the values of a host in `scores`, unless they are valid. */
  compute(host: HostIndex, terms: readonly Term[]): void {
    if (this.#known[host] === 1) return
    for (const { step, raw, multiplier } of terms) {
      ;(this.scores[raw] as Float64Array)[host] = step.scoreAt(host)
      if (multiplier !== undefined) (this.scores[multiplier] as Float64Array)[host] = step.multiplierAt?.(host) ?? 0
    }
    this.#known[host] = 1
    this.#computed++
  }

  /**
   * The order of the hosts by the values that were computed so far. It is replaced after many changes. Undefined while a large fleet is
   * ordered for the first time, which takes several calls.
   */
  order(): HostOrder | undefined {
    const { count } = this.#fleet.hosts
    const isUsable = this.#order !== undefined && count <= this.#order.size
    if (
      this.#ordering === undefined &&
      (!isUsable || this.#order?.isFilling(count) || this.#computed > Math.max(MIN_CHANGES, count * CHANGED))
    ) {
      this.#computed = 0
      this.#ordering = orderHosts(this.scores, count, COMPARISONS_AT_ONCE)
    }
    if (this.#ordering !== undefined) {
      if (count <= ORDERED_AT_ONCE) this.#finish(atOnce(this.#ordering))
      else {
        const next = this.#ordering.next()
        if (next.done) this.#finish(next.value)
      }
    }
    return this.#order !== undefined && count <= this.#order.size ? this.#order : undefined
  }

  #finish(order: HostOrder): void {
    this.#order = order
    this.#ordering = undefined
  }
}
