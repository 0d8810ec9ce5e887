import { capacityOf, toRatioMilli } from '../values/capacity.ts'
import type { HostIndex } from '../values/host-index.ts'

/** The space of a pool as a document of the namespace `storage` reports it, GiB. */
export interface PoolSpace {
  readonly name: string
  readonly totalGib: number
  readonly reservedGib: number
  /** In use in addition to what claims hold. */
  readonly usedGib: number
  readonly thinRatio: number
}

/**
 * The space of a pool according to the youngest document that reports it; of documents of the same time, that of the host that was seen
 * first.
 */
export interface PoolFigure extends PoolSpace {
  readonly reporter: HostIndex
  /** Store time of that document. */
  readonly at: number
  /** floor((total - reserved) x ratio). */
  readonly capacityGib: number
}

interface Loan {
  readonly host: HostIndex
  readonly gib: Readonly<Record<string, number>>
}

const isYounger = (one: Pick<PoolFigure, 'at' | 'reporter'>, other: PoolFigure): boolean =>
  one.at > other.at || (one.at === other.at && one.reporter <= other.reporter)

/** Pools of disk space that hosts share: the size of each, and the total that all claims hold of it, on any host. */
export class Pools {
  #figures = new Map<string, PoolFigure>()
  #held = new Map<string, number>()
  /** The pools whose figure a host reported, by host; undefined after a change until it is needed again. */
  #byReporter: ReadonlyMap<HostIndex, readonly string[]> | undefined
  /** Extra free space for single hosts: a host does not see its own claim as held, while the others do. */
  #lent: readonly Loan[] = []
  /** The number of hosts whose instances have their disks in a pool. */
  users = 0

  /** Undefined where no document reports the size of the pool. */
  figure(pool: string): PoolFigure | undefined {
    return this.#figures.get(pool)
  }

  /** Pools whose figure comes from a host's document. */
  reportedBy(host: HostIndex): readonly string[] {
    this.#byReporter ??= groupByReporter(this.#figures)
    return this.#byReporter.get(host) ?? []
  }

  /** GiB that claims hold. */
  held(pool: string): number {
    return this.#held.get(pool) ?? 0
  }

  /** GiB that no claim holds; undefined if no document reports the size of the pool. */
  free(pool: string): number | undefined {
    const figure = this.#figures.get(pool)
    return figure === undefined ? undefined : figure.capacityGib - figure.usedGib - this.held(pool)
  }

  /** GiB that a host may take: the free space, and the space that was lent to the host. */
  freeFor(host: HostIndex, pool: string): number | undefined {
    const free = this.free(pool)
    return free === undefined ? undefined : free + this.#lentTo(host, pool)
  }

  /** GiB that claims hold, as that host sees it. */
  heldFor(host: HostIndex, pool: string): number {
    return this.held(pool) - this.#lentTo(host, pool)
  }

  /** Lends a host GiB in each pool; returns a function that takes them back. */
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

  /** GiB that claims hold, by pool. */
  allHeld(): ReadonlyMap<string, number> {
    return this.#held
  }

  hold(pool: string, gib: number): void {
    const held = this.held(pool) + gib
    if (held === 0) this.#held.delete(pool)
    else this.#held.set(pool, held)
  }

  /** Takes over the size of a pool from a host's document, unless a younger one is known. */
  takeFigure(pool: string, reporter: HostIndex, at: number, space: PoolSpace): void {
    const known = this.#figures.get(pool)
    if (known !== undefined && !isYounger({ at, reporter }, known)) return
    const { totalGib, reservedGib, thinRatio } = space
    this.#byReporter = undefined
    this.#figures.set(pool, { ...space, reporter, at, capacityGib: capacityOf(totalGib, reservedGib, toRatioMilli(thinRatio)) })
  }

  /** Forgets the figure of a pool, which then has to be read from other documents. */
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
