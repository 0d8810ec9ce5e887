import { demandOf, type NumaCellRequest, type RequestSpec } from '../../request/request-spec.ts'
import type { Nearness } from '../near-cell.ts'
import { nearnessOf, wishedNearnessOf } from '../nearness.ts'
import type { CellAsk } from './cell.ts'

/** The NUMA cells of a guest. */
export interface NumaAsk {
  readonly cells: readonly CellAsk[]
  /** For each cell the first that asks the same. */
  readonly sameAs: readonly number[]
  /** What the devices that the same instance asks for want of the cells. */
  readonly nearness: Nearness | undefined
  /** The same with what they wish where it can be had; undefined: they wish nothing more. */
  readonly wished?: Nearness | undefined
  /** MiB of the same instance that lie in none of these cells; absent: none. */
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

/** `isolatesEmulator`: the threads of the emulator get a CPU beside the guest's first cell. */
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
