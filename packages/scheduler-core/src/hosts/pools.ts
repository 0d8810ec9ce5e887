import { capacityOf, toRatioMilli } from '../values/capacity.ts'
import type { HostIndex } from '../values/host-index.ts'

/** The space of a disk pool in GiB, as a document of the namespace `storage` reports it. */
export interface PoolSpace {
  readonly name: string
  readonly totalGib: number
  readonly reservedGib: number
  /** The used space that no claim holds. */
  readonly usedGib: number
  readonly thinRatio: number
}

/**
 * The space of a pool according to the youngest document that reports it. If two documents have the same time, the document of the host
 * with the lower index is used.
 */
export interface PoolFigure extends PoolSpace {
  readonly reporter: HostIndex
  /** The store time (the database's clock) of the document. */
  readonly at: number
  /** floor((total - reserved) x thin ratio). */
  readonly capacityGib: number
}

interface Loan {
  readonly host: HostIndex
  readonly gib: Readonly<Record<string, number>>
}

const isYounger = (one: Pick<PoolFigure, 'at' | 'reporter'>, other: PoolFigure): boolean =>
  one.at > other.at || (one.at === other.at && one.reporter <= other.reporter)

/** The disk pools that hosts share: the size of each pool, and the space that the claims of all hosts hold in it. */
export class Pools {
  #figures = new Map<string, PoolFigure>()
  #held = new Map<string, number>()
  /** For each host, the pools whose figure comes from the host's document. Undefined after a change, until the map is needed. */
  #byReporter: ReadonlyMap<HostIndex, readonly string[]> | undefined
  /** Extra free space for single hosts: the space of a claim that counts as free for its own host, but as held for all other hosts. */
  #lent: readonly Loan[] = []
  /** The count of hosts whose disks are in a pool. */
  users = 0

  /** The space of a pool. Undefined if no document reports the pool. */
  figure(pool: string): PoolFigure | undefined {
    return this.#figures.get(pool)
  }

  /** The pools whose figure comes from this host's document. */
  reportedBy(host: HostIndex): readonly string[] {
    this.#byReporter ??= groupByReporter(this.#figures)
    return this.#byReporter.get(host) ?? []
  }

  /** The space that claims hold in the pool, in GiB. */
  held(pool: string): number {
    return this.#held.get(pool) ?? 0
  }

  /** The free space of the pool, in GiB. Undefined if no document reports the pool. */
  free(pool: string): number | undefined {
    const figure = this.#figures.get(pool)
    return figure === undefined ? undefined : figure.capacityGib - figure.usedGib - this.held(pool)
  }

  /** The space that is free for the host, in GiB: the free space of the pool plus the extra free space of the host. */
  freeFor(host: HostIndex, pool: string): number | undefined {
    const free = this.free(pool)
    return free === undefined ? undefined : free + this.#lentTo(host, pool)
  }

  /** The space that claims hold in the pool minus the extra free space of the host, in GiB. */
  heldFor(host: HostIndex, pool: string): number {
    return this.held(pool) - this.#lentTo(host, pool)
  }

  /** Adds extra free space for a host, in GiB by pool. Returns a function that removes it. */
  lend(host: HostIndex, gib: Readonly<Record<string, number>>): () => void {
    const before = this.#lent
    this.#lent = [...before, { host, gib }]
    return () => {
      this.#lent = before
    }
  }

  #lentTo(host: HostIndex, pool: string): number {
    let sum = 0
    for (const loan of this.#lent) if (loan.host === host) sum += loan.gib[pool] ?? 0
    return sum
  }

  /** For each pool, the space that claims hold, in GiB. */
  allHeld(): ReadonlyMap<string, number> {
    return this.#held
  }

  hold(pool: string, gib: number): void {
    const held = this.held(pool) + gib
    if (held === 0) this.#held.delete(pool)
    else this.#held.set(pool, held)
  }

  /** Sets the size of a pool from a host's document, unless a younger document is known. */
  takeFigure(pool: string, reporter: HostIndex, at: number, space: PoolSpace): void {
    const known = this.#figures.get(pool)
    if (known !== undefined && !isYounger({ at, reporter }, known)) return
    const { totalGib, reservedGib, thinRatio } = space
    this.#byReporter = undefined
    this.#figures.set(pool, { ...space, reporter, at, capacityGib: capacityOf(totalGib, reservedGib, toRatioMilli(thinRatio)) })
  }

  /** Removes the figure of a pool, so that the caller can set it from the documents of other hosts. */
  forget(pool: string): void {
    this.#byReporter = undefined
    this.#figures.delete(pool)
  }

  takeCopy(from: Pools): void {
    this.#figures = new Map(from.#figures)
    this.#byReporter = from.#byReporter
    this.#held = new Map(from.#held)
    this.users = from.users
  }
}

function groupByReporter(figures: ReadonlyMap<string, PoolFigure>): ReadonlyMap<HostIndex, readonly string[]> {
  const pools = new Map<HostIndex, string[]>()
  for (const [pool, { reporter }] of figures) {
    const own = pools.get(reporter)
    if (own === undefined) pools.set(reporter, [pool])
    else own.push(pool)
  }
  return pools
}
