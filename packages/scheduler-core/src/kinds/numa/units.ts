import { type CellState, cpuSetOf, sharedCpusLeft } from '../../hosts/cell.ts'
import type { HostRecord } from '../../hosts/hosts.ts'
import { isPlainSize, plainMibLeft } from '../../hosts/plain-memory.ts'
import type { CellGrant } from '../../records/grants.ts'
import { takeAcross, type Units } from '../claim-count.ts'
import type { UsedBelowClaims } from '../kind.ts'
import {
  type Amounts,
  type CellPiece,
  claimPlain,
  compareLists,
  copyOf,
  fitsIn,
  freePinsOf,
  hugeSizesOf,
  openOf,
  pieceIn,
  plainUsedOf,
  takeCpus,
  takeFrom,
  takeMemory,
  takePagesOf,
  usedIn,
} from './cell-piece.ts'
import { cpusOf } from './pin.ts'

/** The free amounts of a cell if there were no claims. */
interface Unheld {
  readonly cpuFree: number
  readonly memoryFree: number
  readonly pages: readonly number[]
}

/**
 * The NUMA cells of a host, for counting claims on them. A part of a claim is split over several cells only if it fits on no single cell.
 */
export class CellUnits implements Units<CellPiece> {
  readonly cells: readonly CellState[]
  readonly #unheld: readonly Unheld[]
  /** The reported usage, summed over all cells. */
  readonly #used: Amounts
  /** The amounts that materialised claims hold: `#covered` in total, `#coveredIn` separately for each cell that the claims name. */
  readonly #covered: Amounts
  readonly #coveredIn: Map<number, { readonly amounts: Amounts; readonly pins: Map<number, number> }>

  /**
   * The sizes of huge pages of the host. If no cell has the page size of a claim, one of these sizes is used. Empty below feature level
   * KEPT_PAGES.
   */
  readonly #hugeSizes: readonly number[]

