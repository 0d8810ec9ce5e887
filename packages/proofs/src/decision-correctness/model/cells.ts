import { capacityOf, claimsOn, hugeUsedIn, isCounted, setAsideIn } from './fleet.ts'
import type { ModelClaim, ModelFleet, ModelHost } from './state.ts'

export interface ModelCell {
  readonly id: number
  readonly cpus: readonly number[]
  readonly pinned: readonly number[]
  readonly cpuCapacity: number
  readonly sharedUsed: number
  readonly memoryCapacity: number
  readonly memoryFree: number
  /** The total memory in MiB. */
  readonly memory: number
  /** The part of `memory` that is not in huge pages, in MiB. */
  readonly plain: number
  /** Memory outside of huge pages: how much can be allocated, and how much is allocated. */
  readonly plainCapacity: number
  readonly plainUsed: number
}

interface CellHold {
  readonly cell: number
  readonly cpus: number
  readonly memoryMb: number
  readonly pinned: readonly number[]
}

/** A cell while the amounts of reports and claims are added up. The fields have the same meaning as in ModelCell. */
interface CellTally {
  readonly id: number
  readonly cpus: readonly number[]
  pinned: number[]
  readonly cpuCapacity: number
  sharedUsed: number
  readonly memoryCapacity: number
  memoryFree: number
  readonly plainCapacity: number
  plainUsed: number
  readonly plain: number
}

/** How many more shared CPUs a cell can provide. Pinned CPUs cannot be shared. */
const sharedLeft = ({ cpus, pinned, cpuCapacity, sharedUsed }: CellTally): number =>
  (pinned.length === 0 ? cpuCapacity : Math.floor(((cpus.length - pinned.length) * cpuCapacity) / cpus.length)) - sharedUsed

function hasPlace(cell: CellTally, { cpus, memoryMb, pinned }: CellHold): boolean {
  if (memoryMb > 0 && memoryMb > cell.memoryFree) return false
  if (new Set(pinned).size < pinned.length || pinned.some((cpu) => !cell.cpus.includes(cpu) || cell.pinned.includes(cpu))) return false
  if (cpus === 0 && pinned.length === 0) return true
  const unpinned = cell.cpus.length - cell.pinned.length - pinned.length
  return unpinned >= 0 && cell.sharedUsed + cpus <= Math.floor((unpinned * cell.cpuCapacity) / cell.cpus.length)
}

function give(cell: CellTally, { cpus, memoryMb, pinned }: CellHold): void {
  cell.sharedUsed += cpus
  cell.memoryFree -= memoryMb
  cell.plainUsed += memoryMb
  cell.pinned.push(...pinned)
}

/**
 * Takes an amount from cells in the given order, from each cell as much as it has. If the cells have too little, the rest is taken from the
 * first cell.
 */
function spread(
  cells: readonly CellTally[],
  amount: number,
  left: (cell: CellTally) => number,
  take: (cell: CellTally, by: number) => void,
): void {
  let open = Math.max(0, amount)
  for (const cell of cells) {
    const part = Math.min(open, Math.max(0, left(cell)))
    take(cell, part)
    open -= part
  }
  if (cells[0] !== undefined && open > 0) take(cells[0], open)
}

const takeShared = (cell: CellTally, by: number): void => {
  cell.sharedUsed += by
}

const takeMemory = (cell: CellTally, by: number): void => {
  cell.memoryFree -= by
}

const isOpen =
  (cell: CellTally) =>
  (cpu: number): boolean =>
    !cell.pinned.includes(cpu)

/** Pins this many free CPUs of these cells, those with the lowest numbers first. If there are not enough, pins fewer. */
function pinSome(cells: readonly CellTally[], count: number): void {
  for (let n = 0; n < count; n++) {
    const cell = cells.find((one) => one.cpus.some(isOpen(one)))
    const cpu = cell?.cpus.find(isOpen(cell))
    if (cell !== undefined && cpu !== undefined) cell.pinned.push(cpu)
  }
}

