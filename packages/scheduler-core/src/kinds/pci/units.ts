import type { PciGrant } from '../../records/grants.ts'
import { takeAcross, type Units } from '../claim-count.ts'
import type { UsedBelowClaims } from '../kind.ts'
import { isOfProduct, likestFirst, likestOf, sortOf } from './likeness.ts'
import type { PoolState } from './pool.ts'

/** The part of a claim on one pool: a count of its devices. */
export type PoolPiece = Pick<PciGrant, 'pool' | 'count'>

/**
 * The PCI pools of a host, for counting claims on them. If the pool that a claim names has too few free devices, the claim is counted on
 * pools of the same sort, which differ only in their NUMA cell. From feature level KEPT_DEVICES on, it can also be counted on similar
 * pools, because a later report can describe the same devices differently.
 */
export class PoolUnits implements Units<PoolPiece> {
  readonly list: readonly PoolState[]
  /** For each pool name, the reported count of devices in use. */
  readonly #used: ReadonlyMap<string, number>
  /** For each pool name, the count of free devices if there were no claims. */
  readonly #unheld: ReadonlyMap<string, number>
  /** For each pool name, the count of devices that materialised claims on this pool hold. */
  readonly #covered: Map<string, number>

  /** For each pool name, the reported count of all devices. Undefined below feature level KEPT_DEVICES. */
  readonly #totals: ReadonlyMap<string, number> | undefined
  /** For each pool name, the count of devices that claims on this pool hold in addition to the reported usage. */
  readonly #uncounted: Map<string, number>

  constructor(
    list: readonly PoolState[],
    used: ReadonlyMap<string, number>,
    totals: ReadonlyMap<string, number> | undefined,
    unheld: ReadonlyMap<string, number> = new Map(list.map(({ key, free }) => [key, free])),
    covered: ReadonlyMap<string, number> = new Map(),
    uncounted: ReadonlyMap<string, number> = new Map(),
  ) {
    this.list = list
    this.#used = used
    this.#unheld = unheld
    this.#covered = new Map(covered)
    this.#totals = totals
    this.#uncounted = new Map(uncounted)
  }

  copy(list: readonly PoolState[]): PoolUnits {
    return new PoolUnits(list, this.#used, this.#totals, this.#unheld, this.#covered, this.#uncounted)
  }

  /**
   * True if the report counts the use of a pool. If the report does not list the pool: true if it counts the use of a pool of the same sort
   * or, from feature level KEPT_DEVICES on, of one of the most similar pools.
   */
  countsUse(pool: string): boolean {
    const named = this.#find(pool)
    if (named !== undefined) return named.countsUse
    return (this.#totals === undefined ? this.#alike(pool) : likestOf(this.list, pool)).some(({ countsUse }) => countsUse)
  }

  reset(): void {
    this.#uncounted.clear()
    for (const pool of this.list) pool.free = this.#unheld.get(pool.key) as number
  }

  cover({ pool, count }: PoolPiece, sign: 1 | -1): void {
    addTo(this.#covered, pool, sign * count)
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
    const rests: [sort: string, rest: number][] = []
    for (const [sort, short] of this.#shortBySort()) {
      if (short <= 0) continue
      const alike = this.list.filter(({ key }) => sortOf(key) === sort)
      const missing = ({ key, free }: PoolState) => Math.min(free, (this.#covered.get(key) ?? 0) - (this.#used.get(key) ?? 0))
      const open = takeAcross(alike, short, missing, takeFrom)
      const rest = takeAcross(alike, open, freeOf, takeFrom)
      if (this.#totals === undefined) takeBelow(rest, alike[0])
      else if (rest > 0) rests.push([sort, rest])
    }
    // the sorts are processed in a fixed order, because the result must not depend on the order of claims
    for (const [sort, rest] of rests.sort(([a], [b]) => (a < b ? -1 : 1))) this.#takeOfOthers(sort, rest)
  }

  fits({ pool, count }: PoolPiece): boolean {
    return (this.#find(pool)?.free ?? -1) >= count
  }

  take({ pool: key, count }: PoolPiece, sign: 1 | -1): void {
    addTo(this.#uncounted, key, sign * count)
    const pool = this.#find(key)
    if (pool !== undefined) pool.free -= sign * count
  }

  takeElsewhere({ pool, count }: PoolPiece): void {
    const named = this.#find(pool)
    const alike = this.#alike(pool)
    const order = named === undefined ? alike : [named, ...alike.filter((other) => other !== named)]
    addTo(this.#uncounted, pool, count)
    const rest = takeAcross(order, count, freeOf, takeFrom)
    if (this.#totals === undefined) takeBelow(rest, order[0])
    else this.#takeOfOthers(pool, rest)
  }

  compare(a: PoolPiece, b: PoolPiece): number {
    return b.count - a.count || (a.pool < b.pool ? -1 : Number(a.pool > b.pool))
  }

  #alike(pool: string): readonly PoolState[] {
    const sort = sortOf(pool)
    return this.list.filter(({ key }) => sortOf(key) === sort)
  }

  /**
   * Takes `count` devices for a pool that has no free devices left. First, free devices of the same product are taken, because tags and
   * types can change between reports. Then devices of other products are taken, which are possibly the same devices under another name.
   * Their count is limited to the count of devices of the product that claims hold beyond the reported total. The rest makes the free count
   * of the most similar pool negative.
   */
  #takeOfOthers(pool: string, count: number): void {
    const order = likestFirst(this.list, pool)
    const own = order.filter(({ key }) => isOfProduct(key, pool))
    const open = takeAcross(own, count, freeOf, takeFrom)
    const lacking = Math.min(open, this.#lackingOf(pool))
    const rest = takeAcross(order, lacking, freeOf, takeFrom)
    takeBelow(open - lacking + rest, order[0])
  }

  /** By how many devices the claims on a product exceed the reported total of the product. */
  #lackingOf(pool: string): number {
    let lacking = 0
    for (const held of [this.#covered, this.#uncounted]) for (const [key, count] of held) if (isOfProduct(key, pool)) lacking += count
    for (const [key, total] of this.#totals ?? []) if (isOfProduct(key, pool)) lacking -= total
    return Math.max(0, lacking)
  }

  #shortBySort(): ReadonlyMap<string, number> {
    const short = new Map<string, number>()
    for (const [pool, count] of this.#covered) addTo(short, sortOf(pool), count)
    if (short.size === 0) return short
    for (const [pool, count] of this.#used) addTo(short, sortOf(pool), -count)
    if (this.#totals !== undefined) this.#findElsewhere(short, this.#totals)
    return short
  }

  /**
   * Reduces the shortfalls in `short`: if the host has fewer devices of a sort than materialised claims hold, the claims are assumed to use
   * other sorts whose reported usage no claim explains, the most similar sorts first.
   */
  #findElsewhere(short: Map<string, number>, totals: ReadonlyMap<string, number>): void {
    const sorts = [...short.keys()].sort()
    for (const sort of sorts) {
      const lacking = sumOfSort(this.#covered, sort) - sumOfSort(totals, sort)
      let open = Math.min(short.get(sort) ?? 0, lacking)
      for (const { key } of open > 0 ? likestFirst(this.list, sort) : []) {
        const other = sortOf(key)
        const part = Math.min(open, Math.max(0, -(short.get(other) ?? 0)))
        addTo(short, sort, -part)
        addTo(short, other, part)
        open -= part
      }
    }
  }

  #find(key: string): PoolState | undefined {
    return this.list.find((pool) => pool.key === key)
  }
}

function addTo(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by
  if (count === 0) counts.delete(name)
  else counts.set(name, count)
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
