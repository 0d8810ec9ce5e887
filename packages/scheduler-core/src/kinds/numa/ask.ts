import type { CellAsk } from '../../hosts/cell.ts'
import { demandOf, type NumaCellRequest, type RequestSpec } from '../../request/request-spec.ts'
import type { Nearness } from '../near-cell.ts'
import { nearnessOf, wishedNearnessOf } from '../nearness.ts'

/** What a guest with NUMA cells needs from a host. */
export interface NumaAsk {
  readonly cells: readonly CellAsk[]
  /** For each guest cell, the index of the first guest cell with the same needs. */
  readonly sameAs: readonly number[]
  /** The requirement that the instance's devices are near its cells. Undefined if there is none. */
  readonly nearness: Nearness | undefined
  /**
   * The requirement together with all preferences for near devices. Cells that meet all of them are tried first. Undefined if there are no
   * preferences.
   */
  readonly wished?: Nearness | undefined
  /** The memory of the instance that is in none of its cells, in MiB. Absent if there is none. */
  readonly outside?: number
}

export function numaAskOf(spec: RequestSpec): NumaAsk | undefined {
  const { numaTopology } = spec
  if (numaTopology === null) return undefined
  const isolatesEmulator = numaTopology.emulatorThreadsPolicy === 'isolate'
  const inCells = numaTopology.cells.reduce((sum, { memoryMb }) => sum + memoryMb, 0)
  const outside = Math.max(0, (demandOf(spec).amounts.MEMORY_MB ?? 0) - inCells)
  return {
    ...cellsOf(numaTopology.cells, isolatesEmulator),
    ...{ nearness: nearnessOf(spec), wished: wishedNearnessOf(spec) },
    ...(outside > 0 && { outside }),
  }
}

/** What the cells of a guest need. With `isolatesEmulator`, the first cell needs one more dedicated CPU for the emulator threads. */
export function cellsOf(requested: readonly NumaCellRequest[], isolatesEmulator = false): Omit<NumaAsk, 'nearness' | 'wished'> {
  const cells = requested.map((cell, i) => cellAskOf(cell, isolatesEmulator && i === 0 ? 1 : 0))
  const shapes = cells.map(({ guest: _, ...shape }) => JSON.stringify(shape))
  return { cells, sameAs: shapes.map((shape) => shapes.indexOf(shape)) }
}

function cellAskOf(cell: NumaCellRequest, emulator: number): CellAsk {
  const { id, cpus, memoryMb, cpuPolicy, dedicatedCpus, cpuThreadPolicy, pageSize } = cell
  const dedicated = cpuPolicy === 'dedicated' ? cpus.length : cpuPolicy === 'mixed' ? dedicatedCpus.length : 0
  const threads = dedicated === 0 ? 'prefer' : (cpuThreadPolicy ?? 'prefer')
  const isPlain = emulator === 0 && threads === 'prefer' && pageSize === null
  return { guest: id, shared: cpus.length - dedicated, dedicated, emulator, threads, memoryMb, pageSize, isPlain }
}
