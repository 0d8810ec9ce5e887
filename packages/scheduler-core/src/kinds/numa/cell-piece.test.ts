import { expect, test } from 'vitest'
import { CellState } from '../../hosts/cell.ts'
import { fitsIn, freePinsOf } from './cell-piece.ts'

const CPUS = 1_000

/** A list of the CPUs 0 to 999, and a function that returns how many of its items have been read. */
function countedCpus(): { readonly cpus: readonly number[]; readonly reads: () => number } {
  let reads = 0
  const cpus = new Proxy(
    Array.from({ length: CPUS }, (_, cpu) => cpu),
    {
      get(list, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads++
        return Reflect.get(list, key, receiver)
      },
    },
  )
  return { cpus, reads: () => reads }
}

const amounts = { id: 0, cpuCapacity: CPUS, memoryCapacity: 1_024, countsCpu: false, countsMemory: false, countsPinned: false }

test('whether a claim for all CPUs of a cell fits is decided by reading the CPUs of the cell a few times, not once for each CPU', () => {
  const { cpus, reads } = countedCpus()
  const cell = new CellState({ ...amounts, pinnedByReport: new Set(), cpuset: cpus, dedicated: cpus }, 0, 0)
  const pins = Array.from({ length: CPUS }, (_, i) => CPUS - 1 - i)
  expect(fitsIn(cell, { cell: 0, cpus: 0, memoryMb: 0, plainMb: 0, pins, pages: undefined })).toBe(true)
  expect(reads()).toBeLessThan(20 * CPUS)
})

test('the free CPUs for a piece begin with those that the piece names, in the order of the cell', () => {
  const cell = new CellState({ ...amounts, pinnedByReport: new Set([2]), cpuset: [0, 1, 2, 3, 4] }, 0, 0)
  const piece = { cell: 0, cpus: 0, memoryMb: 0, plainMb: 0, pins: [4, 2, 3], pages: undefined }
  expect(freePinsOf(cell, piece)).toEqual([3, 4, 0])
  expect(freePinsOf(cell, { ...piece, cell: 1 })).toEqual([0, 1, 3])
})
