import type { CellLayout } from './cell-layout.ts'

/** The colour of the middle of a selected cell: a red that is not in the scale of loads (ABGR, little-endian). */
const CHOSEN = 0xff2c2ce6

export interface CellGroup {
  readonly key: string
  readonly label: string
  /** The totals of the group. They are shown after the label. */
  readonly summary: string
  /** The indexes of the cells, in the order of drawing. */
  readonly cells: Uint32Array
}

interface Picture {
  readonly groups: readonly Pick<CellGroup, 'cells'>[]
  readonly layout: CellLayout
  readonly width: number
  readonly height: number
  readonly scrollTop: number
  readonly pixels: Uint32Array
  /** The load of a cell, 0..255. */
  shade(cell: number): number
  /** True if a cell is drawn as a frame. */
  isHollow(cell: number): boolean
  readonly isChosen: ((cell: number) => boolean) | undefined
}

/** Draws all visible cells pixel by pixel. This is faster than thousands of rectangles, and never shows a mixture of two states. */
export function drawCells(canvas: HTMLCanvasElement, picture: Picture): void {
  const { layout, groups, width, height, scrollTop, pixels, shade, isHollow, isChosen } = picture
  const ratio = window.devicePixelRatio || 1
  const columns = Math.max(1, Math.round(width * ratio))
  const rows = Math.max(1, Math.round(height * ratio))
  if (canvas.width !== columns || canvas.height !== rows) {
    canvas.width = columns
    canvas.height = rows
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
  }
  const context = canvas.getContext('2d')
  if (context === null) return
  const image = context.createImageData(columns, rows)
  const buffer = new Uint32Array(image.data.buffer)
  const gap = layout.cell >= 6 ? 1 : 0
  const frame = Math.max(1, Math.round((layout.cell >= 9 ? 2 : 1) * ratio))

  for (const [group, { cells }] of groups.entries()) {
    const cellsTop = layout.groups[group]?.cellsTop ?? 0
    const firstRow = Math.max(0, Math.floor((scrollTop - cellsTop) / layout.cell))
    const lastRow = Math.floor((scrollTop + height - cellsTop) / layout.cell)
    const end = Math.min(cells.length, (lastRow + 1) * layout.columns)
    for (let index = firstRow * layout.columns; index < end; index++) {
      const cell = cells[index] ?? 0
      const colour = pixels[shade(cell)] ?? 0
      const x = (index % layout.columns) * layout.cell
      const y = cellsTop + Math.floor(index / layout.columns) * layout.cell - scrollTop
      const left = Math.round(x * ratio)
      const right = Math.min(columns, Math.round((x + layout.cell - gap) * ratio))
      const top = Math.max(0, Math.round(y * ratio))
      const bottom = Math.min(rows, Math.round((y + layout.cell - gap) * ratio))
      const hollow = isHollow(cell)
      for (let line = top; line < bottom; line++) {
        const start = line * columns
        if (!hollow || line < Math.round(y * ratio) + frame || line >= Math.round((y + layout.cell - gap) * ratio) - frame)
          buffer.fill(colour, start + left, start + right)
        else {
          buffer.fill(colour, start + left, start + Math.min(right, left + frame))
          buffer.fill(colour, start + Math.max(left, right - frame), start + right)
        }
      }
      if (isChosen?.(cell) === true) {
        const third = Math.floor((right - left) / 3)
        for (let line = top + third; line < bottom - third; line++)
          buffer.fill(CHOSEN, line * columns + left + third, line * columns + right - third)
      }
    }
  }
  context.putImageData(image, 0, 0)
}
