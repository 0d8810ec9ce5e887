import type { HostIndex } from '../../fleet/columns.ts'
import type { HostTable } from '../../fleet/hosts.ts'
import type { NumaCellRequest } from '../../request/request-spec.ts'
import { capacityOf, toRatioMilli } from '../classes/capacity.ts'
import type { AssignmentSetting, ResourceKind } from '../kind.ts'

/** A NUMA cell of a host: its CPUs and memory, what the report says is used, and what claims hold beside that. */
export interface CellState {
  readonly id: number
  readonly cpuset: readonly number[]
  /** Shared CPUs that may be given, overcommit included. */
  readonly cpuCapacity: number
  /** MiB that may be given, overcommit included. */
  readonly memoryCapacity: number
  readonly countsCpu: boolean
  readonly countsMemory: boolean
  readonly countsPinned: boolean
  /** Shared CPUs and MiB still free; negative after a report that shrinks the cell. */
  cpuFree: number
  memoryFree: number
  /** CPUs that the report lists as given to one instance alone. */
  readonly pinnedByReport: ReadonlySet<number>
  /** How many claims hold a CPU for themselves; more than one only after a report and a claim met. */
  readonly pinnedByClaims: Map<number, number>
}

/** What a claim takes from one host cell. `pinned` lists the CPUs of a dedicated guest cell; else `cpus` are shared. */
export interface CellGrant {
  /** The guest's cell. */
  readonly guest: number
  /** The host's cell. */
  readonly cell: number
  /** Shared CPUs taken; 0 when pinned. */
  readonly cpus: number
  readonly memoryMb: number
  readonly pinned?: readonly number[]
}

/** The order in which host cells are tried: by number; most free first; least free first. */
type CellOrder = (a: CellState, b: CellState) => number

const orders: Readonly<Record<string, CellOrder>> = {
  first: (a, b) => a.id - b.id,
  emptiest: (a, b) => freeRate(b) - freeRate(a) || a.id - b.id,
  tightest: (a, b) => freeRate(a) - freeRate(b) || a.id - b.id,
}

/** The lesser of a cell's free shares of CPUs and of memory, 0..1. Pinned CPUs are not free. */
export const freeRate = (cell: CellState): number =>
  Math.min(
    cell.cpuCapacity === 0 ? 0 : sharedCpusLeft(cell) / cell.cpuCapacity,
    cell.memoryCapacity === 0 ? 0 : cell.memoryFree / cell.memoryCapacity,
  )

/** Shared CPUs that may still be given beside the pinned ones; negative after a report that shrinks the cell. */
export function sharedCpusLeft(cell: CellState): number {
  const size = cell.cpuset.length
  const unpinned = size - pinnedCount(cell)
  return (unpinned === size ? cell.cpuCapacity : Math.floor((unpinned * cell.cpuCapacity) / size)) - (cell.cpuCapacity - cell.cpuFree)
}

