/** The verdict that a cell of a strip shows. */
export type Tone = 'pass' | 'fail' | 'skipped'

/** Adjacent pixels with equal colours. `to` is the index after the last pixel. */
export interface Run {
  readonly from: number
  readonly to: number
  readonly tone: Tone
  readonly faded: boolean
}

export interface Line {
  readonly count: number
  readonly pixels: number
  /** The first column of each group. If there is space, a pixel is left free before each group except the first. */
  readonly groups: readonly number[]
  toneAt(column: number): Tone
  isFaded(column: number): boolean
}

/** Cells that have at least this width, in pixels, are drawn with gaps between them. */
const APART = 4

/**
 * Draws one line of a strip as runs of pixels. If several columns share a pixel, a column that is not faded takes precedence, and then the
 * worst verdict.
 */
export function runsOf({ count, pixels, groups, toneAt, isFaded }: Line): Run[] {
  const runs: Run[] = []
  const starts = new Set(groups)
  const isApart = pixels / count >= APART
  const add = (from: number, to: number, tone: Tone, faded: boolean): void => {
    const last = runs.at(-1)
    if (last?.to === from && last.tone === tone && last.faded === faded) runs[runs.length - 1] = { ...last, to }
    else runs.push({ from, to, tone, faded })
  }
  if (count <= pixels) {
    for (let column = 0; column < count; column++) {
      const from = Math.round((column * pixels) / count)
      const to = Math.round(((column + 1) * pixels) / count)
      const isFree = isApart || (starts.has(column + 1) && to - from > 1)
      add(from, isFree ? to - 1 : to, toneAt(column), isFaded(column))
    }
    return runs
  }
  for (let pixel = 0; pixel < pixels; pixel++) {
    const end = Math.max(Math.floor((pixel * count) / pixels) + 1, Math.floor(((pixel + 1) * count) / pixels))
    let tone: Tone = 'skipped'
    let faded = true
    for (let column = Math.floor((pixel * count) / pixels); column < end; column++) {
      if (isFaded(column) && !faded) continue
      const one = toneAt(column)
      if (faded && !isFaded(column)) {
        faded = false
        tone = one
      } else if (one === 'fail' || (one === 'pass' && tone === 'skipped')) tone = one
    }
    add(pixel, pixel + 1, tone, faded)
  }
  return runs
}

/** The index of the column at a distance from the left edge. */
export const columnAt = (x: number, width: number, count: number): number =>
  Math.max(0, Math.min(count - 1, Math.floor((x / width) * count)))

/** The left and right edges of a column. */
export const edgesOf = (column: number, width: number, count: number): readonly [number, number] => [
  (column * width) / count,
  ((column + 1) * width) / count,
]

/** The column to which a key moves the cursor. Undefined for other keys. `column` is the present column, or -1 before the first move. */
export function columnAfterKey(key: string, column: number, count: number, groups: readonly number[]): number | undefined {
  const within = (index: number): number => Math.max(0, Math.min(count - 1, index))
  switch (key) {
    case 'ArrowRight':
      return within(column + 1)
    case 'ArrowLeft':
      return within(column - 1)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    case 'PageDown':
      return groups.find((start) => start > column) ?? count - 1
    case 'PageUp':
      return groups.findLast((start) => start < column) ?? 0
    default:
      return undefined
  }
}
