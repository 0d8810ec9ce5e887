import type { HostRecord } from '../hosts/hosts.ts'
import { type AuditedHold, type AuditedUnit, auditSort, sumSort } from '../kinds/audit-units.ts'
import type { Mismatch } from '../kinds/kind.ts'
import type { HostStats } from '../report/stats.ts'
import { floorOf } from './floor.ts'
import type { CellSums, Held, HostSums } from './sums.ts'

/**
 * Checks the GPUs of a host from feature level STRICT_CLAIMS on. The free amount of all GPUs together must be the reported capacity minus
 * reported use and claims. Each single GPU is also checked, unless another instance uses a GPU that a claim names. The check shares no code
 * with the ledger whose result it checks.
 */
export function auditGpus({ gpus }: HostRecord, stats: HostStats, sums: HostSums): readonly Mismatch[] {
  const units = stats.gpus.map(({ index, usedMilli }) => ({
    id: index,
    field: `GPU ${index} freeMilli`,
    capacity: 1_000,
    used: usedMilli ?? 0,
    countsUse: usedMilli !== null,
    free: gpus.find((gpu) => gpu.index === index)?.freeMilli,
  }))
  return auditSort(
    'GPUs',
    units,
    holdsOf(sums.gpus, (held) => held),
  )
}

export function auditCells({ cells }: HostRecord, stats: HostStats, { cells: sums }: HostSums): readonly Mismatch[] {
  const reported = stats.numaCells
  const cpuRatio = Math.round(stats.cpuAllocationRatio * 1_000)
  const memoryRatio = Math.round(stats.ramAllocationRatio * 1_000)
  const stateOf = (id: number) => cells.find((cell) => cell.id === id)
  const memory = reported.map(({ id, memoryMb, memoryUsageMb }) => ({
    id,
    field: `cell ${id} memoryFree`,
    capacity: floorOf(memoryMb, memoryRatio),
    used: memoryUsageMb ?? 0,
    countsUse: memoryUsageMb !== null,
    free: stateOf(id)?.memoryFree,
  }))
  const cpus = reported.map(({ id, cpuset, cpuUsage }) => ({
    id,
    field: `cell ${id} cpuFree`,
    capacity: floorOf(cpuset.length, cpuRatio),
    used: cpuUsage ?? 0,
    countsUse: cpuUsage !== null,
    free: stateOf(id)?.cpuFree,
  }))
  const sizes = new Set([...sums.values()].flatMap(({ pages }) => [...pages.keys()]))
  for (const { pages } of reported) for (const { sizeKib } of pages) sizes.add(sizeKib)
  const pages = [...sizes].map((sizeKib) => ({
    sizeKib,
    units: reported.flatMap((cell) =>
      cell.pages.flatMap(({ sizeKib: size, total, reserved, used }) =>
        size === sizeKib
          ? [
              {
                id: cell.id,
                field: `cell ${cell.id} pages of ${sizeKib} KiB free`,
                capacity: total - reserved,
                used: used ?? 0,
                countsUse: used !== null,
                free: stateOf(cell.id)?.pages?.find((state) => state.sizeKib === sizeKib)?.free,
              },
            ]
          : [],
      ),
    ),
    held: holdsOf(sums, ({ pages: held }) => held.get(sizeKib)),
  }))
  const holds = { memory: holdsOf(sums, ({ memoryMb }) => memoryMb), cpus: holdsOf(sums, ({ cpus: held }) => held) }
  const pins = pinsOf(reported, sums)
  const isWhole =
    sumSort(memory, holds.memory).isWhole &&
    pages.every(({ units, held }) => sumSort(units, held).isWhole) &&
    sumSort(cpus, holds.cpus).isWhole &&
    pins.isWhole &&
    reported.every((cell, i) => isShareable(cell, cpus[i] as AuditedUnit<number>, sums.get(cell.id)))
  return [
    ...auditSort('cell memory', memory, holds.memory, isWhole),
    ...auditSort('cell CPUs', cpus, holds.cpus, isWhole),
    ...pages.flatMap(({ sizeKib, units, held }) => auditSort(`cell pages of ${sizeKib} KiB`, units, held, isWhole)),
    ...auditPins(cells, reported, pins, isWhole),
  ]
}

type Reported = HostStats['numaCells'][number]

interface Pins {
  /**
   * For each cell, the CPUs that are granted to claims and that the report does not include. The value of a CPU is the count of its claims.
   */
  readonly uncounted: ReadonlyMap<number, ReadonlyMap<number, number>>
  readonly count: number
  /** Pinned CPUs in use, according to claims and the report. */
  readonly taken: number
  readonly isWhole: boolean
  readonly late: string | undefined
}