/** Guest cells on distinct host cells, each with enough shared or own CPUs and memory. */
export const numaKind: ResourceKind<readonly NumaCellRequest[], readonly CellGrant[]> = {
  name: 'numa',
  rules: ['first', 'emptiest', 'tightest'],

  ask: (spec) => spec.numaTopology?.cells,

  canGive(hosts, host, ask) {
    const { cells } = hosts.get(host)
    if (ask.length === 1) {
      for (const cell of cells) if (hasRoom(cell, ask[0] as NumaCellRequest)) return true
      return false
    }
    return matchAll(ask, cells) !== undefined
  },

  createAssign(setting) {
    const order = orderOf(setting)
    return (hosts, host, ask) => {
      const cells = [...hosts.get(host).cells].sort(order)
      const matched = matchAll(ask, cells)
      return matched?.map((cell, i) => toGrant(ask[i] as NumaCellRequest, cell))
    }
  },

  fits(hosts, host, grant) {
    const { cells } = hosts.get(host)
    // `assign` never puts two guest cells on one host cell; the judge adds them up all the same
    const taken = new Map<CellState, { cpus: number; memoryMb: number; pinned: Set<number> }>()
    for (const part of grant) {
      const cell = cells.find(({ id }) => id === part.cell)
      if (cell === undefined) return false
      const sum = taken.get(cell) ?? { cpus: 0, memoryMb: 0, pinned: new Set<number>() }
      taken.set(cell, sum)
      sum.cpus += part.cpus
      sum.memoryMb += part.memoryMb
      for (const cpu of part.pinned ?? []) {
        if (sum.pinned.has(cpu) || !cell.cpuset.includes(cpu) || isPinned(cell, cpu)) return false
        sum.pinned.add(cpu)
      }
      if (sum.memoryMb > cell.memoryFree || !cpusFit(cell, sum.cpus, sum.pinned.size)) return false
    }
    return true
  },

  hold: (hosts, host, grant, materialised) => add(hosts, host, grant, materialised, 1),
  drop: (hosts, host, grant, materialised) => add(hosts, host, grant, materialised, -1),

  takeInventory(hosts, host, stats) {
    const cpuRatio = toRatioMilli(stats.cpuAllocationRatio)
    const memoryRatio = toRatioMilli(stats.ramAllocationRatio)
    hosts.get(host).cells = stats.numaCells
      .map((cell) => {
        const pinned = new Set(cell.pinnedCpus ?? [])
        const cpuCapacity = capacityOf(cell.cpuset.length, 0, cpuRatio)
        const memoryCapacity = capacityOf(cell.memoryMb, 0, memoryRatio)
        return {
          id: cell.id,
          cpuset: [...cell.cpuset].sort((a, b) => a - b),
          cpuCapacity,
          memoryCapacity,
          countsCpu: cell.cpuUsage !== null,
          countsMemory: cell.memoryUsageMb !== null,
          countsPinned: cell.pinnedCpus !== null,
          cpuFree: cpuCapacity - (cell.cpuUsage ?? 0),
          memoryFree: memoryCapacity - (cell.memoryUsageMb ?? 0),
          pinnedByReport: pinned,
          pinnedByClaims: new Map<number, number>(),
        }
      })
      .sort((a, b) => a.id - b.id)
  },

  reason(hosts, host, ask) {
    const { cells } = hosts.get(host)
    if (cells.length === 0) return { code: 'numa.not_reported', subject: 'NUMA', need: ask.length, have: 0, unit: 'cells' }
    if (cells.length < ask.length) return { code: 'numa.cells', subject: 'NUMA', need: ask.length, have: cells.length, unit: 'cells' }
    const stuck = ask.find((guest) => !cells.some((cell) => hasRoom(cell, guest)))
    if (stuck === undefined)
      return { code: 'numa.no_match', subject: 'NUMA', need: ask.length, have: countMatched(ask, cells), unit: 'cells' }
    const memory = Math.max(...cells.map((cell) => cell.memoryFree))
    if (memory < stuck.memoryMb)
      return { code: 'numa.memory', subject: `cell ${stuck.id}`, need: stuck.memoryMb, have: memory, unit: 'MiB' }
    const dedicated = stuck.cpuPolicy === 'dedicated'
    const cpus = Math.max(...cells.map((cell) => cpusLeft(cell, stuck.cpuPolicy)))
    if (cpus < stuck.cpus.length)
      return {
        code: dedicated ? 'numa.dedicated_cpus' : 'numa.cpus',
        subject: `cell ${stuck.id}`,
        need: stuck.cpus.length,
        have: cpus,
        unit: 'CPUs',
      }
    return {
      code: 'numa.no_cell',
      subject: `cell ${stuck.id}`,
      need: stuck.cpus.length,
      have: cpus,
      unit: 'CPUs with enough memory in one cell',
    }
  },
}

function orderOf(setting: AssignmentSetting | undefined): CellOrder {
  const rule = setting?.rule ?? 'first'
  const order = Object.hasOwn(orders, rule) ? orders[rule] : undefined
  if (order === undefined) throw new RangeError(`numa has no assignment rule ${rule}; it must be one of ${Object.keys(orders).join(', ')}`)
  return order
}

const isPinned = (cell: CellState, cpu: number): boolean => cell.pinnedByReport.has(cpu) || cell.pinnedByClaims.has(cpu)

const pinnedCount = (cell: CellState): number => {
  let extra = 0
  for (const cpu of cell.pinnedByClaims.keys()) if (!cell.pinnedByReport.has(cpu)) extra++
  return cell.pinnedByReport.size + extra
}

/**
 * Whether `shared` more shared CPUs and `pins` more pinned ones fit. A pinned CPU carries no shared ones: with p of n CPUs
 * pinned, floor((n - p) x capacity / n) shared CPUs may be given.
 */