/** The amounts that claims hold in a host's cells: `shown` are those that its report includes, `waiting` are those that it does not. */
function holdsOf({ stats }: ModelHost, claims: readonly ModelClaim[]): { readonly shown: CellHold[]; readonly waiting: CellHold[] } {
  const reported = stats.numaCells
  const shown: CellHold[] = []
  const waiting: CellHold[] = []
  for (const claim of claims)
    for (const { cell, cpus, memoryMb, pinned = [] } of claim.takes.numa ?? []) {
      const isShown = isCounted(claim)
      const named = reported.filter(({ id }) => id === cell)
      const counting = named.length === 0 ? reported : named
      const counts = {
        cpus: isShown && counting.some(({ cpuUsage }) => cpuUsage !== null),
        memory: isShown && counting.some(({ memoryUsageMb }) => memoryUsageMb !== null),
        pins: isShown && counting.some(({ pinnedCpus }) => pinnedCpus !== null),
      }
      const part = (inReport: boolean): CellHold => ({
        cell,
        cpus: counts.cpus === inReport ? cpus : 0,
        memoryMb: counts.memory === inReport ? memoryMb : 0,
        pinned: counts.pins === inReport ? pinned : [],
      })
      shown.push(part(true))
      waiting.push(part(false))
    }
  return { shown, waiting }
}

/**
 * Compares what the claims of listed instances hold with what the report shows as used: shared CPUs, memory, and pinned CPUs, each summed
 * over all cells. Returns a text for each kind of which the claims hold more.
 */
export function hiddenInCells(host: ModelHost, claims: readonly ModelClaim[]): string[] {
  const { shown } = holdsOf(host, claims)
  if (host.stats.numaCells.length === 0) return []
  const sum = (numbers: readonly (number | null)[]): number => numbers.reduce<number>((total, number) => total + (number ?? 0), 0)
  const cells = host.stats.numaCells
  const sorts = [
    [sum(shown.map(({ cpus }) => cpus)), sum(cells.map(({ cpuUsage }) => cpuUsage))],
    [sum(shown.map(({ memoryMb }) => memoryMb)), sum(cells.map(({ memoryUsageMb }) => memoryUsageMb))],
    [sum(shown.map(({ pinned }) => pinned.length)), sum(cells.map(({ pinnedCpus }) => pinnedCpus?.length ?? 0))],
  ] as const
  return sorts.flatMap(([held, used]) => (held > used ? [`at least ${held}, not ${used}`] : []))
}

