/**
 * The positions of the cells of a map, in CSS pixels. The groups are one below the other. Each group has a heading and rows of cells of the
 * same size.
 */
export interface CellLayout {
  readonly cell: number
  readonly columns: number
  readonly height: number
  readonly groups: readonly GroupLayout[]
}

export interface GroupLayout {
  /** The top of the heading. */
  readonly top: number
  /** The top of the first row of cells. */
  readonly cellsTop: number
  readonly count: number
}

/** One cell: its group, and its index in the group. */
export interface CellPosition {
  readonly group: number
  readonly index: number
}

export const HEADING_HEIGHT = 26
const GAP = 10

/**
 * The size of a cell, 4 to 18 pixels. It is as large as possible so that all cells cover at most the area of this width and a height of 420
 * pixels. Cells of the smallest size can cover more.
 */
export function cellSizeFor(count: number, width: number): number {
  const area = Math.max(1, width) * 420
  return Math.max(4, Math.min(18, Math.floor(Math.sqrt(area / Math.max(1, count)))))
}

export function layoutCells(counts: readonly number[], width: number, cell: number): CellLayout {
  const columns = Math.max(1, Math.floor(width / cell))
  let top = 0
  const groups = counts.map((count) => {
    const group = { top, cellsTop: top + HEADING_HEIGHT, count }
    top = group.cellsTop + Math.ceil(count / columns) * cell + GAP
    return group
  })
  return { cell, columns, height: top, groups }
}

/** The cell at a point. Undefined if there is no cell. */
export function cellAt({ cell, columns, groups }: CellLayout, x: number, y: number): CellPosition | undefined {
  const column = Math.floor(x / cell)
  if (column < 0 || column >= columns) return undefined
  for (const [group, { cellsTop, count }] of groups.entries()) {
    if (y < cellsTop) continue
    const index = Math.floor((y - cellsTop) / cell) * columns + column
    if (index < count && y < cellsTop + Math.ceil(count / columns) * cell) return { group, index }
  }
  return undefined
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** The cells that a frame touches. The frame is given by two opposite corners. */
export function cellsWithin({ cell, columns, groups }: CellLayout, one: Point, other: Point): CellPosition[] {
  const cellAt = (pixels: number): number => Math.floor(pixels / cell)
  const first = Math.max(0, cellAt(Math.min(one.x, other.x)))
  const last = Math.min(columns - 1, cellAt(Math.max(one.x, other.x)))
  return groups.flatMap(({ cellsTop, count }, group) => {
    const top = Math.max(0, cellAt(Math.min(one.y, other.y) - cellsTop))
    const bottom = Math.min(Math.ceil(count / columns) - 1, cellAt(Math.max(one.y, other.y) - cellsTop))
    const found: CellPosition[] = []
    for (let row = top; row <= bottom; row++)
      for (let index = row * columns + first; index <= row * columns + last && index < count; index++) found.push({ group, index })
    return found
  })
}

/** The upper left corner of a cell. */
export function cornerOf(
  { cell, columns, groups }: CellLayout,
  { group, index }: CellPosition,
): { readonly x: number; readonly y: number } {
  return { x: (index % columns) * cell, y: (groups[group]?.cellsTop ?? 0) + Math.floor(index / columns) * cell }
}

/**
 * The cell to which a key moves the cursor. Undefined for other keys. At the end of a row or group, the cursor continues in the next one.
 */
export function cellAfterKey(layout: CellLayout, { group, index }: CellPosition, key: string): CellPosition | undefined {
  const { columns, groups } = layout
  const count = groups[group]?.count ?? 0
  switch (key) {
    case 'ArrowRight':
      return index + 1 < count ? { group, index: index + 1 } : (firstFrom(layout, group + 1, 1) ?? { group, index })
    case 'ArrowLeft':
      return index > 0 ? { group, index: index - 1 } : (lastOf(layout, firstFrom(layout, group - 1, -1)) ?? { group, index })
    case 'ArrowDown': {
      if (index + columns < count) return { group, index: index + columns }
      const isInLastRow = Math.floor(index / columns) === Math.floor((count - 1) / columns)
      if (!isInLastRow) return { group, index: count - 1 }
      const next = firstFrom(layout, group + 1, 1)
      return next === undefined
        ? { group, index }
        : { group: next.group, index: Math.min((groups[next.group]?.count ?? 1) - 1, index % columns) }
    }
    case 'ArrowUp': {
      if (index >= columns) return { group, index: index - columns }
      const before = lastOf(layout, firstFrom(layout, group - 1, -1))
      if (before === undefined) return { group, index }
      const rowStart = before.index - (before.index % columns)
      return { group: before.group, index: Math.min(before.index, rowStart + (index % columns)) }
    }
    case 'Home':
      return firstFrom(layout, 0, 1)
    case 'End':
      return lastOf(layout, firstFrom(layout, groups.length - 1, -1))
    default:
      return undefined
  }
}

/** The first cell of the nearest group that is not empty, from the group `from` on downwards (1) or upwards (-1). */
function firstFrom({ groups }: CellLayout, from: number, step: 1 | -1): CellPosition | undefined {
  for (let group = from; group >= 0 && group < groups.length; group += step) if ((groups[group]?.count ?? 0) > 0) return { group, index: 0 }
  return undefined
}

const lastOf = ({ groups }: CellLayout, position: CellPosition | undefined): CellPosition | undefined =>
  position === undefined ? undefined : { group: position.group, index: (groups[position.group]?.count ?? 1) - 1 }
