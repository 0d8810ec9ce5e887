import type { Sort } from '@gantt/scheduler-core/query'
import { nextSort } from './sort.ts'
import type { TableColumn, TableProps } from './table-props.ts'

interface HeadCellProps<Row> {
  readonly column: TableColumn<Row>
  readonly sort: readonly Sort[] | undefined
  readonly onSort: TableProps<Row>['onSort']
  readonly onResize: TableProps<Row>['onResize']
}

/** The heading of a column: its name, the order of the list by this column, and an edge to change the width. */
export function HeadCell<Row>({ column, sort = [], onSort, onResize }: HeadCellProps<Row>) {
  const index = sort.findIndex(({ key }) => key === column.key)
  const order = sort[index] === undefined ? undefined : sort[index].descending ? 'descending' : 'ascending'
  return (
    // biome-ignore lint/a11y/useSemanticElements: the header of a virtual grid
    <div
      role="columnheader"
      tabIndex={-1}
      // `aria-sort` can express only the first order, so further orders are described in words
      aria-sort={index === 0 ? order : undefined}
      title={column.title}
      className={column.align === 'right' ? 'number' : undefined}
    >
      {column.sortable && onSort ? (
        <button type="button" className="g-table-sort" onClick={({ shiftKey }) => onSort((now) => nextSort(now, column, shiftKey))}>
          <span>
            {column.label}
            {order === undefined ? null : (
              <span aria-hidden>
                {order === 'descending' ? ' ↓' : ' ↑'}
                {sort.length > 1 ? index + 1 : ''}
              </span>
            )}
            {index > 0 ? (
              <span className="g-table-unseen">
                order {index + 1}, {order}
              </span>
            ) : null}
          </span>
        </button>
      ) : (
        column.label
      )}
      {onResize === undefined ? null : <ResizeEdge onResize={(width) => onResize(column.key, width)} />}
    </div>
  )
}

/**
 * The right edge of a column heading. Dragging this edge changes the width of the column. Keyboard users set widths in the column chooser.
 */
function ResizeEdge({ onResize }: { onResize(width: number | undefined): void }) {
  return (
    <span
      className="g-table-edge"
      aria-hidden
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={({ currentTarget, pointerId, clientX }) => {
        const head = currentTarget.parentElement
        if (head !== null && currentTarget.hasPointerCapture(pointerId)) onResize(clientX - head.getBoundingClientRect().left)
      }}
      onDoubleClick={() => onResize(undefined)}
    />
  )
}

/** The head of the column of checkboxes. */
export function ChoiceHead() {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the header of a virtual grid
    <div role="columnheader" tabIndex={-1} title="Chosen (x)" className="g-table-choice">
      <span className="g-table-unseen">Chosen</span>
    </div>
  )
}
