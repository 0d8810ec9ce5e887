import type { Sort } from '@gantt/scheduler-core/query'
import type { ReactNode } from 'react'

/** One column: its cells, and how it is sorted and copied. */
export interface TableColumn<Row> {
  readonly key: string
  readonly label: string
  /** The full name, if the label is abbreviated. */
  readonly title?: string
  /** CSS width: `96px`, `minmax(160px, 1fr)`. */
  readonly width: string
  /** True if the column is hidden by default. */
  readonly isExtra?: boolean
  readonly align?: 'left' | 'right'
  readonly sortable?: boolean
  /** True if the first click sorts the largest values first. */
  readonly sortsDescending?: boolean
  /** The text to copy, and to show if there is no `cell`. */
  value(row: Row): string | number
  cell?(row: Row): ReactNode
}

export interface TableProps<Row> {
  /** The description for screen readers. */
  readonly label: string
  readonly columns: readonly TableColumn<Row>[]
  readonly count: number
  /** The row at this index. Undefined while the row is not loaded. */
  row(index: number): Row | undefined
  rowKey(index: number): string
  /** The orders of the list, the most significant first. */
  readonly sort?: readonly Sort[] | undefined
  /**
   * Called after a click on the head of a column, with a function that returns the new orders for the present orders. With Shift, the
   * column is added as the last and least significant order.
   */
  onSort?: ((press: (now: readonly Sort[]) => readonly Sort[]) => void) | undefined
  /** Called with the new width in pixels while the edge of a heading is moved. Undefined restores the default width. */
  onResize?(key: string, width: number | undefined): void
  /** The index of the row with the keyboard cursor. -1 if there is no cursor. */
  readonly active: number
  onActive(index: number): void
  /** Called for Enter or a click on a row. */
  onOpen(index: number): void
  /**
   * True if a row is selected. Undefined if the row cannot be selected. Only used with `onChoose`. Each row then has a checkbox, and a
   * click with Ctrl or Shift selects the row.
   */
  isChosen?(index: number): boolean | undefined
  /** Called when a row is selected or deselected. With `isRange`, all rows from the last selected row to this row are selected. */
  onChoose?(index: number, isRange: boolean): void
  /** Called with the visible rows, for lists that load while scrolling. */
  onRange?(first: number, last: number): void
  /** The identity of the list as a text. If it changes, the list is scrolled to its first row. */
  readonly listKey?: string
  /** Called after drawing, with the scroll position and the row height in pixels. */
  onDrawn?(scroller: HTMLElement, offset: number, rowHeight: number): void
  /** True if this is the main table of the page. The keys `j`, `k`, `o` and Enter then apply to this table, wherever the focus is. */
  readonly isMain?: boolean
  /** Called for the key `o`, which shows a row in the side panel. If absent, `o` opens the row. */
  readonly onTogglePanel?: ((index: number) => void) | undefined
  /** The maximum height of the scrolled part. */
  readonly height?: string
}
