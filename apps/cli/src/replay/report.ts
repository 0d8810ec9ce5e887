import Table from 'cli-table3'

/** What a replay found: for people as rows, for programs as figures. */
export interface Report {
  readonly title: string
  /** What, how much, unit. */
  readonly rows: readonly (readonly [what: string, value: number, unit: string])[]
  readonly figures: Readonly<Record<string, unknown>>
}

/** Widths that fit 80 columns with the table's own lines. */
const COLUMNS = [40, 24, 10]

/** A table, or exactly one compact line of JSON; on standard output. */
export function print({ title, rows, figures }: Report, elapsedMs: number, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ ...figures, elapsedMs })}\n`)
    return
  }
  const table = new Table({ colWidths: COLUMNS, colAligns: ['left', 'right', 'left'], style: { head: [], border: [] }, wordWrap: true })
  for (const [what, value, unit] of [...rows, ['time', elapsedMs / 1_000, 's'] as const]) table.push([what, shownNumber(value), unit])
  process.stdout.write(`${title}\n${table.toString()}\n`)
}

/** At most five decimals, without trailing zeros: published figures are compared digit by digit. */
const shownNumber = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 5 })
