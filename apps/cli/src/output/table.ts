import { showUnseen } from '@gantt/scheduler-core/query'
import Table from 'cli-table3'

/** A column of a table for people. */
export interface Column {
  readonly head: string
  readonly align?: 'left' | 'right'
  /** Where the text is truncated if the row is too wide. A column with neither `cut` nor `wraps` has a fixed width. */
  readonly cut?: 'end' | 'middle'
  /** The text continues on further lines instead of being cut. */
  readonly wraps?: true
  /** True if people copy the cells and search for them. Such a column is truncated last, and only on a terminal, never in a pipe. */
  readonly key?: true
  /** The minimum width to which the column is narrowed. 8 by default. */
  readonly least?: number
}

const PAGE_COLUMNS = 80
const GAP = 2
/** The gap of a table in which cells would be truncated with the usual gap. */
const NARROW_GAP = 1
const MIN_COLUMN_WIDTH = 8
/** Options for a table without lines around its cells, so that a row is easy to copy and to search. */
const NO_LINES = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
  ].map((name) => [name, '']),
)

/** The terminal or pipe to which a table is printed. */
export interface Screen {
  readonly columns: number
  readonly isTerminal: boolean
}

/**
 * A table with a row for each item. Its columns are narrowed, as far as their settings allow, until the table is at most 80 columns wide,
 * or as wide as the terminal if the terminal is wider.
 */
export function toTable(columns: readonly Column[], given: readonly (readonly string[])[], screen = screenOf(process)): readonly string[] {
  const rows = given.map((cells) =>
    cells.map((cell, at) =>
      columns[at]?.wraps
        ? cell
            .split('\n')
            .map((line) => showUnseen(line))
            .join('\n')
        : showUnseen(cell),
    ),
  )
  const { widths, gap } = fit(columns, rows, screen)
  const table = new Table({
    chars: NO_LINES,
    colWidths: widths.map((width) => width + gap),
    colAligns: columns.map(({ align = 'left' }) => align),
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': gap },
  })
  const cut = (cells: readonly string[]) => cells.map((cell, at) => toCell(cell, widths[at] ?? MIN_COLUMN_WIDTH, columns[at]))
  const heads = cut(columns.map(({ head }) => head.toUpperCase()))
  for (const row of [heads, ...rows.map(cut)]) table.push(row)
  const [head = '', ...lines] = table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
  return [emphasise(head), ...lines]
}

/** Names and values in two columns, for one object. */
export function toPairs(pairs: readonly (readonly [name: string, value: string])[]): readonly string[] {
  const width = Math.max(...pairs.map(([name]) => name.length)) + GAP
  return pairs.flatMap(([name, value]) =>
    wrap(value, PAGE_COLUMNS - width)
      .map((line) => showUnseen(line))
      .map((line, at) => `${(at === 0 ? name : '').padEnd(width)}${line}`.trimEnd()),
  )
}

/** The text of a cell, truncated to the width or continued on further lines. Words that are too long are split. */
function toCell(text: string, width: number, column: Column | undefined): string {
  if (!column?.wraps) return shorten(text, width, column?.cut ?? 'end')
  return wrap(text, width)
    .flatMap((line) => line.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [''])
    .join('\n')
}

/** Breaks a text at spaces into lines of at most this width. A longer word is not split. */
export function wrap(text: string, columns: number = PAGE_COLUMNS): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Returns the text if it fits into `width`. Otherwise replaces its end or its middle by an ellipsis. */
export function shorten(text: string, width: number, where: 'end' | 'middle'): string {
  if (text.length <= width) return text
  if (where === 'end') return `${text.slice(0, width - 1)}…`
  const tail = Math.floor((width - 1) / 2)
  return `${text.slice(0, width - 1 - tail)}…${tail === 0 ? '' : text.slice(-tail)}`
}

function screenOf({ stdout }: Pick<NodeJS.Process, 'stdout'>): Screen {
  return { columns: Math.max(PAGE_COLUMNS, stdout.columns ?? 0), isTerminal: stdout.isTTY === true }
}

/** The widths of the columns, and the gap between them. The gap is narrow if a cell would be truncated otherwise. */
function fit(columns: readonly Column[], rows: readonly (readonly string[])[], screen: Screen) {
  const needed = columns.map(({ head }, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const widths = widthsWith(GAP, columns, needed, screen)
  const isTruncated = columns.some(({ wraps }, at) => !wraps && (widths[at] ?? 0) < (needed[at] ?? 0))
  return isTruncated ? { widths: widthsWith(NARROW_GAP, columns, needed, screen), gap: NARROW_GAP } : { widths, gap: GAP }
}

/** The widths of the columns. If a row is too wide, the widest column that may be truncated is narrowed. Keys are narrowed last. */
function widthsWith(gap: number, columns: readonly Column[], needed: readonly number[], screen: Screen): readonly number[] {
  const widths = [...needed]
  const tooMuch = () => widths.reduce((sum, each) => sum + each + gap, -gap) - screen.columns
  const narrow = (mayGive: (column: Column) => boolean): void => {
    while (tooMuch() > 0) {
      let widest = -1
      for (const [at, column] of columns.entries()) {
        const gives = mayGive(column) && (widths[at] ?? 0) > (column.least ?? MIN_COLUMN_WIDTH)
        if (gives && (widest === -1 || (widths[at] ?? 0) > (widths[widest] ?? 0))) widest = at
      }
      if (widest === -1) return
      widths[widest] = (widths[widest] ?? 0) - 1
    }
  }
  narrow(({ cut, wraps, key }) => (cut !== undefined || wraps === true) && !key)
  if (screen.isTerminal) narrow(({ cut, key }) => cut !== undefined && key === true)
  return widths
}

/** A text in bold on a terminal, unless plain text was requested. */
function emphasise(text: string): string {
  return process.stdout.isTTY && !process.env.NO_COLOR ? `\u001b[1m${text}\u001b[22m` : text
}
