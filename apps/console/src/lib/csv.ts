type Cell = string | number | null

/** Comma separated values as RFC 4180 has them; a text that a spreadsheet would run as a formula begins with an apostrophe. */
export const toCsv = (heading: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [heading.join(','), ...rows.map((row) => row.map(cellOf).join(',')), ''].join('\r\n')

function cellOf(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
