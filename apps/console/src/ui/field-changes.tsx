import { Table, type TableProps } from '@mantine/core'

interface FieldChange {
  readonly field: string
  readonly before: string | null
  readonly after: string | null
}

interface FieldChangesProps extends TableProps {
  readonly changes: readonly FieldChange[]
  /** Headings of what was and what is. */
  readonly sides: readonly [string, string]
}

/** A long value makes no column wider than the page. */
const breaking = { overflowWrap: 'anywhere' } as const

/** What differs between two documents, field by field. */
export function FieldChanges({ changes, sides: [before, after], ...table }: FieldChangesProps) {
  return (
    <Table verticalSpacing={2} {...table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Field</Table.Th>
          <Table.Th>{before}</Table.Th>
          <Table.Th>{after}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {changes.map((change) => (
          <Table.Tr key={change.field}>
            <Table.Td className="mono">{change.field}</Table.Td>
            <Table.Td style={breaking}>{change.before ?? <span className="dimmed">none</span>}</Table.Td>
            <Table.Td style={breaking}>{change.after ?? <span className="dimmed">none</span>}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
