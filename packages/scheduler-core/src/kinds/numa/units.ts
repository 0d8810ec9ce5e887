import type { HostRecord } from '../../fleet/hosts.ts'
import { takeAcross, type Units } from '../claim-count.ts'
import type { CellGrant, PageGrant } from '../grants.ts'
import type { UsedBelowClaims } from '../kind.ts'
import { type CellState, cpusAreLeft, sharedCpusLeft } from './cell.ts'
import type { PageState } from './cell-limits.ts'
import { cpusOf } from './pin.ts'
import { hugeMibOf, isHuge, isPlainSize, plainMibLeft, plainMibReported } from './plain-memory.ts'

/** What a claim takes of one cell, as far as it is counted in one way. */
export interface CellPiece {
  readonly cell: number
  /** Shared CPUs. */
  readonly cpus: number
  readonly memoryMb: number
  /** Of that, not in huge pages. */
  readonly plainMb: number
  /** CPUs that nobody else may use. */
  readonly pins: readonly number[]
  readonly pages: PageGrant | undefined
}

/** Amounts of one sort over all cells. */
interface Amounts {
  cpus: number
  memoryMb: number
  plainMb: number
  pins: number
  /** By size in KiB. */
  readonly pages: Map<number, number>
}

/** What a cell has with nothing held. */
interface Unheld {
  readonly cpuFree: number
  readonly memoryFree: number
  readonly pages: readonly number[]
}

/** The cells of a host for counting claims of them. What a claim takes of a cell stays in one cell as long as one has room for it. */
export class CellUnits implements Units<CellPiece> {
  readonly cells: readonly CellState[]
  readonly #unheld: readonly Unheld[]
  /** What the report says is in use. */
  readonly #used: Amounts
  /** What materialised claims hold, over all cells and by the cell that they name. */
  readonly #covered: Amounts
  readonly #coveredIn: Map<number, { readonly amounts: Amounts; readonly pins: Map<number, number> }>

  /** Sizes of huge pages that claims may hold instead of one that no cell has; none below feature level KEPT_PAGES. */
  readonly #hugeSizes: readonly number[]

  /** Cells with nothing held. `usedPages` are the pages that the report says are in use, by size; `keepsPages` from feature level KEPT_PAGES on. */
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

