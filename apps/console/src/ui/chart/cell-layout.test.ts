import { describe, expect, it } from 'vitest'
import { type CellPosition, cellAfterKey, cellAt, cellSizeFor, cellsWithin, cornerOf, layoutCells } from './cell-layout.ts'

// The map has 4 columns. Group 0 has a row of 4 and a row of 3 cells, group 1 is empty, and group 2 has a row of 2.
const layout = layoutCells([7, 0, 2], 40, 10)

describe('layout of cells', () => {
  it('every cell is found at its middle', () => {
    for (const [group, { count }] of layout.groups.entries())
      for (let index = 0; index < count; index++) {
        const { x, y } = cornerOf(layout, { group, index })
        expect(cellAt(layout, x + 5, y + 5)).toEqual({ group, index })
      }
  })

  it.each([
    ['a heading', 5, 5],
    ['a position after the last cell of a row that is not full', 35, 26 + 15],
    ['a position right of the last column', 45, 30],
    ['a position below all cells', 5, 10_000],
  ])('finds no cell at %s', (_where, x, y) => {
    expect(cellAt(layout, x, y)).toBeUndefined()
  })

  const at = (group: number, index: number): CellPosition => ({ group, index })
  it.each([
    ['right', at(0, 2), 'ArrowRight', at(0, 3)],
    ['right, over an empty group', at(0, 6), 'ArrowRight', at(2, 0)],
    ['right, at the last cell', at(2, 1), 'ArrowRight', at(2, 1)],
    ['left, over an empty group', at(2, 0), 'ArrowLeft', at(0, 6)],
    ['left, at the first cell', at(0, 0), 'ArrowLeft', at(0, 0)],
    ['down', at(0, 1), 'ArrowDown', at(0, 5)],
    ['down, to the last cell of a shorter row', at(0, 3), 'ArrowDown', at(0, 6)],
    ['down, into the next group, same column', at(0, 5), 'ArrowDown', at(2, 1)],
    ['down, into a shorter group', at(0, 6), 'ArrowDown', at(2, 1)],
    ['down, in the last row', at(2, 0), 'ArrowDown', at(2, 0)],
    ['up', at(0, 5), 'ArrowUp', at(0, 1)],
    ['up, into the previous group, same column', at(2, 1), 'ArrowUp', at(0, 5)],
    ['up, in the first row', at(0, 2), 'ArrowUp', at(0, 2)],
    ['to the first cell', at(2, 1), 'Home', at(0, 0)],
    ['to the last cell', at(0, 0), 'End', at(2, 1)],
    ['nowhere for other keys', at(0, 0), 'x', undefined],
  ])('moves %s', (_name, from, key, to) => {
    expect(cellAfterKey(layout, from, key)).toEqual(to)
  })

  it.each([
    [200, 1_000, 18],
    [10_000, 1_000, 6],
    [100_000, 1_000, 4],
    [0, 0, 18],
  ])('draws %i cells on a width of %i px with a side of %i px', (count, width, size) => {
    expect(cellSizeFor(count, width)).toBe(size)
  })
})

describe('a selection frame over the cells', () => {
  // cells of ten pixels in three columns: the first group has five cells, and the next group has four
  const layout = layoutCells([5, 4], 30, 10)
  const [first, second] = layout.groups.map(({ cellsTop }) => cellsTop)
  it.each([
    ['selects the cells that it touches', { x: 12, y: (first ?? 0) + 2 }, { x: 28, y: (first ?? 0) + 12 }, '0.1 0.2 0.4'],
    [
      'selects the same cells if it is drawn from the other corner',
      { x: 28, y: (first ?? 0) + 12 },
      { x: 12, y: (first ?? 0) + 2 },
      '0.1 0.2 0.4',
    ],
    ['continues in the next group', { x: 1, y: (first ?? 0) + 12 }, { x: 2, y: (second ?? 0) + 2 }, '0.3 1.0'],
    ['selects nothing if it covers only a heading', { x: 0, y: 0 }, { x: 29, y: (first ?? 0) - 1 }, ''],
    ['selects nothing if it is next to the cells', { x: 40, y: 0 }, { x: 90, y: 500 }, ''],
    ['selects all cells if it covers them', { x: -5, y: -5 }, { x: 500, y: 500 }, '0.0 0.1 0.2 0.3 0.4 1.0 1.1 1.2 1.3'],
  ])('%s', (_name, one, other, cells) => {
    expect(
      cellsWithin(layout, one, other)
        .map(({ group, index }) => `${group}.${index}`)
        .join(' '),
    ).toBe(cells)
  })
})