/** The NUMA cells of a host in order of id, with their used amounts. */
export function cellsOf(fleet: ModelFleet, host: ModelHost): ModelCell[] {
  const { stats } = host
  const reported = [...stats.numaCells].sort((a, b) => a.id - b.id)
  const cells = reported.map((cell): CellTally => {
    const memoryCapacity = capacityOf(cell.memoryMb, stats.ramAllocationRatio)
    const plain = cell.memoryMb - setAsideIn(cell)
    return {
      id: cell.id,
      cpus: [...cell.cpuset].sort((a, b) => a - b),
      pinned: [...(cell.pinnedCpus ?? [])],
      cpuCapacity: capacityOf(cell.cpuset.length, stats.cpuAllocationRatio),
      sharedUsed: cell.cpuUsage ?? 0,
      memoryCapacity,
      memoryFree: memoryCapacity - (cell.memoryUsageMb ?? 0),
      plain,
      plainCapacity: capacityOf(plain, stats.ramAllocationRatio),
      plainUsed: plainShownIn(cell),
    }
  })
  const { shown, waiting } = holdsOf(host, claimsOn(fleet, host))
  const sum = <Of>(all: readonly Of[], read: (one: Of) => number): number => all.reduce((total, one) => total + read(one), 0)
  const inCell = ({ id }: { id: number }) => shown.filter((hold) => hold.cell === id)
  // Claims of listed instances can hold more than the report shows as used. The excess is counted as used in the cells that these claims
  // name and, if those cells are full, in any cell.
  let hiddenPins = sum(shown, ({ pinned }) => pinned.length) - sum(reported, ({ pinnedCpus }) => pinnedCpus?.length ?? 0)
  for (const cell of cells)
    for (const cpu of [...new Set(inCell(cell).flatMap(({ pinned }) => pinned))].sort((a, b) => a - b)) {
      if (hiddenPins <= 0 || !cell.cpus.includes(cpu) || cell.pinned.includes(cpu)) continue
      cell.pinned.push(cpu)
      hiddenPins--
    }
  pinSome(cells, hiddenPins)
  let hiddenMemory = sum(shown, ({ memoryMb }) => memoryMb) - sum(reported, ({ memoryUsageMb }) => memoryUsageMb ?? 0)
  for (const [i, cell] of cells.entries()) {
    const missing = sum(inCell(cell), ({ memoryMb }) => memoryMb) - (reported[i]?.memoryUsageMb ?? 0)
    const part = Math.max(0, Math.min(hiddenMemory, missing, cell.memoryFree))
    cell.memoryFree -= part
    hiddenMemory -= part
  }
  spread(cells, hiddenMemory, ({ memoryFree }) => memoryFree, takeMemory)
  let hiddenPlain = sum(shown, ({ memoryMb }) => memoryMb) - sum(reported, plainShownIn)
  for (const [i, cell] of cells.entries()) {
    const missing = sum(inCell(cell), ({ memoryMb }) => memoryMb) - plainShownIn(reported[i] as (typeof reported)[number])
    const part = Math.max(0, Math.min(hiddenPlain, missing, plainFree(cell)))
    cell.plainUsed += part
    hiddenPlain -= part
  }
  spread(cells, hiddenPlain, plainFree, takePlain)
  let hiddenCpus = sum(shown, ({ cpus }) => cpus) - sum(reported, ({ cpuUsage }) => cpuUsage ?? 0)
  for (const [i, cell] of cells.entries()) {
    const missing = sum(inCell(cell), ({ cpus }) => cpus) - (reported[i]?.cpuUsage ?? 0)
    const part = Math.max(0, Math.min(hiddenCpus, missing, sharedLeft(cell)))
    cell.sharedUsed += part
    hiddenCpus -= part
  }
  spread(cells, hiddenCpus, sharedLeft, takeShared)
  // Claims that the report does not include are placed from the largest to the smallest: in the cell that the claim names, otherwise in
  // another single cell, otherwise in several cells.
  const homeless: CellHold[] = []
  for (const hold of waiting.sort(byAmount)) {
    const named = cells.find(({ id }) => id === hold.cell)
    if (named !== undefined && hasPlace(named, hold)) give(named, hold)
    else homeless.push(hold)
  }
  for (const hold of homeless) {
    const named = cells.filter(({ id }) => id === hold.cell)
    const order = [...named, ...cells.filter(({ id }) => id !== hold.cell)]
    const moved = order.map((cell) => {
      const open = cell.cpus.filter(isOpen(cell))
      const own = cell.id === hold.cell ? open.filter((cpu) => hold.pinned.includes(cpu)) : []
      return { cell, hold: { ...hold, pinned: [...own, ...open.filter((cpu) => !own.includes(cpu))].slice(0, hold.pinned.length) } }
    })
    const place = moved.find((one) => one.hold.pinned.length === hold.pinned.length && hasPlace(one.cell, one.hold))
    if (place !== undefined) {
      give(place.cell, place.hold)
      continue
    }
    pinSome(order, hold.pinned.length)
    spread(order, hold.memoryMb, ({ memoryFree }) => memoryFree, takeMemory)
    spread(order, hold.memoryMb, plainFree, takePlain)
    spread(order, hold.cpus, sharedLeft, takeShared)
  }
  return cells.map((cell, i): ModelCell => ({ ...cell, memory: (reported[i] as (typeof reported)[number]).memoryMb }))
}

/** The used memory of a cell without its used huge pages, according to the report. */
const plainShownIn = (cell: ModelHost['stats']['numaCells'][number]): number => Math.max(0, (cell.memoryUsageMb ?? 0) - hugeUsedIn(cell))

const plainFree = ({ plain, plainCapacity, plainUsed }: CellTally): number => Math.min(plain, plainCapacity - plainUsed)

const takePlain = (cell: CellTally, mib: number): void => {
  cell.plainUsed += mib
}

function byAmount(a: CellHold, b: CellHold): number {
  const byFirst = b.pinned.length - a.pinned.length || b.memoryMb - a.memoryMb || b.cpus - a.cpus || a.cell - b.cell
  if (byFirst !== 0) return byFirst
  const differing = a.pinned.findIndex((cpu, i) => cpu !== b.pinned[i])
  return differing < 0 ? 0 : (a.pinned[differing] as number) - (b.pinned[differing] as number)
}
