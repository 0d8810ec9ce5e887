import type { RequestSpec } from '@gantt/scheduler-core'
import type { ModelCell } from './cells.ts'
import type { Refusal } from './refusal.ts'
import type { CellTaken } from './state.ts'

/** The amounts that one cell of a guest needs. */
export interface GuestCell {
  readonly id: number
  readonly shared: number
  readonly dedicated: number
  readonly memoryMb: number
}

export const guestCellsOf = ({ numaTopology }: RequestSpec): readonly GuestCell[] =>
  (numaTopology?.cells ?? []).map(({ id, cpus, memoryMb, cpuPolicy, dedicatedCpus }) => {
    const dedicated = cpuPolicy === 'dedicated' ? cpus.length : cpuPolicy === 'mixed' ? dedicatedCpus.length : 0
    return { id, shared: cpus.length - dedicated, dedicated, memoryMb }
  })

/**
 * How many shared CPUs a cell can allocate. If p of its n CPUs are pinned, the result is floor((n - p) x capacity / n), because pinned CPUs
 * cannot be shared.
 */
const sharedAllowed = ({ cpus, cpuCapacity }: ModelCell, pinned: number): number =>
  cpus.length === 0 ? 0 : Math.floor(((cpus.length - pinned) * cpuCapacity) / cpus.length)

const canGiveCpus = (cell: ModelCell, shared: number, pins: number): boolean => {
  const pinned = cell.pinned.length + pins
  return cell.cpus.length > 0 && pinned <= cell.cpus.length && cell.sharedUsed + shared <= sharedAllowed(cell, pinned)
}

/** How much memory outside of huge pages one guest can get. */
const plainLeft = ({ plain, plainCapacity, plainUsed }: ModelCell): number => Math.min(plain, plainCapacity - plainUsed)

/** How much memory outside of huge pages one guest with dedicated CPUs can get. The memory of such a guest is not overcommitted. */
const onceLeft = (cell: ModelCell): number => Math.min(plainLeft(cell), cell.plain - cell.plainUsed)

const suits = (cell: ModelCell, { shared, dedicated, memoryMb }: GuestCell): boolean =>
  cell.memoryFree >= memoryMb &&
  cell.memory >= memoryMb &&
  (dedicated > 0 ? onceLeft(cell) : plainLeft(cell)) >= memoryMb &&
  // One guest never gets more shared CPUs than the cell has.
  shared <= cell.cpus.length - cell.pinned.length - dedicated &&
  canGiveCpus(cell, shared, dedicated)

/** The free share of the cell's CPUs or the free share of its memory, whichever is smaller. */
export function freeShare(cell: ModelCell): number {
  const cpus = cell.cpuCapacity === 0 ? 0 : (sharedAllowed(cell, cell.pinned.length) - cell.sharedUsed) / cell.cpuCapacity
  const memory = cell.memoryCapacity === 0 ? 0 : cell.memoryFree / cell.memoryCapacity
  return Math.min(cpus, memory)
}

/**
 * All ways of placing guest cells on different host cells, ordered by the host cell of the first guest cell, then by that of the second,
 * and so on.
 */
function* cellAssignments(guests: readonly GuestCell[], cells: readonly ModelCell[]): Generator<readonly ModelCell[]> {
  const [guest, ...others] = guests
  if (guest === undefined) {
    yield []
    return
  }
  for (const cell of cells) {
    if (!suits(cell, guest)) continue
    for (const rest of cellAssignments(
      others,
      cells.filter((other) => other !== cell),
    ))
      yield [cell, ...rest]
  }
}

/** The host cells that an assignment rule chooses for a guest. Undefined if the guest does not fit. */
export function assignCells(guests: readonly GuestCell[], cells: readonly ModelCell[], rule: string): readonly ModelCell[] | undefined {
  const ordered = [...cells].sort((a, b) => {
    const byShare = rule === 'emptiest' ? freeShare(b) - freeShare(a) : rule === 'tightest' ? freeShare(a) - freeShare(b) : 0
    return byShare === 0 ? a.id - b.id : byShare
  })
  for (const assignedCells of cellAssignments(guests, ordered)) return assignedCells
  return undefined
}

/** The resources that a guest takes from the chosen host cells. Its dedicated CPUs are the lowest free ones. */
export const takeCells = (guests: readonly GuestCell[], assignedCells: readonly ModelCell[]): readonly CellTaken[] =>
  guests.map((guest, i) => {
    const cell = assignedCells[i] as ModelCell
    const pinned = cell.cpus.filter((cpu) => !cell.pinned.includes(cpu)).slice(0, guest.dedicated)
    return {
      guest: guest.id,
      cell: cell.id,
      memoryMb: guest.memoryMb,
      cpus: guest.shared,
      ...(guest.dedicated > 0 && { pinned }),
    }
  })

/**
 * Why the guest does not fit: the host has too few cells, a guest cell fits on no host cell, or the guest cells do not fit at the same
 * time.
 */
