import Table from 'cli-table3'

/** One figure: its name, its value in each column (undefined if unknown), and its unit. */
export type Row = readonly [what: string, values: readonly (number | undefined)[], unit: string]

/** The results of a replay, as rows for people and as figures for programs. */
export interface Report {
  readonly title: string
  /** The names of the columns, if there are several. */
  readonly heads?: readonly string[]
  readonly rows: readonly Row[]
  readonly figures: Readonly<Record<string, unknown>>
}

/** The widths of the table's columns in characters. With one or two columns of figures, a line of the table has at most 80 characters. */
const LABEL_WIDTH = 40
const FIGURES = 24
const NARROW_LABEL_WIDTH = 27
const FIGURES_OF_MANY = 13
const UNIT = 10

/** Prints a table or, with `json`, exactly one line of JSON, on standard output. */
export function print({ title, heads = [], rows, figures }: Report, elapsedMs: number, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ ...figures, elapsedMs })}\n`)
    return
  }
  const count = Math.max(1, heads.length)
  const isOne = count === 1
  const table = new Table({
    colWidths: [isOne ? LABEL_WIDTH : NARROW_LABEL_WIDTH, ...Array(count).fill(isOne ? FIGURES : FIGURES_OF_MANY), UNIT],
    colAligns: ['left', ...Array(count).fill('right'), 'left'],
    style: { head: [], border: [] },
    wordWrap: true,
  })
  if (!isOne) table.push(['', ...heads, ''])
  for (const [what, values, unit] of rows) table.push([what, ...values.map(shownNumber), unit])
  process.stdout.write(`${title}\n${table.toString()}\n`)
  process.stdout.write(`in ${shownNumber(elapsedMs / 1_000)} s\n`)
}

/** A number with at most five decimals and without trailing zeros, because published figures are compared digit by digit. */
const shownNumber = (value: number | undefined): string =>
  value === undefined ? '—' : value.toLocaleString('en-US', { maximumFractionDigits: 5 })