  /** The same over cells that are as these are now. */
  copy(cells: readonly CellState[]): CellUnits {
    return new CellUnits(cells, this.#used.pages, this.#hugeSizes.length > 0, this)
  }

  /** What a claim takes of a cell, whole; of pages that no cell has, as many of the next size as back its memory. */
  pieceOf(part: CellGrant): CellPiece {
    const { pages } = part
    const pieceOf = (own: CellGrant) => pieceIn(this.#find(own.cell), own)
    const isThere = (sizeKib: number) => this.cells.some((cell) => cell.pages?.some((size) => size.sizeKib === sizeKib) === true)
    if (pages === undefined || isThere(pages.sizeKib) || isPlainSize(pages.sizeKib)) return pieceOf(part)
    const sizeKib = this.#hugeSizes.find((size) => size > pages.sizeKib) ?? this.#hugeSizes.at(-1)
    if (sizeKib === undefined) return pieceOf(part)
    return { ...pieceOf(part), pages: { sizeKib, count: Math.ceil((pages.count * pages.sizeKib) / sizeKib) } }
  }

  /** A part of a materialised grant: what the report counts of it, and what it leaves to claims. */
  split(part: CellGrant): { readonly counted: CellPiece; readonly beside: CellPiece } {
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
    return { counted: those(true), beside: those(false) }
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

  /** Takes so many CPUs for materialised claims: those that they name and the report does not, then any that are free. */
  #pinShort(count: number): void {
    let open = count
    for (const cell of this.cells) {
      const named = [...(this.#coveredIn.get(cell.id)?.pins ?? [])].filter(([, holders]) => holders > 0).map(([cpu]) => cpu)
      for (const cpu of named.sort((a, b) => a - b)) {
        if (open <= 0) return
        if (!cell.pinnable.includes(cpu) || cell.isPinned(cpu)) continue
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

  /** MiB outside of huge pages that the report shows, over all cells; below feature level PLAIN_IN_CELLS nobody asks. */
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

/** What claims hold of the cells of a host beyond what these have in all, sort by sort over the whole host. */
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

/** Whether nothing of a piece is left to count. */
export const isNothing = ({ cpus, memoryMb, pins, pages }: CellPiece): boolean =>
  cpus === 0 && memoryMb === 0 && pins.length === 0 && pages === undefined

const takeMemory = (cell: CellState, amount: number): void => {
  cell.memoryFree -= amount
}

const takeCpus = (cell: CellState, amount: number): void => {
  cell.cpuFree -= amount
}

const takePagesOf = (state: PageState, count: number): void => {
  state.free -= count
}

const hugeSizesOf = (cells: readonly CellState[]): readonly number[] => {
  const sizes = cells.flatMap(({ pages = [] }) =>
    pages.flatMap(({ sizeKib }) => (isHuge(sizeKib, pages[0]?.sizeKib ?? 0) ? [sizeKib] : [])),
  )
  return [...new Set(sizes)].sort((a, b) => a - b)
}

const claimPlain = (cell: CellState, amount: number): void => cell.claimPlain(amount)

/** MiB outside of huge pages that the report shows of a cell. */
const plainUsedOf = ({ limits, hugeCovered }: CellState): number =>
  limits?.reported === undefined ? 0 : plainMibReported(limits.reported, hugeCovered)

/** What a claim takes of a cell by its own names; `named` is that cell, if the host has it. */
const pieceIn = (named: CellState | undefined, part: CellGrant): CellPiece => ({
  cell: part.cell,
  cpus: part.cpus,
  memoryMb: part.memoryMb,
  plainMb: part.memoryMb - hugeMibOf(named === undefined ? [] : [named], [part]),
  pins: cpusOf(part),
  pages: part.pages,
})

function fitsIn(cell: CellState, { cpus, memoryMb, pins, pages }: CellPiece): boolean {
  if (memoryMb > 0 && memoryMb > cell.memoryFree) return false
  for (const cpu of pins) if (!cell.pinnable.includes(cpu) || cell.isPinned(cpu)) return false
  if (new Set(pins).size < pins.length) return false
  if (cpus > 0 || pins.length > 0) {
    const unshared = cell.dedicated === undefined ? pins.length : pins.filter((cpu) => cell.cpuset.includes(cpu)).length
    if (!cpusAreLeft(cell, cpus, unshared)) return false
  }
  if (pages === undefined) return true
  return (cell.pages ?? []).some(({ sizeKib, free }) => sizeKib === pages.sizeKib && free >= pages.count)
}

function takeFrom(cell: CellState, { cpus, memoryMb, plainMb, pins, pages }: CellPiece, sign: 1 | -1): void {
  cell.cpuFree -= sign * cpus
  cell.memoryFree -= sign * memoryMb
  cell.claimPlain(sign * plainMb)
  for (const cpu of pins) cell.pin(cpu, sign)
  if (pages === undefined) return
  for (const state of cell.pages ?? []) if (state.sizeKib === pages.sizeKib) state.free -= sign * pages.count
}

/** CPUs that may be given to one instance alone, and are. */
const openOf = (cell: CellState): readonly number[] => cell.pinnable.filter((cpu) => !cell.isPinned(cpu))

/** As many free CPUs as a piece holds, those that it names first. */
function freePinsOf(cell: CellState, { cell: named, pins }: CellPiece): readonly number[] {
  if (pins.length === 0) return pins
  const open = openOf(cell)
  const own = cell.id === named ? open.filter((cpu) => pins.includes(cpu)) : []
  return [...own, ...open.filter((cpu) => !own.includes(cpu))].slice(0, pins.length)
}

const unheldOf = ({ cpuFree, memoryFree, pages = [] }: CellState): Unheld => ({
  cpuFree,
  memoryFree,
  pages: pages.map(({ free }) => free),
})

function usedIn(cells: readonly CellState[], pages: ReadonlyMap<number, number>): Amounts {
  const used: Amounts = { cpus: 0, memoryMb: 0, plainMb: 0, pins: 0, pages: new Map(pages) }
  for (const { cpuCapacity, cpuFree, memoryCapacity, memoryFree, pinnedByReport } of cells) {
    used.cpus += cpuCapacity - cpuFree
    used.memoryMb += memoryCapacity - memoryFree
    used.pins += pinnedByReport.size
  }
  return used
}

const copyOf = (amounts: Amounts | undefined): Amounts =>
  amounts === undefined
    ? { cpus: 0, memoryMb: 0, plainMb: 0, pins: 0, pages: new Map() }
    : { cpus: amounts.cpus, memoryMb: amounts.memoryMb, plainMb: amounts.plainMb, pins: amounts.pins, pages: new Map(amounts.pages) }

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (const [i, value] of a.entries()) {
    const other = b[i] ?? 0
    if (value !== other) return value - other
  }
  return a.length - b.length
}