function cpusFit(cell: CellState, shared: number, pins: number): boolean {
  const size = cell.cpuset.length
  const unpinned = size - pinnedCount(cell) - pins
  if (unpinned < 0 || size === 0) return false
  return cell.cpuCapacity - cell.cpuFree + shared <= Math.floor((unpinned * cell.cpuCapacity) / size)
}

/** The most CPUs of one policy that the cell could still give; for explanations, not for the straight way. */
function cpusLeft(cell: CellState, policy: NumaCellRequest['cpuPolicy']): number {
  const dedicated = policy === 'dedicated'
  let most = Math.max(0, dedicated ? cell.cpuset.length : cell.cpuFree)
  while (most > 0 && !cpusFit(cell, dedicated ? 0 : most, dedicated ? most : 0)) most--
  return most
}

function hasRoom(cell: CellState, guest: NumaCellRequest): boolean {
  const dedicated = guest.cpuPolicy === 'dedicated'
  return cell.memoryFree >= guest.memoryMb && cpusFit(cell, dedicated ? 0 : guest.cpus.length, dedicated ? guest.cpus.length : 0)
}

/**
 * A host cell for every guest cell, each host cell at most once: for each guest cell in turn the first host cell, in the
 * given order, that leaves the rest placeable (augmenting paths, so an answer is found whenever there is one).
 */
function matchAll(ask: readonly NumaCellRequest[], cells: readonly CellState[]): readonly CellState[] | undefined {
  if (cells.length < ask.length) return undefined
  const chosen: number[] = []
  for (const guest of ask) {
    const cell = cells.findIndex(
      (candidate, c) =>
        !chosen.includes(c) && hasRoom(candidate, guest) && restIsPlaceable(ask.slice(chosen.length + 1), cells, [...chosen, c]),
    )
    if (cell < 0) return undefined
    chosen.push(cell)
  }
  return chosen.map((c) => cells[c] as CellState)
}

const restIsPlaceable = (rest: readonly NumaCellRequest[], cells: readonly CellState[], taken: readonly number[]): boolean =>
  countMatched(
    rest,
    cells.filter((_, c) => !taken.includes(c)),
  ) === rest.length

/** The most guest cells that can sit on distinct host cells at once. */
function countMatched(ask: readonly NumaCellRequest[], cells: readonly CellState[]): number {
  const guestOf = new Array<number>(cells.length).fill(-1)
  const tryPlace = (guest: number, seen: Set<number>): boolean => {
    for (let c = 0; c < cells.length; c++) {
      if (seen.has(c) || !hasRoom(cells[c] as CellState, ask[guest] as NumaCellRequest)) continue
      seen.add(c)
      if (guestOf[c] === -1 || tryPlace(guestOf[c] as number, seen)) {
        guestOf[c] = guest
        return true
      }
    }
    return false
  }
  return ask.reduce((count, _, guest) => count + (tryPlace(guest, new Set()) ? 1 : 0), 0)
}

function toGrant(guest: NumaCellRequest, cell: CellState): CellGrant {
  const base = { guest: guest.id, cell: cell.id, memoryMb: guest.memoryMb }
  if (guest.cpuPolicy === 'shared') return { ...base, cpus: guest.cpus.length }
  return { ...base, cpus: 0, pinned: cell.cpuset.filter((cpu) => !isPinned(cell, cpu)).slice(0, guest.cpus.length) }
}

function add(hosts: HostTable, host: HostIndex, grant: readonly CellGrant[], materialised: boolean, sign: 1 | -1): void {
  const { cells } = hosts.get(host)
  for (const part of grant) {
    const cell = cells.find(({ id }) => id === part.cell)
    if (cell === undefined) continue // the host no longer has that cell: nothing is left to count
    if (!(materialised && cell.countsCpu)) cell.cpuFree -= sign * part.cpus
    if (!(materialised && cell.countsMemory)) cell.memoryFree -= sign * part.memoryMb
    if (materialised && cell.countsPinned) continue
    for (const cpu of part.pinned ?? []) {
      const holders = (cell.pinnedByClaims.get(cpu) ?? 0) + sign
      if (holders === 0) cell.pinnedByClaims.delete(cpu)
      else cell.pinnedByClaims.set(cpu, holders)
    }
  }
}
