import { takeAcross, type Units } from '../claim-count.ts'
import type { UsedBelowClaims } from '../kind.ts'
import type { PciGrant, PoolState } from './pool.ts'

/** So many devices of a pool. */
export type PoolPiece = Pick<PciGrant, 'pool' | 'count'>

/** Pools that differ in nothing but their NUMA cell hold devices that serve alike. */
export const sortOf = (pool: string): string => pool.replace(/@\d+(?=\?|$)/, '')

/** The PCI pools of a host for counting claims of them: a claim may get devices of another NUMA cell, never of another sort. */
export class PoolUnits implements Units<PoolPiece> {
  readonly list: readonly PoolState[]
  /** Devices in use by pool, as reported. */
  readonly #used: ReadonlyMap<string, number>
  /** Devices free by pool with nothing held. */
  readonly #unheld: ReadonlyMap<string, number>
  /** Devices of materialised claims by the pool that they name. */
  readonly #covered: Map<string, number>

  constructor(
    list: readonly PoolState[],
    used: ReadonlyMap<string, number>,
    unheld: ReadonlyMap<string, number> = new Map(list.map(({ key, free }) => [key, free])),
    covered: ReadonlyMap<string, number> = new Map(),
  ) {
    this.list = list
    this.#used = used
    this.#unheld = unheld
    this.#covered = new Map(covered)
  }

  copy(list: readonly PoolState[]): PoolUnits {
    return new PoolUnits(list, this.#used, this.#unheld, this.#covered)
  }

  /** Whether the report counts the use of a pool, or, where it has none of that name, of any of its sort. */
  countsUse(pool: string): boolean {
    return this.#find(pool)?.countsUse ?? this.#alike(pool).some(({ countsUse }) => countsUse)
  }

  reset(): void {
    for (const pool of this.list) pool.free = this.#unheld.get(pool.key) as number
  }

  cover({ pool, count }: PoolPiece, sign: 1 | -1): void {
    const covered = (this.#covered.get(pool) ?? 0) + sign * count
    if (covered === 0) this.#covered.delete(pool)
    else this.#covered.set(pool, covered)
  }

  isShort(): boolean {
    for (const short of this.#shortBySort().values()) if (short > 0) return true
    return false
  }

  below(): readonly UsedBelowClaims[] {
    return [...this.#shortBySort()].flatMap(([sort, short]) => {
      if (short <= 0) return []
      const held = sumOfSort(this.#covered, sort)
      return [{ subject: `PCI ${sort}`, reported: held - short, held }]
    })
  }

  takeShort(): void {
    for (const [sort, short] of this.#shortBySort()) {
      if (short <= 0) continue
      const alike = this.list.filter(({ key }) => sortOf(key) === sort)
      const missing = ({ key, free }: PoolState) => Math.min(free, (this.#covered.get(key) ?? 0) - (this.#used.get(key) ?? 0))
      const open = takeAcross(alike, short, missing, takeFrom)
      takeBelow(takeAcross(alike, open, freeOf, takeFrom), alike[0])
    }
  }

  fits({ pool, count }: PoolPiece): boolean {
    return (this.#find(pool)?.free ?? -1) >= count
  }

  take({ pool: key, count }: PoolPiece, sign: 1 | -1): void {
    const pool = this.#find(key)
    if (pool !== undefined) pool.free -= sign * count
  }

  takeElsewhere({ pool, count }: PoolPiece): void {
    const named = this.#find(pool)
    const alike = this.#alike(pool)
    const order = named === undefined ? alike : [named, ...alike.filter((other) => other !== named)]
    takeBelow(takeAcross(order, count, freeOf, takeFrom), order[0])
  }

  compare(a: PoolPiece, b: PoolPiece): number {
    return b.count - a.count || (a.pool < b.pool ? -1 : Number(a.pool > b.pool))
  }

  #alike(pool: string): readonly PoolState[] {
    const sort = sortOf(pool)
    return this.list.filter(({ key }) => sortOf(key) === sort)
  }

  #shortBySort(): ReadonlyMap<string, number> {
    const short = new Map<string, number>()
    const add = (pool: string, count: number): void => {
      const sort = sortOf(pool)
      short.set(sort, (short.get(sort) ?? 0) + count)
    }
    for (const [pool, count] of this.#covered) add(pool, count)
    if (short.size > 0) for (const [pool, count] of this.#used) add(pool, -count)
    return short
  }

  #find(key: string): PoolState | undefined {
    return this.list.find((pool) => pool.key === key)
  }
}

function sumOfSort(counts: ReadonlyMap<string, number>, sort: string): number {
  let sum = 0
  for (const [pool, count] of counts) if (sortOf(pool) === sort) sum += count
  return sum
}

const freeOf = ({ free }: PoolState): number => free

const takeFrom = (pool: PoolState, count: number): void => {
  pool.free -= count
}

const takeBelow = (count: number, pool: PoolState | undefined): void => {
  if (pool !== undefined) pool.free -= count
}