  /**
   * Creates the units for cells without claims. `usedPages` is the reported count of used pages by page size. `keepsPages` is true from
   * feature level KEPT_PAGES on. With `from`, the counts of `from` are copied.
   */
  constructor(cells: readonly CellState[], usedPages: ReadonlyMap<number, number>, keepsPages: boolean, from?: CellUnits) {
    this.cells = cells
    this.#hugeSizes = keepsPages ? hugeSizesOf(cells) : []
    this.#unheld = from === undefined ? cells.map(unheldOf) : from.#unheld
    this.#used = from === undefined ? usedIn(cells, usedPages) : from.#used
    this.#covered = copyOf(from === undefined ? undefined : from.#covered)
    this.#coveredIn = new Map()
    for (const [cell, { amounts, pins }] of from === undefined ? [] : from.#coveredIn)
      this.#coveredIn.set(cell, { amounts: copyOf(amounts), pins: new Map(pins) })
  }

  /** Creates a copy for the cells of a copied fleet. The cells must equal the cells of this object. */
  copy(cells: readonly CellState[]): CellUnits {
    return new CellUnits(cells, this.#used.pages, this.#hugeSizes.length > 0, this)
  }

  /**
   * The amounts that a claim holds on a cell. If no cell has huge pages of the claim's size, enough pages of the next larger size are used,
   * or of the largest size if none is larger.
   */
  pieceOf(part: CellGrant): CellPiece {
    const { pages } = part
    const pieceOf = (own: CellGrant) => pieceIn(this.#find(own.cell), own)
    const isThere = (sizeKib: number) => this.cells.some((cell) => cell.pages?.some((size) => size.sizeKib === sizeKib) === true)
    if (pages === undefined || isThere(pages.sizeKib) || isPlainSize(pages.sizeKib)) return pieceOf(part)
    const sizeKib = this.#hugeSizes.find((size) => size > pages.sizeKib) ?? this.#hugeSizes.at(-1)
    if (sizeKib === undefined) return pieceOf(part)
    return { ...pieceOf(part), pages: { sizeKib, count: Math.ceil((pages.count * pages.sizeKib) / sizeKib) } }
  }

  /** Splits a part of a materialised grant into the amounts that the report counts as used and the amounts that it does not count. */
  split(part: CellGrant): { readonly counted: CellPiece; readonly uncounted: CellPiece } {
    const whole = this.pieceOf(part)
    const { cell, cpus, memoryMb, plainMb, pins, pages } = whole
    const named = this.#find(cell)
    const among = named === undefined ? this.cells : [named]
    const counts = {
      cpus: among.some(({ countsCpu }) => countsCpu),
      memory: among.some(({ countsMemory }) => countsMemory),
      pins: among.some(({ countsPinned }) => countsPinned),
      pages: among.some((one) => one.pages?.some(({ sizeKib, countsUse }) => sizeKib === pages?.sizeKib && countsUse) === true),
    }
    const those = (isCounted: boolean): CellPiece => ({
      cell,
      cpus: counts.cpus === isCounted ? cpus : 0,
      memoryMb: counts.memory === isCounted ? memoryMb : 0,
      plainMb: counts.memory === isCounted ? plainMb : 0,
      pins: counts.pins === isCounted ? pins : [],
      pages: counts.pages === isCounted ? pages : undefined,
    })
    return { counted: those(true), uncounted: those(false) }
  }

  reset(): void {
    for (const [i, cell] of this.cells.entries()) {
      const { cpuFree, memoryFree, pages } = this.#unheld[i] as Unheld
      cell.cpuFree = cpuFree
      cell.memoryFree = memoryFree
      cell.claimPlain(-cell.plainClaimed)
      for (const [p, state] of (cell.pages ?? []).entries()) state.free = pages[p] as number
      cell.unpinAll()
    }
  }

  cover(piece: CellPiece, sign: 1 | -1): void {
    const { cell, pins } = piece
    const here = this.#coveredIn.get(cell) ?? { amounts: copyOf(undefined), pins: new Map<number, number>() }
    this.#coveredIn.set(cell, here)
    for (const sums of [this.#covered, here.amounts]) {
      sums.cpus += sign * piece.cpus
      sums.memoryMb += sign * piece.memoryMb
      sums.plainMb += sign * piece.plainMb
      sums.pins += sign * pins.length
      if (piece.pages !== undefined)
        sums.pages.set(piece.pages.sizeKib, (sums.pages.get(piece.pages.sizeKib) ?? 0) + sign * piece.pages.count)
    }
    if (piece.pages === undefined) this.#find(cell)?.coverHuge(sign * (piece.memoryMb - piece.plainMb))
    for (const cpu of pins) here.pins.set(cpu, (here.pins.get(cpu) ?? 0) + sign)
  }

  isShort(): boolean {
    const [covered, used] = [this.#covered, this.#used]
    if (covered.plainMb > this.#plainUsed()) return true
    if (covered.cpus > used.cpus || covered.memoryMb > used.memoryMb || covered.pins > used.pins) return true
    for (const [sizeKib, count] of covered.pages) if (count > (used.pages.get(sizeKib) ?? 0)) return true
    return false
  }

  below(): readonly UsedBelowClaims[] {
    const [covered, used] = [this.#covered, this.#used]
    const sorts: UsedBelowClaims[] = [
      { subject: 'shared CPUs of cells', reported: used.cpus, held: covered.cpus },
      { subject: 'MiB of cells', reported: used.memoryMb, held: covered.memoryMb },
      { subject: 'dedicated CPUs', reported: used.pins, held: covered.pins },
      ...[...covered.pages].map(([sizeKib, held]) => ({
        subject: `pages of ${sizeKib} KiB`,
        reported: used.pages.get(sizeKib) ?? 0,
        held,
      })),
    ]
    return sorts.filter(({ reported, held }) => held > reported)
  }

  takeShort(): void {
    const [covered, used] = [this.#covered, this.#used]
    const missing = (cell: CellState, amountOf: (amounts: Amounts) => number, usedHere: number): number => {
      const here = this.#coveredIn.get(cell.id)
      return here === undefined ? 0 : amountOf(here.amounts) - usedHere
    }
    this.#pinShort(covered.pins - used.pins)
    const shortMemory = takeAcross(
      this.cells,
      covered.memoryMb - used.memoryMb,
      (cell) =>
        Math.min(
          cell.memoryFree,
          missing(cell, ({ memoryMb }) => memoryMb, this.#usedMemoryOf(cell)),
        ),
      takeMemory,
    )
    this.#takeMemory(this.cells, shortMemory)
    const shortPlain = takeAcross(
      this.cells,
      covered.plainMb - this.#plainUsed(),
      (cell) =>
        Math.min(
          plainMibLeft(cell, false),
          missing(cell, ({ plainMb }) => plainMb, plainUsedOf(cell)),
        ),
      claimPlain,
    )
    this.#takePlain(this.cells, shortPlain)
    const shortCpus = takeAcross(
      this.cells,
      covered.cpus - used.cpus,
      (cell) =>
        Math.min(
          sharedCpusLeft(cell),
          missing(cell, ({ cpus }) => cpus, this.#usedCpusOf(cell)),
        ),
      takeCpus,
    )
    this.#takeCpus(this.cells, shortCpus)
    for (const [sizeKib, count] of covered.pages) this.#takePages(this.cells, sizeKib, count - (used.pages.get(sizeKib) ?? 0))
  }

  fits(piece: CellPiece): boolean {
    const cell = this.#find(piece.cell)
    return cell !== undefined && fitsIn(cell, piece)
  }

  take(piece: CellPiece, sign: 1 | -1): void {
    const cell = this.#find(piece.cell)
    if (cell !== undefined) takeFrom(cell, piece, sign)
  }

  takeElsewhere(piece: CellPiece): void {
    const named = this.#find(piece.cell)
    const order = named === undefined ? this.cells : [named, ...this.cells.filter((cell) => cell !== named)]
    for (const cell of order) {
      const pins = freePinsOf(cell, piece)
      const moved = { ...piece, pins }
      if (pins.length < piece.pins.length || !fitsIn(cell, moved)) continue
      takeFrom(cell, moved, 1)
      return
    }
    this.#pinAny(order, piece.pins.length)
    this.#takeMemory(order, piece.memoryMb)
    this.#takePlain(order, piece.plainMb)
    this.#takeCpus(order, piece.cpus)
    if (piece.pages !== undefined) this.#takePages(order, piece.pages.sizeKib, piece.pages.count)
  }

  compare(a: CellPiece, b: CellPiece): number {
    return (
      b.pins.length - a.pins.length ||
      b.memoryMb - a.memoryMb ||
      b.cpus - a.cpus ||
      (b.pages?.count ?? 0) - (a.pages?.count ?? 0) ||
      (b.pages?.sizeKib ?? 0) - (a.pages?.sizeKib ?? 0) ||
      b.plainMb - a.plainMb ||
      a.cell - b.cell ||
      compareLists(a.pins, b.pins)
    )
  }

  #usedMemoryOf(cell: CellState): number {
    return cell.memoryCapacity - (this.#unheld[this.cells.indexOf(cell)] as Unheld).memoryFree
  }

  #usedCpusOf(cell: CellState): number {
    return cell.cpuCapacity - (this.#unheld[this.cells.indexOf(cell)] as Unheld).cpuFree
  }

  /** Pins `count` CPUs for materialised claims: first free CPUs that these claims name, then any free CPUs. */
  #pinShort(count: number): void {
    let open = count
    for (const cell of this.cells) {
      const named = [...(this.#coveredIn.get(cell.id)?.pins ?? [])].filter(([, holders]) => holders > 0).map(([cpu]) => cpu)
      for (const cpu of named.sort((a, b) => a - b)) {
        if (open <= 0) return
        if (!cpuSetOf(cell.pinnable).has(cpu) || cell.isPinned(cpu)) continue
        cell.pin(cpu, 1)
        open--
      }
    }
    this.#pinAny(this.cells, open)
  }

  #pinAny(order: readonly CellState[], count: number): void {
    takeAcross(
      order,
      count,
      (cell) => openOf(cell).length,
      (cell, part) => {
        for (const cpu of openOf(cell).slice(0, part)) cell.pin(cpu, 1)
      },
    )
  }

  #takeMemory(order: readonly CellState[], amount: number): void {
    const [first] = order
    const open = takeAcross(order, amount, ({ memoryFree }) => memoryFree, takeMemory)
    if (first !== undefined && open > 0) takeMemory(first, open)
  }

  #takePlain(order: readonly CellState[], amount: number): void {
    const open = takeAcross(order, amount, (cell) => plainMibLeft(cell, false), claimPlain)
    if (open > 0) order[0]?.claimPlain(open)
  }

  /** The reported usage of memory outside of huge pages, summed over all cells, in MiB. Unlimited below feature level PLAIN_IN_CELLS. */
  #plainUsed(): number {
    if (this.cells.some(({ limits }) => limits?.reported === undefined)) return Number.MAX_SAFE_INTEGER
    return this.cells.reduce((sum, cell) => sum + plainUsedOf(cell), 0)
  }

  #takeCpus(order: readonly CellState[], amount: number): void {
    const [first] = order
    const open = takeAcross(order, amount, sharedCpusLeft, takeCpus)
    if (first !== undefined && open > 0) takeCpus(first, open)
  }

  #takePages(order: readonly CellState[], sizeKib: number, count: number): void {
    const states = order.flatMap(({ pages = [] }) => pages.filter((state) => state.sizeKib === sizeKib))
    const [first] = states
    const open = takeAcross(states, count, ({ free }) => free, takePagesOf)
    if (first !== undefined && open > 0) takePagesOf(first, open)
  }

  #find(id: number): CellState | undefined {
    return this.cells.find((cell) => cell.id === id)
  }
}

/** The amounts (CPUs, memory, pages) of which claims hold more than all cells of the host together have. */
export function cellsBelowClaims({ cells, stats }: HostRecord, parts: readonly CellGrant[]): readonly UsedBelowClaims[] {
  const sum = <Item>(items: readonly Item[], amountOf: (item: Item) => number) => items.reduce((all, item) => all + amountOf(item), 0)
  const pages = stats.numaCells.flatMap((cell) => cell.pages)
  const pagesThere = (sizeKib: number) => sum(pages, (size) => (size.sizeKib === sizeKib ? size.total - size.reserved : 0))
  const held = new Map<number, number>()
  for (const { pages: own } of parts) if (own !== undefined) held.set(own.sizeKib, (held.get(own.sizeKib) ?? 0) + own.count)
  const sorts: UsedBelowClaims[] = [
    { subject: 'shared CPUs of cells', reported: sum(cells, (cell) => cell.cpuCapacity), held: sum(parts, ({ cpus }) => cpus) },
    { subject: 'MiB of cells', reported: sum(cells, (cell) => cell.memoryCapacity), held: sum(parts, ({ memoryMb }) => memoryMb) },
    { subject: 'dedicated CPUs', reported: sum(cells, ({ pinnable }) => pinnable.length), held: sum(parts, (part) => cpusOf(part).length) },
    ...[...held].map(([sizeKib, count]) => ({ subject: `pages of ${sizeKib} KiB`, reported: pagesThere(sizeKib), held: count })),
  ]
  return sorts.filter((sort) => sort.held > sort.reported)
}

const unheldOf = ({ cpuFree, memoryFree, pages = [] }: CellState): Unheld => ({
  cpuFree,
  memoryFree,
  pages: pages.map(({ free }) => free),
})