export function whyNoAssignment(guests: readonly GuestCell[], cells: readonly ModelCell[]): Refusal {
  if (cells.length === 0) return { code: 'numa.not_reported', need: guests.length, have: 0 }
  if (cells.length < guests.length) return { code: 'numa.cells', need: guests.length, have: cells.length }
  for (const guest of guests) {
    if (cells.some((cell) => suits(cell, guest))) continue
    const largest = most(cells.map(({ memory }) => memory))
    if (largest < guest.memoryMb) return { code: 'numa.too_little_memory', need: guest.memoryMb, have: largest }
    const largestOwn = most(cells.map(({ cpus }) => cpus.length))
    if (largestOwn < guest.dedicated) return { code: 'numa.too_few_dedicated', need: guest.dedicated, have: largestOwn }
    const mostInAll = most(cells.map((cell) => sharedInAll(cell, guest)))
    const isTooLarge = cells.every(({ cpus }) => cpus.length - guest.dedicated < guest.shared)
    if (guest.shared > 0 && isTooLarge) return { code: 'numa.too_few_cpus', need: guest.shared, have: mostInAll }
    const mostMemory = most(cells.map(({ memoryFree }) => memoryFree))
    if (mostMemory < guest.memoryMb) return { code: 'numa.memory', need: guest.memoryMb, have: mostMemory }
    const maxPlain = most(cells.map(plainLeft))
    if (maxPlain < guest.memoryMb) return { code: 'numa.huge_pages', need: guest.memoryMb, have: maxPlain }
    const mostOnce = most(cells.map(onceLeft))
    if (guest.dedicated > 0 && mostOnce < guest.memoryMb) return { code: 'numa.pinned_memory', need: guest.memoryMb, have: mostOnce }
    const mostOwn = most(cells.map(ownLeft))
    if (guest.dedicated > 0 && mostOwn < guest.dedicated) return { code: 'numa.dedicated_cpus', need: guest.dedicated, have: mostOwn }
    const mostShared = most(cells.map((cell) => sharedLeft(cell, guest)))
    if (guest.shared > 0 && mostShared < guest.shared) return { code: 'numa.cpus', need: guest.shared, have: mostShared }
    if (guest.shared > 0 && mostInAll < guest.shared) return { code: 'numa.too_few_cpus', need: guest.shared, have: mostInAll }
    const withMemory = cells.filter((cell) => isMemoryThere(cell, guest))
    const mostCpus = most([0, ...withMemory.map((cell) => cpusFor(cell, guest))])
    return { code: 'numa.no_cell', need: guest.shared + guest.dedicated, have: mostCpus }
  }
  return { code: 'numa.no_match', need: guests.length, have: mostAssigned(guests, cells) }
}

const isMemoryThere = (cell: ModelCell, guest: GuestCell): boolean =>
  [cell.memoryFree, cell.memory, plainLeft(cell), ...(guest.dedicated > 0 ? [onceLeft(cell)] : [])].every((have) => have >= guest.memoryMb)

/** How many of a guest's CPUs a cell can provide. Dedicated CPUs are provided first. */
function cpusFor(cell: ModelCell, guest: GuestCell): number {
  const own = Math.min(ownLeft(cell), guest.dedicated)
  return own < guest.dedicated ? own : own + Math.min(sharedLeft(cell, guest), guest.shared)
}

const most = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b))

/** How many more CPUs can be pinned for one guest. The shared CPUs in use must fit on the CPUs that are not pinned. */
function ownLeft(cell: ModelCell): number {
  let count = 0
  for (let more = 1; cell.pinned.length + more <= cell.cpus.length; more++) if (canGiveCpus(cell, 0, more)) count = more
  return count
}

/** How many CPUs of a cell are not pinned after the guest's dedicated CPUs are pinned, if these can be pinned. */
function sharedInAll(cell: ModelCell, { dedicated }: GuestCell): number {
  const pinned = cell.pinned.length + dedicated <= cell.cpus.length ? cell.pinned.length + dedicated : cell.pinned.length
  return Math.max(0, cell.cpus.length - pinned)
}

/** How many shared CPUs are free after the guest's dedicated CPUs are pinned, if these can be pinned. */
function sharedLeft(cell: ModelCell, { dedicated }: GuestCell): number {
  const pins = cell.pinned.length + dedicated <= cell.cpus.length ? dedicated : 0
  let count = 0
  for (let more = 1; more <= cell.cpuCapacity - cell.sharedUsed; more++) if (canGiveCpus(cell, more, pins)) count = more
  return count
}

/** The largest number of guest cells that fit on different host cells at the same time. */
function mostAssigned(guests: readonly GuestCell[], cells: readonly ModelCell[]): number {
  const [guest, ...others] = guests
  if (guest === undefined) return 0
  let best = mostAssigned(others, cells)
  for (const cell of cells)
    if (suits(cell, guest))
      best = Math.max(
        best,
        1 +
          mostAssigned(
            others,
            cells.filter((other) => other !== cell),
          ),
      )
  return best
}