function pinsOf(reported: readonly Reported[], sums: HostSums['cells']): Pins {
  const anyCounts = reported.some(({ pinnedCpus }) => pinnedCpus !== null)
  const used = reported.reduce((sum, { pinnedCpus }) => sum + new Set(pinnedCpus ?? []).size, 0)
  const uncounted = new Map<number, Map<number, number>>()
  let count = 0
  let covered = 0
  let late: string | undefined
  let isWhole = true
  for (const [id, { pinned }] of sums) {
    const cell = reported.find((one) => one.id === id)
    const countsUse = cell === undefined ? anyCounts : cell.pinnedCpus !== null
    const here = new Map<number, number>()
    uncounted.set(id, here)
    for (const [cpu, held] of pinned) {
      const holders = held.always + (countsUse ? 0 : held.unlessCounted)
      if (countsUse) covered += held.unlessCounted
      late ??= held.late?.id
      if (holders === 0) continue
      here.set(cpu, holders)
      count += holders
      if (holders > 1 || cell === undefined || !pinnableOf(cell).includes(cpu) || cell.pinnedCpus?.includes(cpu)) isWhole = false
    }
  }
  const short = Math.max(0, covered - used)
  return { uncounted, count, taken: used + short + count, isWhole: isWhole && short === 0, late }
}

const pinnableOf = ({ dedicatedCpuset, cpuset }: Reported): readonly number[] => dedicatedCpuset ?? cpuset

function auditPins(
  cells: HostRecord['cells'],
  reported: readonly Reported[],
  { uncounted, taken, count, late }: Pins,
  isWhole: boolean,
): readonly Mismatch[] {
  const found: Mismatch[] = []
  let actual = 0
  let most = 0
  for (const cell of reported) {
    const own = new Set(cell.pinnedCpus ?? [])
    const state = cells.find(({ id }) => id === cell.id)
    const held = state?.pinnedByClaims ?? new Map<number, number>()
    actual += new Set([...own, ...held.keys()]).size
    most += new Set([...own, ...pinnableOf(cell)]).size
    if (!isWhole) continue
    for (const cpu of new Set([...held.keys(), ...(uncounted.get(cell.id)?.keys() ?? [])])) {
      const expected = uncounted.get(cell.id)?.get(cpu) ?? 0
      if (held.get(cpu) !== expected)
        found.push({ code: 'state.column', field: `cell ${cell.id} CPU ${cpu}`, expected, actual: held.get(cpu) ?? 0 })
    }
  }
  const expected = Math.min(taken, most)
  if (found.length === 0 && actual !== expected) found.push({ code: 'state.column', field: 'CPUs pinned', expected, actual })
  if (late !== undefined && count > 0 && taken > most)
    found.push({ code: 'state.over_capacity', field: 'CPUs pinned', expected: most, actual: taken, claim: late })
  return found
}

/** True if the claimed shared CPUs of a cell fit in addition to its pinned CPUs. */
function isShareable(cell: Reported, { capacity, used, countsUse }: AuditedUnit<number>, sums: CellSums | undefined): boolean {
  if (sums === undefined) return true
  const pinsCount = cell.pinnedCpus !== null
  const pins = new Set(cell.pinnedCpus ?? [])
  let pinned = 0
  for (const [cpu, held] of sums.pinned)
    if (held.always + (pinsCount ? 0 : held.unlessCounted) > 0) {
      pins.add(cpu)
      pinned++
    }
  const shared = sums.cpus.always + (countsUse ? 0 : sums.cpus.unlessCounted)
  if (shared === 0 && pinned === 0) return true
  const size = cell.cpuset.length
  const unshared = cell.dedicatedCpuset === null ? pins.size : cell.cpuset.filter((cpu) => pins.has(cpu)).length
  if (size === 0) return shared === 0 && cell.dedicatedCpuset !== null && pinned === 0
  return unshared <= size && used + shared <= Math.floor(((size - unshared) * capacity) / size)
}

/** The amounts that claims reserve, by unit id. Units without such an amount are left out. */
function holdsOf<Id, Sums>(sums: ReadonlyMap<Id, Sums>, read: (sums: Sums) => Held | undefined): ReadonlyMap<Id, AuditedHold> {
  const holds = new Map<Id, AuditedHold>()
  for (const [id, one] of sums) {
    const held = read(one)
    if (held !== undefined) holds.set(id, { always: held.always, unlessCounted: held.unlessCounted, late: held.late?.id })
  }
  return holds
}
