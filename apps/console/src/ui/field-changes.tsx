import { SmallTable, type SmallTableProps } from './table/small-table.tsx'

interface FieldChange {
  readonly field: string
  readonly before: string | null
  readonly after: string | null
}

interface FieldChangesProps extends Pick<SmallTableProps<FieldChange>, 'label' | 'maxHeight' | 'empty' | 'isNarrow' | 'isBare'> {
  readonly changes: readonly FieldChange[]
  /** The headings of the columns with old and with new values. */
  readonly sides: readonly [string, string]
}

const none = <span className="dimmed">none</span>

/** The differences between two documents, field by field. */
export function FieldChanges({ changes, sides: [before, after], ...table }: FieldChangesProps) {
  return (
    <SmallTable
      attributes={{ 'data-diff': changes.length }}
      rows={changes}
      rowKey={({ field }) => field}
      columns={[
        { head: 'Field', className: 'mono', cell: ({ field }) => field },
        { head: before, className: 'field-value', cell: (change) => change.before ?? none },
        { head: after, className: 'field-value', cell: (change) => change.after ?? none },
      ]}
      {...table}
    />
  )
}
