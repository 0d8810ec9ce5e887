import { Table, Text } from '@mantine/core'
import type { CSSProperties, ReactNode } from 'react'
import { ScrollBox } from './scroll-box.tsx'
import './small-table.css'

/** HTML attributes of a row or a cell. */
type Attributes = { readonly style?: CSSProperties | undefined; readonly className?: string | undefined } & {
  readonly [name: `data-${string}`]: string | number | boolean | null | undefined
}

export interface SmallColumn<Row> {
  readonly head: ReactNode
  readonly headTitle?: string
  readonly isNumber?: boolean
  /** True if the column names the row. */
  readonly isRowHead?: boolean
  /**
   * The class of the cells: `mono`, `narrow` (one line), `breaks` (may break anywhere), `rest` (the remaining width, one line), or the
   * page's own.
   */
  readonly className?: string
  readonly cell: (row: Row, index: number) => ReactNode
  /** The title of a cell. A cell without text has no title. */
  readonly title?: (row: Row) => string | undefined
  readonly attributes?: (row: Row) => Attributes
}

export interface SmallTableProps<Row> {
  /** The name of the table, for screen readers. */
  readonly label: string
  readonly columns: readonly SmallColumn<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row, index: number) => string | number
  readonly rowAttributes?: (row: Row) => Attributes
  readonly attributes?: Attributes
  /** The content if there are no rows. If absent, nothing is rendered. */
  readonly empty?: ReactNode | undefined
  /** The maximum height. The rows of a higher table scroll below its headings. */
  readonly maxHeight?: string | undefined
  /** If true, the table is as wide as its content. If false, it is as wide as the page. */
  readonly isNarrow?: boolean
  /** True if the table is in a scrolling element already, or is never wider than its page. */
  readonly isBare?: boolean
}

/** A table for few rows, without sorting and selection. All rows are rendered. For lists that can be long, use `Table`. */
export function SmallTable<Row>(props: SmallTableProps<Row>) {
  const { label, rows, empty, maxHeight, isBare = false } = props
  if (rows.length === 0)
    return empty === undefined ? null : (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    )
  if (isBare) return <Rows {...props} />
  return (
    <ScrollBox label={label} maxHeight={maxHeight}>
      <Rows {...props} />
    </ScrollBox>
  )
}

function Rows<Row>({ label, columns, rows, rowKey, rowAttributes, attributes, maxHeight, isNarrow = false }: SmallTableProps<Row>) {
  const width = isNarrow ? { w: 'auto' } : {}
  return (
    <Table verticalSpacing={3} aria-label={label} stickyHeader={maxHeight !== undefined} {...width} {...attributes}>
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ head, headTitle, isNumber = false }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns never change their order, so the index identifies one
            <Table.Th key={i} title={headTitle} className={isNumber ? 'number' : undefined}>
              {head}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row, index) => (
          <Table.Tr key={rowKey(row, index)} {...rowAttributes?.(row)}>
            {columns.map((column, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns never change their order, so the index identifies one
              <Cell key={i} column={column} row={row} index={index} />
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

interface CellProps<Row> {
  readonly column: SmallColumn<Row>
  readonly row: Row
  readonly index: number
}

function Cell<Row>({ column: { isNumber, isRowHead, className, cell, title, attributes }, row, index }: CellProps<Row>) {
  const classes = [...(isNumber ? ['number'] : []), ...(className === undefined ? [] : [className])].join(' ') || undefined
  const props = { className: classes, title: title?.(row), ...attributes?.(row) }
  return isRowHead ? (
    <Table.Th scope="row" {...props}>
      {cell(row, index)}
    </Table.Th>
  ) : (
    <Table.Td {...props}>{cell(row, index)}</Table.Td>
  )
}
