export type Cell = string | number | null

/**
 * A column of a copied list: its name with the unit, a function that reads the value from a row, and the key of the table column to which
 * it belongs. A field without a table column is always copied.
 */
export type RowField<Row> = readonly [name: string, read: (row: Row) => Cell, column?: string]

/** The fields that are copied if the columns with the keys `shown` are visible. */
export const fieldsShown = <Row>(fields: readonly RowField<Row>[], shown: readonly string[]): readonly RowField<Row>[] =>
  fields.filter(([, , column]) => column === undefined || shown.includes(column))

/** Rows as CSV with the names of the fields as the heading. */
export const csvOf = <Row>(fields: readonly RowField<Row>[], rows: readonly Row[]): string =>
  toCsv(
    fields.map(([name]) => name),
    rows.map((row) => fields.map(([, read]) => read(row))),
  )

/** Rows as comma separated values in the form of RFC 4180. A text that a spreadsheet would run as a formula begins with an apostrophe. */
export const toCsv = (heading: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [heading.join(','), ...rows.map((row) => row.map(cellOf).join(',')), ''].join('\r\n')

function cellOf(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
