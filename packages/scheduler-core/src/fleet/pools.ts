import type { HostIndex } from '../host-index.ts'
import { capacityOf, toRatioMilli } from './capacity.ts'

/** What a document of the namespace `storage` says of the space of a pool, GiB. */
export interface PoolSpace {
  readonly name: string
  readonly totalGib: number
  readonly reservedGib: number
  /** In use beside what claims hold. */
  readonly usedGib: number
  readonly thinRatio: number
}

/** The space of a pool as the youngest document that tells it says, of two of one time that of the host that was seen first. */
export interface PoolFigure extends PoolSpace {
  readonly teller: HostIndex
  /** Store time of that document. */
  readonly at: number
  /** floor((total - reserved) x ratio). */
  readonly capacityGib: number
}

interface Loan {
  readonly host: HostIndex
  readonly gib: Readonly<Record<string, number>>
}

const isYounger = (one: Pick<PoolFigure, 'at' | 'teller'>, other: PoolFigure): boolean =>
  one.at > other.at || (one.at === other.at && one.teller <= other.teller)

/** Pools of disk space that hosts share: how much there is of each, and how much of it all claims together hold, on whichever hosts. */
export class Pools {
  #figures = new Map<string, PoolFigure>()
  #held = new Map<string, number>()
  /** The pools whose figure a host tells, by host; undefined once that may have changed. */
  #toldBy: ReadonlyMap<HostIndex, readonly string[]> | undefined
  /** What one host alone finds free beside: its own claim is looked away from, and the others still see it held. */
  #lent: readonly Loan[] = []
  /** How many hosts have the disks of their instances in a pool. */
  users = 0

  /** Undefined where no document tells how large the pool is. */
  figure(pool: string): PoolFigure | undefined {
    return this.#figures.get(pool)
  }

  /** Pools of which the figure is that of a host's document. */
  toldBy(host: HostIndex): readonly string[] {
    this.#toldBy ??= groupByTeller(this.#figures)
    return this.#toldBy.get(host) ?? []
  }

  /** GiB that claims hold. */
  held(pool: string): number {
    return this.#held.get(pool) ?? 0
  }

  /** GiB that nobody has been promised; undefined where no document tells how large the pool is. */
  free(pool: string): number | undefined {
    const figure = this.#figures.get(pool)
    return figure === undefined ? undefined : figure.capacityGib - figure.usedGib - this.held(pool)
  }

  /** GiB that a host may take: what is free, and what it was lent. */
  freeFor(host: HostIndex, pool: string): number | undefined {
    const free = this.free(pool)
    return free === undefined ? undefined : free + this.#lentTo(host, pool)
  }

  /** GiB that claims hold, as that host sees it. */
  heldFor(host: HostIndex, pool: string): number {
    return this.held(pool) - this.#lentTo(host, pool)
  }

  /** Lends a host GiB by pool; answers how to take them back. */
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

  /** Takes over what a host's document says of a pool, where nothing younger is known. */
  tell(pool: string, teller: HostIndex, at: number, space: PoolSpace): void {
    const known = this.#figures.get(pool)
    if (known !== undefined && !isYounger({ at, teller }, known)) return
    const { totalGib, reservedGib, thinRatio } = space
    this.#toldBy = undefined
    this.#figures.set(pool, { ...space, teller, at, capacityGib: capacityOf(totalGib, reservedGib, toRatioMilli(thinRatio)) })
  }

  /** Forgets the figure of a pool: who else tells of it is to be asked anew. */
  forget(pool: string): void {
    this.#toldBy = undefined
    this.#figures.delete(pool)
  }

  takeCopy(from: Pools): void {
    this.#figures = new Map(from.#figures)
    this.#toldBy = from.#toldBy
    this.#held = new Map(from.#held)
    this.users = from.users
  }
}

function groupByTeller(figures: ReadonlyMap<string, PoolFigure>): ReadonlyMap<HostIndex, readonly string[]> {
  const pools = new Map<HostIndex, string[]>()
  for (const [pool, { teller }] of figures) {
    const told = pools.get(teller)
    if (told === undefined) pools.set(teller, [pool])
    else told.push(pool)
  }
  return pools
}
