import { first, type HostField, type HostFieldName, hostFields } from '@gantt/scheduler-core/query'
import { type Cell, csvOf as csvOfFields, fieldsShown, type RowField } from '../../../lib/csv.ts'
import type { TableColumn } from '../../../ui/table/table.tsx'
import type { HostRow } from '../host-row.ts'

/** Options for copying the rows of the list. */
export interface CopiedHosts {
  readonly rows: readonly HostRow[]
  /** The shown columns. */
  readonly columns: readonly Pick<TableColumn<HostRow>, 'key' | 'value'>[]
  /** The moment, if it is not the present. */
  readonly at?: string | undefined
}

/** Rows as CSV with a heading. Cells that a spreadsheet would run as formulas are escaped. */
export const csvOf = (copied: CopiedHosts): string => csvOfFields(fieldsOf(copied), copied.rows)

export const jsonOf = (copied: CopiedHosts): string =>
  JSON.stringify(
    copied.rows.map((row) => Object.fromEntries(fieldsOf(copied).map(([name, read]) => [name, read(row)]))),
    null,
    2,
  )

/** The fields of a copy. The moment is only included if the list shows the past. The verdict and the moment are the last fields. */
function fieldsOf({ columns, at }: CopiedHosts): readonly RowField<HostRow>[] {
  const shown = fieldsShown(
    fields,
    columns.map(({ key }) => key),
  )
  const said = columns.filter(({ key }) => key === 'verdict').map(({ key, value }): RowField<HostRow> => [key, value])
  const moment: readonly RowField<HostRow>[] = at === undefined ? [] : [['at', () => at]]
  return [...shown, ...said, ...moment]
}

/** Every copy has these fields, in this order. Further fields are included if their column is shown. */
const always: readonly HostFieldName[] = [
  ...(['host', 'node', 'az', 'state', 'status', 'cpu.total', 'cpu.free', 'cpu.used', 'mem.free', 'mem.used'] as const),
  ...(['disk.free', 'disk.used', 'gpu.count', 'gpu.free', 'claims', 'instances', 'age'] as const),
]

/** The fields of a copied host, with the units in the names. */
const fields: readonly RowField<HostRow>[] = first(hostFields, always).map((field): RowField<HostRow> => {
  const read = (row: HostRow): Cell => cellOf(field, row)
  return always.includes(field.name) ? [field.copied, read] : [field.copied, read, field.name]
})

function cellOf(field: HostField, row: HostRow): Cell {
  if (!('column' in field)) return row[field.name]
  switch (field.holds) {
    case 'code':
      return row.texts[field.name]
    case 'set': {
      const texts = row.sets[field.name]
      return 'isReported' in field ? (texts[0] ?? null) : texts.join(', ')
    }
    case 'number': {
      const value = row.numbers[field.name]
      if (field.unit === 's') return value === 0 ? null : new Date(value).toISOString()
      return field.unit === '%' ? rounded(value) : value
    }
  }
}

const rounded = (percent: number): number => Number(percent.toFixed(2))
