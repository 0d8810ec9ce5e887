import { Table } from '@mantine/core'

interface HeadsProps {
  /** One for each column, in their order. */
  readonly names: readonly string[]
}

/** The row of heads of a plain table, which is neither sorted nor made wider. */
export const Heads = ({ names }: HeadsProps) => (
  <Table.Thead>
    <Table.Tr>
      {names.map((name) => (
        <Table.Th key={name}>{name}</Table.Th>
      ))}
    </Table.Tr>
  </Table.Thead>
)
